"""The figures of a spec as lines."""

from collections.abc import Iterator

from ralph.app.pull_requests.outcomes import PullRequestStats
from ralph.app.tasks.stats import Interventions, SpecStats
from ralph.model.words import count


def stats_lines(stats: SpecStats) -> Iterator[str]:
    yield f"shipped at the first iteration: {_first(stats)}"
    yield f"interventions by people: {_interventions(stats.interventions)}"
    yield f"pull requests merged without requested changes: {_pull_requests(stats.pull_requests)}"


def _first(stats: SpecStats) -> str:
    if stats.share_shipped_at_first is None:
        return "unknown (no task is completed yet)"
    done = count(stats.completed, "completed task")
    return f"{stats.share_shipped_at_first:.0%} ({stats.shipped_at_first} of {done})"


def _interventions(found: Interventions) -> str:
    counted = (
        (found.guide, "guide"),
        (found.reject, "reject"),
        (found.retry, "retry"),
        (found.skip, "skip"),
        (found.edit, "edit of a started task"),
        (found.commit or 0, "commit on the branch"),
    )
    named = [f"{number} {word}" for number, word in counted if number]
    unknown = ["commits on the branch unknown"] if found.commit is None else []
    details = ", ".join([*named, *unknown])
    return f"{found.total} ({details})" if details else str(found.total)


def _pull_requests(found: PullRequestStats) -> str:
    if found.unknown:
        return f"unknown ({found.unknown})"
    if found.share is None:
        return f"unknown (of {count(found.opened or 0, 'pull request')} none was merged or closed)"
    ended = (found.merged or 0) + (found.closed or 0)
    return f"{found.share:.0%} ({found.merged_without_requested_changes} of {ended} that were merged or closed)"
