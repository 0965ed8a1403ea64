"""What the runs of a task have shown so far: each stage, and each acceptance criterion."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct, field
from sqlalchemy import Connection, select

from ralph.model.evidence import Evidence
from ralph.model.runs import Run
from ralph.model.tasks import Task
from ralph.store import schema
from ralph.store.journal import entries
from ralph.store.runs import from_row

TASK, STAGE = "task", "stage"


class Seen(Struct, frozen=True):
    passed: bool
    reason: str
    role: str
    run_id: str


class StageSeen(Struct, frozen=True):
    role: str
    run_id: str
    status: str
    verdict: str | None
    reason: str
    iterations: int
    limit: int


class TaskEvidence(Struct, frozen=True):
    criteria: dict[str, Seen] = field(default_factory=dict[str, Seen])
    """By the text of the criterion: the latest that was seen of it."""
    stages: list[StageSeen] = field(default_factory=list[StageSeen])
    """Of the latest run, in the order in which they began."""
    last_reason: str = ""


def evidence_of(connection: Connection, project: str, task: Task) -> TaskEvidence:
    whole = _runs(connection, recipe=TASK, project=project, task_id=task.id)[-1:]
    if whole:
        stages = _runs(connection, recipe=STAGE, parent_id=whole[0].id)
    else:
        # The latest of each role, in their order.
        latest = {
            _options(run)["role"]: run for run in _runs(connection, recipe=STAGE, project=project, task_id=task.id)
        }
        stages = sorted(latest.values(), key=lambda run: run.started_at)
    criteria = task.completion_spec.acceptance_criteria if task.completion_spec else ()
    seen: dict[str, Seen] = {}
    for run in stages:
        for part in _parts(connection, run):
            if part.check in criteria:
                seen[part.check] = Seen(part.passed, part.reason, _options(run)["role"], run.id)
    last_reason = next((run.reason for run in reversed([*stages, *whole]) if run.reason), "")
    return TaskEvidence(seen, [_stage(run) for run in stages], last_reason)


def _runs(connection: Connection, **wanted: str) -> list[Run]:
    query = select(schema.runs).order_by(schema.runs.c.started_at)
    for name, value in wanted.items():
        query = query.where(schema.runs.c[name] == value)
    return [from_row(row) for row in connection.execute(query).mappings()]


def _stage(run: Run) -> StageSeen:
    stage = _options(run)
    return StageSeen(stage["role"], run.id, run.status, run.verdict, run.reason, run.iterations, stage["limit"])


def _options(run: Run) -> dict[str, Any]:
    return run.options["loop"]["stage"]


def _parts(connection: Connection, run: Run) -> Iterator[Evidence]:
    """Of every verification, in the order in which they were made."""
    for entry in entries(connection, run.id):
        if entry.kind == "verify" and entry.result is not None:
            yield from _within(msgspec.json.decode(entry.result, type=Evidence))


def _within(evidence: Evidence) -> Iterator[Evidence]:
    yield evidence
    for part in evidence.parts:
        yield from _within(part)
