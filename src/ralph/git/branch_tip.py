"""The tip of a branch, and where it is checked out: one question, because each question is a process."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from ralph.git.checkout import HEADS
from ralph.git.known_trees import known_tree
from ralph.git.loose_objects import read_loose
from ralph.git.ref_files import is_checked_out
from ralph.git.repository import Repository

PARENT = re.compile(rb"tree [0-9a-f]+\nparent ([0-9a-f]+)\n")
LOOKED_THROUGH = 100
FIELDS = "--format=%(refname)%00%(objectname)%00%(tree)%00%(worktreepath)"


class BranchTip(NamedTuple):
    """The tip of a branch. All fields are empty if there is no such branch."""

    commit: str = ""
    tree: str = ""
    holder: str = ""
    """The working tree in which the branch is checked out. It may have been deleted since."""

    @property
    def is_held(self) -> bool:
        """Whether moving the branch would change what a working tree has checked out."""
        return bool(self.holder) and Path(self.holder).exists()


def switch_away(folder: str) -> str:
    """The command that makes a working tree leave its branch. It works with any branches, and changes no file."""
    return f"git -C {shlex.quote(folder)} switch --detach"


async def branch_tip(repository: Repository, branch: str, *, below: str = "") -> BranchTip:
    """The tip of the branch. `below`: only if that commit has the whole branch in its history."""
    ref, common_dir = HEADS + branch, repository.known_common_dir()
    tip = repository.known_object(f"{ref}^{{commit}}")
    if tip == "" and repository.known_object(ref) == "":
        return BranchTip()
    if tip and common_dir and is_checked_out(common_dir, ref) is False and _is_before(common_dir, tip, below or tip):
        return BranchTip(tip, known_tree(tip))
    merged = (f"--merged={below}",) if below else ()
    listed = await repository.git.ask("for-each-ref", FIELDS, *merged, HEADS + branch)
    found = [line.split("\0") for line in listed.split("\n")]
    return next((BranchTip(*fields[1:]) for fields in found if fields[0] == HEADS + branch), BranchTip())


def _is_before(common_dir: Path, commit: str, later: str) -> bool:
    """Whether the commit is one of the last few in the history of a later one, as far as they are not packed."""
    for _ in range(LOOKED_THROUGH):
        if later == commit:
            return True
        found = read_loose(common_dir / "objects", later)
        parent = PARENT.match(found.content) if found else None
        if parent is None:
            return False
        later = parent[1].decode()
    return False
