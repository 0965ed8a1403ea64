"""The reviews of a run, a task or a spec, for programs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ralph.model.errors import ConfigError, StateError
from ralph.model.reviews import Decision, IssueCounts, Review, ReviewBy, ReviewIssue, Settled, Tier, counts
from ralph.model.runs import Run
from ralph.model.tasks import BRANCHES
from ralph.store.history import reviews_of_parts
from ralph.store.projects import find_project, known_project
from ralph.store.runs import find_run, get_run, list_runs, runs_labelled, runs_of_spec, runs_of_task
from ralph.store.sql import Store
from ralph.store.tasks import specs_of, tasks_of

LOOKED_THROUGH = 200
"""How many of a project's latest runs are searched for reviews."""


class ReviewView(Struct, frozen=True, kw_only=True, rename="camel"):
    """One review. Decision, issues and summary have the form that readers of reviews know."""

    run: str
    task: str
    iteration: int
    tier: Tier
    reviewer: str
    base: str
    head: str
    tree: str
    decision: Decision | None
    issues: tuple[ReviewIssue, ...]
    summary: IssueCounts
    prior_findings: dict[str, Settled]
    note: str
    problem: str
    unseen: tuple[str, ...]
    stands: bool = False
    """Whether an earlier review of the same files is used again, without asking the reviewer."""


class ReviewRunView(ReviewView, frozen=True, kw_only=True):
    """The end of `ralph review`."""

    verdict: str
    reason: str
    exit_code: int


def review_run_view(store: Store, run_id: str, by: ReviewBy) -> ReviewRunView:
    """The end of a review run. There is no review if the run was stopped before there was one."""
    run = get_run(store, run_id)
    if run is None:
        raise StateError(f"run {run_id} was removed while it was running.")
    made = reviews_in(store, [run]) or [_view(run_id, "", 1, Review(by.tier, by.reviewer, problem=run.reason))]
    end: dict[str, Any] = {
        "verdict": run.verdict or run.status,
        "reason": run.reason,
        "exit_code": run.exit_code or 0,
    }
    return ReviewRunView(**asdict(made[-1]), **end)


def reviews_in(store: Store, runs: Iterable[Run]) -> list[ReviewView]:
    """The reviews of the runs and their parts, the oldest first."""
    rows = {row.id: row for run in runs for row in reviews_of_parts(store, run.id)}
    tasks: dict[str, str] = {}
    found: list[ReviewView] = []
    for _, row in sorted(rows.items()):
        if row.run_id not in tasks:
            run = get_run(store, row.run_id)
            tasks[row.run_id] = run.task_id or "" if run else ""
        review = msgspec.json.decode(row.body, type=Review)
        found.append(_view(row.run_id, tasks[row.run_id], row.name.iteration, review))
    return found


def named_reviews(store: Store, project: Path, name: str | None) -> list[ReviewView]:
    """The reviews of a task, of a spec, or of a run; without a name those of the latest run that has some."""
    known = find_project(store, project)
    if name is None:
        return _some(_latest(store, known.id) if known else [], "no run of this project has a review.")
    if known:
        if any(each.id == name for each in tasks_of(store, known.id)):
            return _some(_of_task(store, known.id, name), f"task {name} has no review yet.")
        if any(each.id == name for each in specs_of(store, known.id)):
            return _some(_of_spec(store, known_project(store, project), name), f"spec {name} has no review yet.")
    run = find_run(store, name)
    return _some(reviews_in(store, [run]), f"run {run.id} has no review.")


def standing(reviews: Iterable[ReviewView]) -> list[ReviewView]:
    """The latest review with a decision for each task and tier."""
    latest = {(each.task or each.run, each.tier): each for each in reviews if each.decision}
    return list(latest.values())


def _some(found: list[ReviewView], otherwise: str) -> list[ReviewView]:
    if not found:
        raise ConfigError(otherwise, "Review something: ralph review")
    return found


def _latest(store: Store, project: str) -> list[ReviewView]:
    for run in list_runs(store, project=project, limit=LOOKED_THROUGH):
        if not run.is_part and (found := reviews_in(store, [run])):
            return found
    return []


def _of_task(store: Store, project: str, task: str) -> list[ReviewView]:
    return reviews_in(store, runs_of_task(store, project, task))


def _of_spec(store: Store, project: str, spec: str) -> list[ReviewView]:
    """The reviews of a spec's tasks, and the final ones of its own runs."""
    return reviews_in(store, runs_under_spec(store, project, spec))


def runs_under_spec(store: Store, project: str, spec: str) -> list[Run]:
    """The runs of the whole spec, those of its tasks, and the reviews of its branch."""
    tasks = [each.id for each in tasks_of(store, project, spec)]
    return [
        *runs_of_spec(store, project, spec),
        *runs_labelled(store, project, "review", f"{BRANCHES}{spec}"),
        *(run for task in tasks for run in runs_of_task(store, project, task)),
    ]


def _view(run_id: str, task: str, iteration: int, review: Review) -> ReviewView:
    return ReviewView(
        run=run_id,
        task=task,
        iteration=iteration,
        tier=review.tier,
        reviewer=review.reviewer,
        base=review.base,
        head=review.commit,
        tree=review.tree,
        decision=review.decision or None,
        issues=review.issues,
        summary=counts(review.issues),
        prior_findings=review.answers,
        note=review.note,
        problem=review.problem,
        unseen=review.unseen,
        stands=review.stands,
    )
