"""The worktrees that git knows."""

import os
from pathlib import Path

from msgspec import Struct

from ralph.git.checkout import HEADS, Checkout, look_if_any
from ralph.git.folders import is_worktree
from ralph.git.known_places import seen_at
from ralph.git.repository import Repository

UNFINISHED = "initializing"
"""How git locks a worktree until it has all its files. A killed git leaves the lock."""


class ListedWorktree(Struct, frozen=True):
    path: Path
    branch: str = ""
    """The branch; empty if none is checked out."""
    unfinished: bool = False


async def worktrees(repository: Repository) -> list[ListedWorktree]:
    listed = await repository.git.ask("worktree", "list", "--porcelain")
    return [_entry(block) for block in listed.split("\n\n") if block]


def registered_at(path: Path, entries: list[ListedWorktree]) -> ListedWorktree | None:
    real = Path(os.path.realpath(path.parent), path.name)
    return next((entry for entry in entries if entry.path == real), None)


def holder_of(branch: str, entries: list[ListedWorktree]) -> ListedWorktree | None:
    return next((entry for entry in entries if entry.branch == branch), None)


async def linked(repository: Repository, path: Path) -> Checkout | None:
    """The state of the folder, if it really is a worktree of this repository: an agent can do anything to a folder."""
    if not is_worktree(path):
        return None
    found = seen_at(path) or await look_if_any(repository.git.at(path))
    return found if found and found.common_dir == await repository.common_dir() else None


def _entry(block: str) -> ListedWorktree:
    fields: dict[str, str] = {}
    for line in block.splitlines():
        name, _, fields[name] = line.partition(" ")
    return ListedWorktree(
        path=Path(fields["worktree"]),
        branch=fields.get("branch", "").removeprefix(HEADS),
        unfinished=fields.get("locked") == UNFINISHED,
    )
