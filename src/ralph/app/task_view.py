"""One task as people and programs want to see it: criteria with the evidence for each, roles with their runs."""

from pathlib import Path
from typing import Any

from msgspec import Struct

from ralph.app.specs import SpecTasks, open_project
from ralph.app.task_evidence import StageSeen, TaskEvidence, evidence_of
from ralph.app.task_roles import role_defaults
from ralph.app.tasks import TaskState, state_of
from ralph.config.layers import load
from ralph.config.schema import Settings
from ralph.kernel.completion import RoleDefaults, default_criteria
from ralph.model.tasks import CompletionCriteria, Task
from ralph.store.tasks import get_task, runs_under_way, tasks_of


class RoleView(Struct, frozen=True):
    name: str
    criteria: CompletionCriteria
    given: bool
    """By the task itself; otherwise these are the role's defaults."""
    limit: int
    stage: StageSeen | None
    """Its latest."""


class TaskView(Struct, frozen=True):
    task: Task
    state: str
    dependencies: dict[str, str]
    """With the state of each."""
    evidence: TaskEvidence
    roles: list[RoleView]


def open_task(project: Path, task_id: str) -> TaskView:
    connection, name = open_project(project)
    task = get_task(connection, name, task_id)
    under_way = runs_under_way(connection, name)
    states = {each.id: state_of(each, under_way) for each in tasks_of(connection, name)}
    evidence = evidence_of(connection, name, task)
    return TaskView(
        task,
        states[task.id],
        {each: states[each] for each in task.dependencies},
        evidence,
        _roles(task, evidence, load(project).settings),
    )


def task_json(shown: TaskState) -> dict[str, Any]:
    task = shown.task
    return {
        "id": task.id,
        "specId": task.spec_id,
        "title": task.title,
        "description": task.description,
        "status": shown.state,
        "priority": task.priority,
        "dependencies": list(task.dependencies),
        "assignee": task.assignee,
        "createdAt": task.created_at,
        "updatedAt": task.updated_at,
        "metadata": task.metadata,
        "iteration": task.iteration,
        "outcome": task.completion_spec.outcome if task.completion_spec else None,
        "acceptanceCriteria": list(task.completion_spec.acceptance_criteria) if task.completion_spec else [],
    }


def view_json(view: TaskView) -> dict[str, Any]:
    data = task_json(TaskState(view.task, view.state))
    data["acceptanceCriteria"] = [_criterion_json(text, view.evidence) for text in data["acceptanceCriteria"]]
    data["roles"] = [_role_json(role) for role in view.roles]
    data["lastReason"] = view.evidence.last_reason
    return data


def spec_json(found: SpecTasks, project: Path) -> dict[str, Any]:
    return {
        "id": found.spec.id,
        "title": found.spec.title,
        "file": str(found.file.relative_to(project)) if found.file else None,
        "createdAt": found.spec.created_at,
        "updatedAt": found.spec.updated_at,
        "tasks": [task_json(TaskState(task, state_of(task, found.under_way))) for task in found.tasks],
    }


def _roles(task: Task, evidence: TaskEvidence, settings: Settings) -> list[RoleView]:
    """Those that it passes through, those that it has criteria for, and those that ran."""
    given = task.completion_spec.roles if task.completion_spec else {}
    latest = {stage.role: stage for stage in evidence.stages}
    names = dict.fromkeys([*settings.pipeline, *given, *latest])
    defaults = role_defaults(settings)
    return [_role(name, task, defaults.get(name, RoleDefaults()), latest.get(name)) for name in names]


def _role(name: str, task: Task, role: RoleDefaults, stage: StageSeen | None) -> RoleView:
    given = task.completion_spec.roles.get(name) if task.completion_spec else None
    acceptance = task.completion_spec.acceptance_criteria if task.completion_spec else ()
    criteria = given or default_criteria(name, role, task.title, acceptance)
    limit = stage.limit if stage else criteria.max_iterations or role.max_iterations
    return RoleView(name, criteria, given is not None, limit, stage)


def _criterion_json(text: str, evidence: TaskEvidence) -> dict[str, Any]:
    seen = evidence.criteria.get(text)
    return {
        "criterion": text,
        "passed": seen.passed if seen else None,
        "reason": seen.reason if seen else "",
        "role": seen.role if seen else None,
        "runId": seen.run_id if seen else None,
    }


def _role_json(role: RoleView) -> dict[str, Any]:
    return {
        "role": role.name,
        "given": role.given,
        "promise": role.criteria.promise,
        "description": role.criteria.description,
        "verificationMethod": role.criteria.verification_method,
        "verificationConfig": role.criteria.verification_config,
        "maxIterations": role.limit,
        "iterations": role.stage.iterations if role.stage else 0,
        "status": role.stage.status if role.stage else None,
        "verdict": role.stage.verdict if role.stage else None,
        "reason": role.stage.reason if role.stage else "",
        "runId": role.stage.run_id if role.stage else None,
    }
