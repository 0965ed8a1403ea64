"""A new task from what a stage left open."""

import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace as changed

from ralph.app.tasks.coverage import renumbered
from ralph.app.tasks.evidence import TaskEvidence, evidence_of
from ralph.app.tasks.files import EXAMPLE, read_task, task_data
from ralph.app.tasks.tasks import TaskExists, rules, write_tasks
from ralph.config.layers import load
from ralph.model.errors import ConfigError
from ralph.model.tasks import Criterion, Task, TaskCompletionSpec
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_task, tasks_of
from ralph.workbench.masking import masking


class Wanted(Struct, frozen=True):
    """What a person says about the new task; the rest comes from the old one."""

    title: str | None = None
    id: str | None = None
    outcome: str | None = None
    acceptance: tuple[str, ...] = ()


def follow_up(store: Store, project: Path, task_id: str, wanted: Wanted) -> Task:
    while True:
        task = _left_over(store, project, task_id, wanted)
        # It goes through the form of files, so that the same rules apply.
        checked = read_task(task_data(task), f"task {task.id}", rules(project, without_criteria=True))
        try:
            write_tasks(store, project, [checked])
        except TaskExists:
            if wanted.id:
                raise
            # Another process has taken the next free id meanwhile: the one after it is free.
        else:
            return checked


def _left_over(store: Store, project: Path, task_id: str, wanted: Wanted) -> Task:
    name = known_project(store, project)
    old = get_task(store, name, task_id)
    if old.status == "completed" and not wanted.acceptance and not wanted.outcome:
        raise ConfigError(
            f"task {old.id} is verified: nothing is left over.", f"Say what is missing with --acceptance. {EXAMPLE}"
        )
    evidence = evidence_of(store, name, old, masking(load(project).settings, project))
    now = time.time()
    return Task(
        id=wanted.id or _next_id(old.id, {task.id for task in tasks_of(store, name)}),
        spec_id=old.spec_id,
        title=wanted.title or old.title,
        description=_description(old, evidence),
        priority=old.priority,
        dependencies=(old.id,) if old.status == "completed" else old.dependencies,
        created_at=now,
        updated_at=now,
        completion_spec=_completion(old, evidence, wanted),
        may_change=old.may_change,
        relevant_files=old.relevant_files,
        max_iterations=old.max_iterations,
    )


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
    given = tuple(Criterion("judge", text) for text in wanted.acceptance)
    if before is None:
        if not wanted.acceptance and not wanted.outcome:
            return None
        return TaskCompletionSpec(wanted.outcome or "", given)
    acceptance = given or tuple(
        criterion
        for criterion in before.acceptance_criteria
        if not (seen := evidence.criteria.get(criterion.asked)) or not seen.passed
    )
    if not acceptance:
        raise ConfigError(
            f"every criterion of {old.id} has been verified: nothing is left over.",
            f"Say what is missing with --acceptance. {EXAMPLE}",
        )
    asked = tuple(each.asked for each in acceptance)
    roles = {
        name: changed(each, verification_config=renumbered(each.verification_config, before, asked))
        for name, each in before.roles.items()
    }
    return changed(before, outcome=wanted.outcome or before.outcome, acceptance_criteria=acceptance, roles=roles)
