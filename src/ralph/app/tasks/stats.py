"""How well the work on a spec went: tasks that shipped at once, interventions, and the fate of pull requests."""

from pathlib import Path

from msgspec import Struct

from ralph.app.proof.subjects import repository_at
from ralph.app.pull_requests.outcomes import PullRequestStats, outcomes
from ralph.app.reviews.views import runs_under_spec
from ralph.app.tasks.listing import SpecTasks, open_spec
from ralph.git.branch_tip import branch_tip
from ralph.git.checkout import look_if_any
from ralph.git.delivered import foreign_commits
from ralph.model.runs import Run
from ralph.model.tasks import BRANCHES
from ralph.store.interventions import skipped_by_people, words_of_people
from ralph.store.projects import known_project
from ralph.store.spec_base import base_of_run
from ralph.store.sql import Store
from ralph.store.task_history import taken_by_tasks
from ralph.store.tasks import get_spec


class Interventions(Struct, frozen=True, kw_only=True, rename="camel"):
    """How many times a person helped. What agents did inside runs is not counted."""

    guide: int
    reject: int
    retry: int
    skip: int
    edit: int
    """The edits of tasks that had been started."""
    commit: int | None
    """The commits of people on the spec's branch; None if the branch, or its start, is not known."""
    total: int


class SpecStats(Struct, frozen=True, kw_only=True, rename="camel"):
    completed: int
    """The tasks that runs here completed."""
    shipped_at_first: int
    """The tasks among them in which every loop was done after one iteration."""
    share_shipped_at_first: float | None
    """The share of these tasks; None if no task is completed yet."""
    interventions: Interventions
    pull_requests: PullRequestStats


class SpecWithStats(SpecTasks, frozen=True, kw_only=True, rename="camel"):
    stats: SpecStats


async def spec_stats(store: Store, project: Path, spec_id: str) -> SpecStats:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    taken = [each for each in taken_by_tasks(store, name) if each.spec_id == spec.id]
    first = sum(each.shipped_at_first for each in taken)
    runs = runs_under_spec(store, name, spec.id)
    words = words_of_people(store, name, {run.id for run in runs})
    skipped = skipped_by_people(store, [run.id for run in runs if run.recipe == "spec"])
    commits = await _commits_by_people(store, project, spec.id, runs)
    return SpecStats(
        completed=len(taken),
        shipped_at_first=first,
        share_shipped_at_first=first / len(taken) if taken else None,
        interventions=Interventions(
            guide=words["guide"],
            reject=words["reject"],
            retry=words["retry"],
            skip=skipped,
            edit=words["edit"],
            commit=commits,
            total=sum(words.values()) + skipped + (commits or 0),
        ),
        pull_requests=await outcomes(project, spec.id),
    )


async def spec_with_stats(store: Store, project: Path, spec_id: str) -> SpecWithStats:
    shown = open_spec(store, project, spec_id)
    fields = {name: getattr(shown, name) for name in shown.__struct_fields__}
    return SpecWithStats(**fields, stats=await spec_stats(store, project, spec_id))


async def _commits_by_people(store: Store, project: Path, spec: str, runs: list[Run]) -> int | None:
    repository = repository_at(project)
    if await look_if_any(repository.git) is None:
        return None
    tip = await branch_tip(repository, f"{BRANCHES}{spec}")
    first = min(runs, key=lambda run: run.started_at, default=None)
    base = base_of_run(store, first.id) if first else ""
    start = await repository.merge_base(base, tip.commit) if base and tip.commit else ""
    return len(await foreign_commits(repository, start, tip.commit, first_parent=True)) if start else None
