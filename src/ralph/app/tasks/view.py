"""One task for people and programs: criteria with the evidence for each, roles with their runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import replace

from ralph.app.tasks.evidence import StageSeen, TaskEvidence, evidence_of
from ralph.app.tasks.listing import TaskFields, TaskSummary, state_of, summary
from ralph.app.tasks.roles import role_defaults
from ralph.config.layers import load
from ralph.config.schema import Settings
from ralph.kernel.completion import RoleDefaults, default_criteria
from ralph.model.tasks import Criterion, CriterionKind, OutputSummary, Task
from ralph.model.verification import Method
from ralph.store.projects import known_project
from ralph.store.runs import runs_under_way
from ralph.store.sql import Store
from ralph.store.tasks import get_task, tasks_of
from ralph.workbench.masking import masking


class CriterionView(Struct, frozen=True, rename="camel"):
    criterion: str
    """The text for people."""
    kind: CriterionKind = "judge"
    command: str = ""
    """The command of a check."""
    passed: bool | None = None
    """Whether it passed; None if nobody has verified it yet."""
    reason: str = ""
    role: str | None = None
    run_id: str | None = None


class RoleView(Struct, frozen=True, kw_only=True, rename="camel"):
    role: str
    given: bool
    """Whether the task itself gives them; otherwise these are the role's defaults."""
    promise: str
    description: str
    verification_method: Method
    verification_config: dict[str, Any]
    max_iterations: int
    iterations: int = 0
    """The iterations of its latest run, like the fields below."""
    status: str | None = None
    verdict: str | None = None
    reason: str = ""
    run_id: str | None = None


class TaskView(TaskFields, frozen=True, kw_only=True, rename="camel"):
    """The fields of a `TaskSummary`, with the evidence for each criterion, and more."""

    acceptance_criteria: tuple[CriterionView, ...]
    may_change: tuple[str, ...]
    relevant_files: tuple[str, ...]
    max_iterations: int | None
    summary: OutputSummary | None
    error: str
    roles: list[RoleView]
    last_reason: str


class OpenTask(Struct, frozen=True, rename="camel"):
    task: TaskView
    dependencies: dict[str, str]
    """The tasks that it waits for, with the state of each."""
    tries: int | None = None
    """How many times it is tried, if it runs as a chunk."""


def open_task(store: Store, project: Path, task_id: str) -> OpenTask:
    name = known_project(store, project)
    task = get_task(store, name, task_id)
    under_way = runs_under_way(store, name)
    states = {each.id: state_of(each, under_way) for each in tasks_of(store, name)}
    settings = load(project).settings
    evidence = evidence_of(store, name, task, masking(settings, project))
    roles = _roles(task, evidence, settings)
    criteria = task.completion_spec.acceptance_criteria if task.completion_spec else ()
    shown = _view(summary(task, under_way), criteria, evidence, roles)
    tries = None if task.has_roles else task.max_iterations or settings.defaults.max_iterations
    return OpenTask(shown, {each: states[each] for each in task.dependencies}, tries)


def _view(task: TaskSummary, criteria: Iterable[Criterion], evidence: TaskEvidence, roles: list[RoleView]) -> TaskView:
    fields = {name: getattr(task, name) for name in task.__struct_fields__}
    fields["acceptance_criteria"] = tuple(_criterion(each, evidence) for each in criteria)
    return TaskView(**fields, roles=roles, last_reason=evidence.last_reason)


def _roles(task: Task, evidence: TaskEvidence, settings: Settings) -> list[RoleView]:
    """The roles that it passes through, those with criteria, and those that ran. A chunk passes through none."""
    given = task.completion_spec.roles if task.completion_spec else {}
    latest = {stage.role: stage for stage in evidence.stages}
    passed = [name for name in settings.pipeline if name not in settings.roles or settings.roles[name].enabled]
    names = dict.fromkeys([*(passed if task.has_roles else ()), *given, *latest])
    defaults = role_defaults(settings)
    return [_role(name, task, defaults.get(name, RoleDefaults()), latest.get(name)) for name in names]


def _role(name: str, task: Task, role: RoleDefaults, stage: StageSeen | None) -> RoleView:
    given = task.completion_spec.roles.get(name) if task.completion_spec else None
    criteria = given or default_criteria(name, role, task.title, task.completion_spec)
    limit = stage.limit if stage else None
    return RoleView(
        role=name,
        given=given is not None,
        promise=criteria.promise,
        description=criteria.description,
        verification_method=criteria.verification_method,
        verification_config=criteria.verification_config,
        max_iterations=limit or criteria.max_iterations or role.max_iterations,
        iterations=stage.iterations if stage else 0,
        status=stage.status if stage else None,
        verdict=stage.verdict if stage else None,
        reason=stage.reason if stage else "",
        run_id=stage.run_id if stage else None,
    )


def _criterion(each: Criterion, evidence: TaskEvidence) -> CriterionView:
    shown = CriterionView(each.text, each.kind, each.command)
    seen = evidence.criteria.get(each.asked)
    return replace(shown, **structs.asdict(seen)) if seen else shown
