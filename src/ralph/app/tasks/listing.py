"""The specs and tasks of a project for lists. Reading them needs only the store."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from ralph.kernel.completion import criterion_data
from ralph.kernel.task_rules import in_order
from ralph.model.tasks import OutputSummary, Spec, Task
from ralph.store.projects import known_project
from ralph.store.runs import runs_under_way
from ralph.store.sql import Store
from ralph.store.state_dir import NAME
from ralph.store.tasks import get_spec, get_task, specs_of, tasks_of

FILE = "spec.md"


class TaskFields(Struct, frozen=True, kw_only=True, rename="camel"):
    """What every view of a task has."""

    id: str
    spec_id: str
    title: str
    description: str
    status: str
    """The status; "interrupted" if its run was killed."""
    priority: int
    dependencies: tuple[str, ...]
    assignee: str
    created_at: float
    updated_at: float
    metadata: dict[str, Any]
    iteration: int
    outcome: str | None


class TaskSummary(TaskFields, frozen=True, kw_only=True, rename="camel"):
    acceptance_criteria: tuple[str | dict[str, str], ...]
    """The criteria in the form of task files."""
    may_change: tuple[str, ...]
    relevant_files: tuple[str, ...]
    max_iterations: int | None
    summary: OutputSummary | None
    error: str


class SpecTasks(Struct, frozen=True, rename="camel"):
    id: str
    title: str
    file: str | None
    """The file with its text, relative to the project, if it has one."""
    config: dict[str, Any]
    """Its overrides of the settings."""
    created_at: float
    updated_at: float
    tasks: list[TaskSummary]
    """The tasks in the order in which they run."""


def list_tasks(store: Store, project: Path, spec: str | None = None) -> list[TaskSummary]:
    """The tasks of a spec or of the whole project, in the order in which they run."""
    name = known_project(store, project)
    if spec is not None:
        get_spec(store, name, spec)
    under_way = runs_under_way(store, name)
    return [summary(task, under_way) for task in in_order(tasks_of(store, name, spec))]


def find_task(store: Store, project: Path, task_id: str) -> Task:
    return get_task(store, known_project(store, project), task_id)


def list_specs(store: Store, project: Path) -> list[SpecTasks]:
    name = known_project(store, project)
    under_way = runs_under_way(store, name)
    tasks: dict[str, list[Task]] = {}
    for task in tasks_of(store, name):
        tasks.setdefault(task.spec_id, []).append(task)
    return [_with_tasks(project, spec, tasks.get(spec.id, []), under_way) for spec in specs_of(store, name)]


def open_spec(store: Store, project: Path, spec_id: str) -> SpecTasks:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    return _with_tasks(project, spec, tasks_of(store, name, spec.id), runs_under_way(store, name))


def spec_file(project: Path, spec_id: str) -> Path:
    return project / NAME / "specs" / spec_id / FILE


def state_of(task: Task, under_way: Iterable[str]) -> str:
    """The state of a task; no task is shown as running forever."""
    return "interrupted" if task.status == "running" and task.id not in under_way else task.status


def summary(task: Task, under_way: Iterable[str]) -> TaskSummary:
    done = task.completion_spec
    return TaskSummary(
        id=task.id,
        spec_id=task.spec_id,
        title=task.title,
        description=task.description,
        status=state_of(task, under_way),
        priority=task.priority,
        dependencies=task.dependencies,
        assignee=task.assignee,
        created_at=task.created_at,
        updated_at=task.updated_at,
        metadata=task.metadata,
        iteration=task.iteration,
        outcome=done.outcome if done else None,
        acceptance_criteria=tuple(criterion_data(each) for each in done.acceptance_criteria) if done else (),
        may_change=task.may_change,
        relevant_files=task.relevant_files,
        max_iterations=task.max_iterations,
        summary=task.summary,
        error=task.error,
    )


def _with_tasks(project: Path, spec: Spec, tasks: list[Task], under_way: Iterable[str]) -> SpecTasks:
    file = spec_file(project, spec.id)
    return SpecTasks(
        id=spec.id,
        title=spec.title,
        file=str(file.relative_to(project)) if file.is_file() else None,
        config=spec.config,
        created_at=spec.created_at,
        updated_at=spec.updated_at,
        tasks=[summary(task, under_way) for task in in_order(tasks)],
    )
