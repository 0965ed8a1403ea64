"""Attempts that were undone: refs keep them until the run or task they belong to is removed."""

from collections.abc import Iterable

from ralph.git.repository import Change, Repository
from ralph.git.worktree import DISCARDED

AT_ONCE = 500


async def discarded(repository: Repository, owners: Iterable[str]) -> list[Change]:
    """The refs of these runs and tasks, as changes that delete them."""
    own = {f"{DISCARDED}/{name}/" for name in owners}
    if not own:
        return []
    listed = await repository.git.ask("for-each-ref", "--format=%(refname) %(objectname)", f"{DISCARDED}/")
    found = [line.split() for line in listed.splitlines()]
    return [Change(ref, "", commit) for ref, commit in found if f"{'/'.join(ref.split('/')[:4])}/" in own]


async def drop(repository: Repository, refs: list[Change]) -> int:
    """Delete the refs, and return how many were deleted. A ref that has moved meanwhile stays."""
    gone = 0
    for start in range(0, len(refs), AT_ONCE):
        some = refs[start : start + AT_ONCE]
        gone += len(some) if await repository.move(*some) else 0
    return gone
