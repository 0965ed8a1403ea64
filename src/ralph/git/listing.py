"""Which worktrees git knows of."""

import os
from pathlib import Path

from msgspec import Struct

from ralph.git.folders import is_worktree
from ralph.git.repository import Repository

HEADS = "refs/heads/"
UNFINISHED = "initializing"
"""How git locks a worktree until it has all its files. A killed git leaves it so."""


class Entry(Struct, frozen=True):
    path: Path
    branch: str = ""
    """Empty if none is checked out."""
    unfinished: bool = False


async def worktrees(repository: Repository) -> list[Entry]:
    listed = await repository.git.ask("worktree", "list", "--porcelain")
    return [_entry(block) for block in listed.split("\n\n") if block]


def registered_at(path: Path, entries: list[Entry]) -> Entry | None:
    real = Path(os.path.realpath(path.parent), path.name)
    return next((entry for entry in entries if entry.path == real), None)


def holder_of(branch: str, entries: list[Entry]) -> Entry | None:
    return next((entry for entry in entries if entry.branch == branch), None)


async def is_linked(repository: Repository, path: Path) -> bool:
    """Whether what lies there really is a worktree of this repository: an agent can do anything to a folder."""
    if not is_worktree(path):
        return False
    inside = await repository.git.at(path).run("rev-parse", "--git-common-dir")
    here = await repository.git.ask("rev-parse", "--git-common-dir")
    return inside.code == 0 and (path / inside.text).resolve() == (repository.folder / here).resolve()


def _entry(block: str) -> Entry:
    fields: dict[str, str] = {}
    for line in block.splitlines():
        name, _, fields[name] = line.partition(" ")
    return Entry(
        path=Path(fields["worktree"]),
        branch=fields.get("branch", "").removeprefix(HEADS),
        unfinished=fields.get("locked") == UNFINISHED,
    )
