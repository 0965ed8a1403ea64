"""What the user has not committed before a run begins, and what changed since then."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ralph.git.repository import Repository
from ralph.git.trees import changed_paths
from ralph.kernel.actions.commands import SHOWN, UserChanges

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class ChangedSince(NamedTuple):
    top: Path
    """The folder that the paths are relative to."""
    paths: tuple[str, ...]
    """The files that changed since the run began, and are not committed yet."""
    shared: tuple[str, ...]
    """Those among them that the user had changed before."""


async def user_changes(repository: Repository) -> UserChanges:
    """The user's uncommitted changes. Without any, only the commit is known."""
    at = await repository.look()
    tree = await repository.snapshot()
    found = await changed_paths(repository, at.tree or EMPTY_TREE, tree)
    if not found:
        return UserChanges(at.head, branch=at.branch)
    return UserChanges(at.head, tree, tuple(found[:SHOWN]), len(found), branch=at.branch)


async def changed_since(repository: Repository, head: str, tree: str) -> ChangedSince:
    """What a commit must have: `head` and `tree` are the commit and the files before the agent first ran."""
    at = await repository.look()
    now = await repository.snapshot()
    changed = {*await changed_paths(repository, tree, now)}
    left = await changed_paths(repository, at.tree or EMPTY_TREE, now)
    users = {*await changed_paths(repository, head or EMPTY_TREE, tree)}
    paths = tuple(name for name in left if name in changed)
    return ChangedSince(at.top, paths, tuple(name for name in paths if name in users))


async def elsewhere(repository: Repository, branch: str) -> str:
    """Where HEAD is, in a few words, if it is no longer on this branch."""
    at = await repository.look()
    if not branch or at.branch == branch:
        return ""
    return f"on {at.branch}, not on {branch}" if at.branch else f"HEAD is detached; {branch} did not move"


async def uncommitted_among(repository: Repository, paths: Iterable[str]) -> bool:
    """Whether one of these files differs from the last commit."""
    at = await repository.look()
    left = await changed_paths(repository, at.tree or EMPTY_TREE, await repository.snapshot())
    return not {*left}.isdisjoint(paths)
