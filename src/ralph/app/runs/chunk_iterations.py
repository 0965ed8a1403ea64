"""The iterations of a chunk in the form that other programs know, beside ralph's own: a view of the journal."""

from typing import Any, Literal

import msgspec

from ralph.app.runs.history import IterationAttempt, Past, Step
from ralph.app.runs.views import PROMPTS, IterationView, iteration_view
from ralph.model.evidence import Evidence
from ralph.model.reviews import Review, ReviewResult
from ralph.store.attempt_folders import number_in
from ralph.store.state_forms import MILLISECONDS, commands_in, verification_results

Phase = Literal["executing", "verifying", "reviewing", "completed", "failed"]
EXECUTING = ("build-context", *PROMPTS, "run-agent", "restore-protected", "save-work")
REVIEWING = ("find-review", "run-reviewer", "anchor-issues", "review", "confirm-tip", "await-approval", "ask-model")
SHIPPED = ("read-work", "deliver-work", "write-proof", "keep-summary")
AGENT, SAVED, VERIFY, REVIEW, FEEDBACK = "run-agent", "save-work", "verify", "review", "feedback"


class ChunkIteration(IterationView, frozen=True, kw_only=True, rename="camel"):
    """One attempt at a chunk. Times are in milliseconds."""

    id: str
    chunk_id: str
    iteration: int
    """The number among all attempts at the chunk; `number` counts those of its run."""
    status: Phase
    execution_output: str | None = None
    execution_duration: int | None = None
    commit_hash: str | None = None
    verification_results: list[Any] | None = None
    review_result: ReviewResult | None = None
    feedback_for_next_iteration: str | None = None
    created_at: int = 0
    completed_at: int | None = None
    run_id: str = ""


def chunk_iterations(past: Past) -> list[ChunkIteration]:
    """The iterations of one run, in order."""
    made = [attempt for attempt in past.attempts if attempt.work]
    commands = commands_in(past.options)
    return [_view(past, attempt, commands, is_last=attempt is made[-1]) for attempt in made]


def commit_of(attempt: IterationAttempt) -> str:
    """The commit of the attempt; empty if it was not committed."""
    saved: dict[str, Any] = _last(attempt, SAVED) or {}
    return str(saved.get("commit", ""))


def number_of(attempt: IterationAttempt) -> int:
    """The number among all attempts at the chunk, from its folder."""
    return number_in(attempt.files.rpartition("/")[2], "iteration") or attempt.number


def _view(past: Past, attempt: IterationAttempt, commands: dict[str, str], *, is_last: bool) -> ChunkIteration:
    own = iteration_view(attempt)
    report: dict[str, Any] = _last(attempt, AGENT) or {}
    status = _phase(past, attempt, is_last=is_last)
    rows = [row for step in attempt.steps for row in (step.begun, step.end) if row]
    is_over = status in ("completed", "failed")
    return ChunkIteration(
        **{name: getattr(own, name) for name in IterationView.__struct_fields__},
        id=f"{past.run.id}/{attempt.number}" + (f".{attempt.attempt}" if attempt.attempt > 1 else ""),
        chunk_id=past.run.task_id or "",
        iteration=number_of(attempt),
        status=status,
        execution_output=report.get("final"),
        execution_duration=_milliseconds(report.get("duration")),
        commit_hash=commit_of(attempt) or None,
        verification_results=_verification(attempt, commands),
        review_result=_review(attempt),
        feedback_for_next_iteration=own.feedback or None,
        created_at=round(rows[0].at * MILLISECONDS),
        completed_at=round(rows[-1].at * MILLISECONDS) if is_over else None,
        run_id=past.run.id,
    )


def _phase(past: Past, attempt: IterationAttempt, *, is_last: bool) -> Phase:
    """The phase of an attempt: `completed` after SHIP, `failed` after any other end, before that by its last action."""
    kinds = [step.first.name.kind for step in attempt.steps]
    if FEEDBACK in kinds or not is_last:
        return "failed"
    if any(kind in SHIPPED for kind in kinds):
        return "completed"
    if past.run.status == "ended":
        return "failed"
    last = [step for step in attempt.steps if step.first.name.kind != "give-up"][-1]
    return _phase_of(last)


def _phase_of(step: Step) -> Phase:
    kind, _, name = step.first.name
    if kind in EXECUTING:
        return "executing"
    return "reviewing" if kind in REVIEWING and not name.startswith("judge") else "verifying"


def _verification(attempt: IterationAttempt, commands: dict[str, str]) -> list[Any] | None:
    seen = [step.end for step in attempt.steps if step.end and step.end.name.kind == VERIFY and _is_whole(step)]
    return verification_results(msgspec.json.decode(seen[-1].body, type=Evidence), commands, {}) if seen else None


def _is_whole(step: Step) -> bool:
    """Whether it is a whole verification, and not the answer of a judge or a person beside it."""
    name = step.first.name.name
    return not name or name.startswith("again")


def _review(attempt: IterationAttempt) -> ReviewResult | None:
    made = [step.end for step in attempt.steps if step.end and step.end.name.kind == REVIEW]
    return msgspec.json.decode(made[-1].body, type=Review).result if made else None


def _last(attempt: IterationAttempt, kind: str) -> Any:
    """The latest result of this kind."""
    ended = [step.end for step in attempt.steps if step.end and step.end.what == "ended" and step.end.name.kind == kind]
    return msgspec.json.decode(ended[-1].body) if ended else None


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * MILLISECONDS)
