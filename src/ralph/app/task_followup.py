"""A new task from what a stage left over."""

import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace as changed

from ralph.app.specs import open_project
from ralph.app.task_evidence import TaskEvidence, evidence_of
from ralph.app.task_files import EXAMPLE, read_task, task_data
from ralph.app.tasks import rules, write_tasks
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task, TaskCompletionSpec
from ralph.store.tasks import get_task, tasks_of


class Wanted(Struct, frozen=True):
    """What a person says of the new task; the rest comes from the old one."""

    title: str | None = None
    id: str | None = None
    outcome: str | None = None
    acceptance: tuple[str, ...] = ()


def follow_up(project: Path, task_id: str, wanted: Wanted) -> Task:
    connection, name = open_project(project)
    old = get_task(connection, name, task_id)
    evidence = evidence_of(connection, name, old)
    now = time.time()
    task = Task(
        id=wanted.id or _next_id(old.id, {task.id for task in tasks_of(connection, name)}),
        spec_id=old.spec_id,
        title=wanted.title or old.title,
        description=_description(old, evidence),
        priority=old.priority,
        dependencies=(old.id,) if old.status == "completed" else old.dependencies,
        created_at=now,
        updated_at=now,
        completion_spec=_completion(old, evidence, wanted),
    )
    # Through the shape of files, so that what was given is held to the same rules.
    checked = read_task(task_data(task), f"task {task.id}", rules(project, without_criteria=True))
    write_tasks(project, [checked])
    return checked


def _next_id(old: str, taken: set[str]) -> str:
    number = 2
    while f"{old}-{number}" in taken:
        number += 1
    return f"{old}-{number}"


def _description(old: Task, evidence: TaskEvidence) -> str:
    reason = f": {evidence.last_reason}" if evidence.last_reason else ""
    left_over = f"Left over from {old.id}{reason.rstrip('.')}."
    return "\n\n".join(part for part in (left_over, old.description) if part)


def _completion(old: Task, evidence: TaskEvidence, wanted: Wanted) -> TaskCompletionSpec | None:
    before = old.completion_spec
    if before is None:
        if not wanted.acceptance and not wanted.outcome:
            return None
        return TaskCompletionSpec(wanted.outcome or "", wanted.acceptance)
    acceptance = wanted.acceptance or tuple(
        criterion
        for criterion in before.acceptance_criteria
        if not (seen := evidence.criteria.get(criterion)) or not seen.passed
    )
    if not acceptance:
        raise ConfigError(
            f"every criterion of {old.id} has been verified: nothing is left over.",
            f"Say what is missing with --acceptance. {EXAMPLE}",
        )
    return changed(before, outcome=wanted.outcome or before.outcome, acceptance_criteria=acceptance)
