"""From a task, or the tasks of a spec, to a run that can be started."""

from pathlib import Path
from typing import NamedTuple

from ralph.app.reviews.reviewers import reviewers
from ralph.app.sandbox import sandbox_flags
from ralph.app.tasks.choice import EVERYTHING, Choice, chosen_tasks
from ralph.app.tasks.chunks import chunk_run
from ralph.app.tasks.confined import budget_warnings, unsandboxed_workers
from ralph.app.tasks.ground import Ground, look_at_ground
from ralph.app.tasks.loops import How, loop_of, warnings
from ralph.app.tasks.settings import load_for_spec
from ralph.config.layers import Loaded
from ralph.config.schema import Settings
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.final_review import FinalReview
from ralph.kernel.recipes import spec as spec_recipe
from ralph.kernel.recipes.spec import SpecRun
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.task_rules import in_order
from ralph.kernel.task_runs import SpecTask
from ralph.loop.kinds.chunk import worker
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError
from ralph.model.tasks import DONE, Spec, Task
from ralph.store.approvals import waiting_for_task
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, get_task, set_status, tasks_of

USUAL = How()
NOBODY_REVIEWS = "no executor is chosen, so there is no final review: set defaults.executor."


class Planned(NamedTuple):
    plan: Plan
    warnings: list[str]
    skipped: tuple[str, ...] = ()
    """The tasks that are marked as skipped when the run begins."""


async def plan_task(store: Store, project: Path, task_id: str, how: How = USUAL, *, again: bool = False) -> Planned:
    name = known_project(store, project)
    task = get_task(store, name, task_id)
    if task.status == "completed" and not again:
        raise ConfigError(f"task {task.id} is completed.", f"Run it once more: ralph task run {task.id} --again")
    by_id = {each.id: each for each in tasks_of(store, name)}
    waiting = [each for each in task.dependencies if by_id[each].status not in DONE]
    if waiting:
        first = by_id[waiting[0]]
        raise ConfigError(
            f"task {task.id} depends on {first.id}, which is {first.status}.",
            f"Run that first, or all in order: ralph spec run {task.spec_id}",
        )
    _refuse_waiting(store, name, [task], how)
    loaded = load_for_spec(project, get_spec(store, name, task.spec_id), how.agent, sandbox_flags(wanted=how.sandbox))
    ground = await look_at_ground(project, task.spec_id, how.base)
    loop = loop_of(task, loaded.settings, how, ground.base)
    return _planned(project, loop.recipe, loaded, loop, ground, warnings(task, loop, loaded.settings))


async def plan_spec(
    store: Store,
    project: Path,
    spec_id: str,
    how: How = USUAL,
    *,
    workers: int = 1,
    choice: Choice = EVERYTHING,
    pull_request: bool = False,
) -> Planned | None:
    """The run; None if there is nothing left to do, not even a review of the whole."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    everything = tasks_of(store, name)
    tasks = [task for task in in_order(everything) if task.spec_id == spec.id]
    if not tasks:
        raise ConfigError(
            f"spec {spec.id} has no tasks.",
            f"Add one: ralph task create ID {spec.id} TITLE --outcome TEXT --acceptance TEXT",
        )
    open_tasks = chosen_tasks(spec.id, tasks, everything, choice)
    _refuse_waiting(store, name, open_tasks, how, "; or leave it out: --skip {task}")
    loaded = load_for_spec(project, spec, how.agent, sandbox_flags(wanted=how.sandbox))
    ground = await look_at_ground(project, spec.id, how.base)
    loops = {task.id: loop_of(task, loaded.settings, how, ground.base) for task in open_tasks}
    told = [each for task in open_tasks for each in warnings(task, loops[task.id], loaded.settings)]
    final, unreviewed = _final(spec, loaded.settings, ground.base)
    if not open_tasks and final is None:
        return None
    run = SpecRun(
        spec.id,
        tuple(SpecTask(loops[task.id], task.dependencies) for task in open_tasks),
        workers,
        loaded.settings.spec.on_failure,
        final,
        choice.skip,
        pull_request,
    )
    return _planned(project, spec_recipe.NAME, loaded, run, ground, [*told, *unreviewed], choice.skip)


def mark_skipped(store: Store, project: Path, tasks: tuple[str, ...]) -> None:
    name = known_project(store, project)
    for task in tasks:
        set_status(store, name, task, "skipped")


def _planned(
    project: Path,
    recipe: str,
    loaded: Loaded,
    loop: TaskRun | ChunkRun | SpecRun,
    ground: Ground,
    told: list[str],
    skipped: tuple[str, ...] = (),
) -> Planned:
    plan = make_plan(recipe, loaded.settings, loaded.merged, loop)
    return Planned(plan, [*told, *ground.told, *unsandboxed_workers(plan, project), *budget_warnings(plan)], skipped)


def _final(spec: Spec, settings: Settings, base: str) -> tuple[FinalReview | None, list[str]]:
    """Who reviews the whole branch, and what a person should know if nobody does."""
    if settings.defaults.final_reviewer == "none":
        return None, []
    try:
        agent = worker(settings)
    except ConfigError:
        return None, [NOBODY_REVIEWS]
    by = reviewers(settings, agent, ("final",)).get("final")
    if by is None:
        return None, []
    # The task is made from the findings of the review later; now only its settings are known.
    unknown = Task(id="", spec_id=spec.id, title="", created_at=0.0, updated_at=0.0)
    fixing = chunk_run(unknown, settings, base, fresh=False)
    return FinalReview(by, fixing, settings.review.final_rounds, spec.id, base), []


def _refuse_waiting(store: Store, project: str, tasks: list[Task], how: How, otherwise: str = "") -> None:
    """Refuse to run a task again whose work waits for a person: that would discard the work. `otherwise` is what else
    the command can do about it.
    """
    for task in tasks if not how.fresh else ():
        if waiting := waiting_for_task(store, project, task.id):
            raise ConfigError(
                f"task {task.id} waits for a person in run {waiting.run.id}.",
                f'Use ralph approve {task.id} or ralph reject {task.id} "why"{otherwise.format(task=task.id)};'
                " or start again: --fresh",
            )
