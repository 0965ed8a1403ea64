"""What the runs of a task have shown so far, for each stage and each acceptance criterion.

It is read from the columns of the runs and from plain JSON, so that runs of another version of ralph, with recipes that
this one does not know, are shown, too.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec
from msgspec import Struct, field

from ralph.model.rows import Row
from ralph.model.runs import Run, name_of_part
from ralph.model.tasks import Task
from ralph.store.journal import rows_of
from ralph.store.runs import runs_of_task
from ralph.store.sql import Store

STAGE, VERIFY = "stage", "verify"


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
    limit: int | None


class TaskEvidence(Struct, frozen=True):
    criteria: dict[str, Seen] = field(default_factory=dict[str, Seen])
    """The latest evidence for each criterion, by its text."""
    stages: list[StageSeen] = field(default_factory=list[StageSeen])
    """The stages of the latest run, in the order in which they began."""
    last_reason: str = ""


class _Check(Struct):
    command: str = ""
    covers: tuple[int, ...] = ()
    stages: tuple["_Part", ...] = ()


class _Part(Struct):
    name: str = ""
    check: _Check = field(default_factory=_Check)


class _Task(Struct):
    acceptance: tuple[str, ...] = ()


class _StageOptions(Struct):
    stage: _Part = field(default_factory=_Part)
    check: _Check | None = None
    """The check of a chunk, which has no stage."""
    task: _Task = field(default_factory=_Task)


class _Options(Struct):
    """The part of a stage's or chunk's stored options that matters here."""

    loop: _StageOptions = field(default_factory=_StageOptions)


def evidence_of(store: Store, project: str, task: Task, mask: Callable[[str], str]) -> TaskEvidence:
    """The evidence. Journals have no secrets in them, so a criterion that has one is found by its masked text."""
    whole, stages = _latest(runs_of_task(store, project, task.id))
    wanted = {mask(each): each for each in (task.completion_spec.asked if task.completion_spec else ())}
    seen: dict[str, Seen] = {}
    for run in (*stages, *whole):
        rows = rows_of(store, run.id)
        covering = _covering(rows, mask)
        for parts in _verifications(rows):
            for criterion, part in _by_criterion(parts, covering).items():
                if criterion in wanted:
                    reason = str(part.get("reason", ""))
                    seen[wanted[criterion]] = Seen(bool(part.get("passed")), reason, _role(run), run.id)
    reasons = [run.reason for run in (*stages, *whole) if run.reason]
    return TaskEvidence(seen, [_stage(run) for run in stages], reasons[-1] if reasons else "")


def _latest(runs: list[Run]) -> tuple[list[Run], list[Run]]:
    """The latest run of the whole task, if there is one, and the stages that count."""
    ids = {run.id for run in runs}
    tops = [run for run in runs if run.parent_id not in ids]
    whole = [run for run in tops if run.recipe != STAGE][-1:]
    if whole:
        return whole, [run for run in runs if run.is_part and run.parent_id == whole[0].id]
    # The latest run of each role, in order.
    latest = {_role(run): run for run in tops}
    return [], sorted(latest.values(), key=lambda run: run.started_at)


def _role(run: Run) -> str:
    """The role of a run. Its label names the task and the role; otherwise its place in the task shows it."""
    task, _, role = run.label.partition(" ")
    if run.recipe != STAGE and run.label == run.task_id:
        return run.recipe
    return role if role and task == run.task_id else name_of_part(run.id)


def _stage(run: Run) -> StageSeen:
    return StageSeen(_role(run), run.id, run.status, run.verdict, run.reason, run.iterations, run.limit)


def _verifications(rows: list[Row]) -> Iterator[list[dict[str, Any]]]:
    """The parts of each verification, in the order in which they were made."""
    for row in rows:
        if row.what == "ended" and row.name.kind == VERIFY:
            yield list(_within(msgspec.json.decode(row.body)))


def _by_criterion(parts: list[dict[str, Any]], covering: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
    """What one verification saw of each criterion: a judge names the criterion itself, a command covers some. If
    several say something about it, one that failed counts.
    """
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        name = str(part.get("check"))
        for criterion in (name, *covering.get(name, ())):
            if found.setdefault(criterion, part).get("passed"):
                found[criterion] = part
    return found


def _covering(rows: list[Row], mask: Callable[[str], str]) -> dict[str, list[str]]:
    """The criteria that a command covers, by its name in the evidence, as sealed in the first row of the run's
    journal. That row is as people wrote it, unlike the evidence.
    """
    try:
        loop = msgspec.json.decode(rows[0].body if rows else b"{}", type=_Options).loop
    except msgspec.DecodeError:
        return {}
    check, acceptance = loop.check or loop.stage.check, loop.task.acceptance
    named = {" ".join(check.command.split()): check, **{part.name: part.check for part in check.stages}}
    return {
        mask(name): [mask(acceptance[n - 1]) for n in one.covers if 0 < n <= len(acceptance)]
        for name, one in named.items()
    }


def _within(evidence: Any) -> Iterator[dict[str, Any]]:
    if isinstance(evidence, dict):
        found = cast("dict[str, Any]", evidence)
        yield found
        for part in found.get("parts", ()):
            yield from _within(part)
