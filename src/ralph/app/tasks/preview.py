"""The execution plan of a spec before it runs: waves, critical path, and an estimate from what earlier tasks took."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ralph.kernel.task_graph import critical_path, time_with_workers, waves
from ralph.kernel.task_rules import in_order
from ralph.model.tasks import DONE, Task
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.task_history import Taken, taken_by_tasks
from ralph.store.tasks import get_spec, tasks_of

Source = Literal["spec", "project"]
CENTS = 4


class Estimate(Struct, frozen=True, kw_only=True, rename="camel"):
    """The expected effort: the mean of what earlier tasks of the same kind took."""

    iterations: float
    seconds: float
    cost_usd: float | None
    """The cost; None if no earlier task reported it."""


class PlannedTask(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    title: str
    dependencies: tuple[str, ...]
    """The dependencies that are still open."""
    estimate: Estimate | None
    """The estimate; None if no task of this project is completed yet."""
    source: Source | None
    """Whose completed tasks the estimate comes from."""
    samples: int
    """The number of completed tasks that the estimate comes from."""


class Waiting(Struct, frozen=True, rename="camel"):
    """A task that cannot run with this spec, because it depends on an open task of another spec."""

    id: str
    on: str
    spec_id: str


class ExecutionPlan(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    title: str
    workers: int
    completed: int
    """Tasks of the spec that are completed or skipped."""
    waves: list[list[PlannedTask]]
    """The waves. Tasks of a wave depend on none of the same wave, so they can run at once."""
    critical_path: list[str]
    waiting: list[Waiting]
    total: Estimate | None
    """The total. Seconds are the time until all are done with so many workers. None if there is no history."""
    shortest_seconds: float | None
    """The time along the critical path: more workers do not make it shorter."""


def preview(store: Store, project: Path, spec_id: str, *, workers: int = 1) -> ExecutionPlan:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    everything = in_order(tasks_of(store, name))
    own = [task for task in everything if task.spec_id == spec.id]
    opened = {task.id: task for task in own if task.status not in DONE}
    history = taken_by_tasks(store, name)
    planned = {task.id: _planned(task, opened, history) for task in opened.values()}
    graph = {each.id: each.dependencies for each in planned.values()}
    seconds = {each.id: each.estimate.seconds if each.estimate else 1.0 for each in planned.values()}
    path = critical_path(graph, seconds)
    known = [each.estimate for each in planned.values() if each.estimate]
    return ExecutionPlan(
        id=spec.id,
        title=spec.title,
        workers=workers,
        completed=len(own) - len(opened),
        waves=[[planned[each] for each in wave] for wave in waves(graph)],
        critical_path=path,
        waiting=_waiting(opened.values(), everything),
        total=_total(known, time_with_workers(graph, seconds, workers)) if known else None,
        shortest_seconds=sum(seconds[each] for each in path) if known else None,
    )


def _planned(task: Task, opened: dict[str, Task], history: Sequence[Taken]) -> PlannedTask:
    source, samples = _samples(task, history)
    return PlannedTask(
        id=task.id,
        title=task.title,
        dependencies=tuple(need for need in task.dependencies if need in opened),
        estimate=_mean(samples) if samples else None,
        source=source,
        samples=len(samples),
    )


def _samples(task: Task, history: Sequence[Taken]) -> tuple[Source | None, list[Taken]]:
    """The nearest completed tasks: same spec and kind, same kind, any."""
    same_kind = [each for each in history if each.is_pipeline == task.has_roles]
    same_spec = [each for each in same_kind if each.spec_id == task.spec_id]
    if same_spec:
        return "spec", same_spec
    found = same_kind or list(history)
    return ("project" if found else None), found


def _mean(samples: Sequence[Taken]) -> Estimate:
    costs = [each.usd for each in samples if each.usd is not None]
    return Estimate(
        iterations=round(sum(each.iterations for each in samples) / len(samples), 2),
        seconds=sum(each.seconds for each in samples) / len(samples),
        cost_usd=round(sum(costs) / len(costs), CENTS) if costs else None,
    )


def _total(parts: Sequence[Estimate], seconds: float) -> Estimate:
    costs = [each.cost_usd for each in parts]
    known = [each for each in costs if each is not None]
    return Estimate(
        iterations=round(sum(each.iterations for each in parts), 1),
        seconds=seconds,
        # A sum without one of its parts would be too small.
        cost_usd=round(sum(known), CENTS) if len(known) == len(costs) else None,
    )


def _waiting(opened: Iterable[Task], everything: Sequence[Task]) -> list[Waiting]:
    by_id = {task.id: task for task in everything}
    return [
        Waiting(task.id, need.id, need.spec_id)
        for task in opened
        for need in (by_id[name] for name in task.dependencies)
        if need.spec_id != task.spec_id and need.status not in DONE
    ]
