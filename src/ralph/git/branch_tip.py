"""The tip of a branch, and where it is checked out: one question, because each question is a process."""

import shlex
from pathlib import Path
from typing import NamedTuple

from ralph.git.checkout import HEADS
from ralph.git.repository import Repository

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
    merged = (f"--merged={below}",) if below else ()
    listed = await repository.git.ask("for-each-ref", FIELDS, *merged, HEADS + branch)
    found = [line.split("\0") for line in listed.split("\n")]
    return next((BranchTip(*fields[1:]) for fields in found if fields[0] == HEADS + branch), BranchTip())
