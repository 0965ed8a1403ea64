"""What happened to the pull requests of a spec, according to the code host."""

from pathlib import Path

from msgspec import Struct

from ralph.app.proof.subjects import repository_at
from ralph.git.checkout import look_if_any
from ralph.git.hosts.choose import host_of
from ralph.git.remotes import chosen_remote
from ralph.model.errors import RalphError
from ralph.model.tasks import BRANCHES


class PullRequestStats(Struct, frozen=True, kw_only=True, rename="camel"):
    """Statistics of pull requests. Numbers are None if nobody could be asked, and `unknown` says why."""

    opened: int | None = None
    merged: int | None = None
    closed: int | None = None
    merged_without_requested_changes: int | None = None
    share: float | None = None
    """The share of pull requests that were merged without a request for changes, among those merged or closed."""
    unknown: str = ""


async def outcomes(project: Path, spec: str) -> PullRequestStats:
    """The statistics, from gh or glab. If they cannot be had, `unknown` says why."""
    try:
        return await _asked(project, spec)
    except RalphError as error:
        return PullRequestStats(unknown=error.message.rstrip("."))


async def _asked(project: Path, spec: str) -> PullRequestStats:
    repository = repository_at(project)
    if await look_if_any(repository.git) is None:
        return PullRequestStats(unknown="there is no git repository")
    remote = await chosen_remote(repository, None)
    if remote is None:
        return PullRequestStats(unknown="there is no remote")
    host, why_not = await host_of(project, remote)
    if host is None:
        return PullRequestStats(unknown=why_not)
    found = await host.find(f"{BRANCHES}{spec}")
    merged = [each for each in found if each.state == "merged"]
    closed = sum(each.state == "closed" for each in found)
    smooth = sum([not await host.had_requested_changes(each.number) for each in merged])
    ended = len(merged) + closed
    return PullRequestStats(
        opened=len(found),
        merged=len(merged),
        closed=closed,
        merged_without_requested_changes=smooth,
        share=smooth / ended if ended else None,
    )
