"""Runs for programs: the JSON of `runs`, `show` and `status`, and of the web API."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ralph.app.runs.history import IterationAttempt, Past, Step
from ralph.model.runs import Run

CHECK, VERIFICATION = "run-check", "verify"
TRIAL = "try-check"
FEEDBACK = "feedback"
PROMPTS = ("read-prompt", "read-guidance")
"""The actions that look for a prompt; the second one is only in runs of an earlier version of ralph."""
FOUND = ("text", "guidance", "texts")
Iterations = TypeVar("Iterations")


class RunFacts(Struct, Generic[Iterations], frozen=True, kw_only=True, rename="camel"):
    id: str
    parent_id: str | None
    recipe: str
    status: str
    verdict: str | None
    reason: str
    proof: str
    """How much the end proves: `checked`, `warned`, `judged` or `word`; empty if the run is not verified."""
    iterations: Iterations
    started_at: float
    ended_at: float | None
    cost_usd: float | None
    tokens: int
    project: str


class RunView(RunFacts[int], frozen=True, kw_only=True, rename="camel"):
    """A run in a list: `iterations` is their number."""


class ActionView(Struct, frozen=True, rename="camel"):
    kind: str
    attempt: int
    started_at: float
    ended_at: float | None
    error: str | None
    result: Any
    """The stored result; None if there is none."""
    action: Any
    """The stored action; None for a read."""
    key: str


class IterationView(Struct, frozen=True):
    number: int
    attempt: int
    actions: list[ActionView]
    evidence: list[Any]
    feedback: str
    """What the next iteration was told about this one."""


class PastView(RunFacts[list[IterationView]], frozen=True, kw_only=True, rename="camel"):
    """A run with everything that is known about it."""

    doubts: tuple[str, ...] = ()
    """What a person must look at although the run is verified."""
    parts: "list[PastView] | UnsetType" = UNSET


def run_view(run: Run) -> RunView:
    return RunView(**run_fields(run))


def run_fields(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "parent_id": run.parent_id,
        "recipe": run.recipe,
        "status": run.status,
        "verdict": run.verdict,
        "reason": run.reason,
        "proof": run.proof,
        "iterations": run.iterations,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "cost_usd": run.cost_usd,
        "tokens": run.tokens.total,
        "project": run.project,
    }


def past_view(past: Past, iterations: Callable[[Past], Sequence[IterationView]] | None = None) -> PastView:
    """The view of a run. `iterations` makes those of the run and of each part, instead of the usual form."""
    fields = run_fields(past.run)
    fields["iterations"] = list((iterations or iteration_views)(past))
    parts = [past_view(part, iterations) for part in past.parts]
    return PastView(**fields, doubts=past.doubts, parts=parts or UNSET)


def iteration_views(past: Past) -> list[IterationView]:
    # What comes before the first iteration is reported as a whole by the run.
    return [iteration_view(attempt) for attempt in past.attempts if attempt.number]


def iteration_view(attempt: IterationAttempt) -> IterationView:
    """The view of an attempt. The feedback has its own field, and a look for a prompt that found nothing new is left
    out.
    """
    actions = [action_view(step) for step in attempt.steps]
    told = [each.result["text"] for each in actions if each.kind == FEEDBACK and _has(each.result, "text")]
    shown = [each for each in actions if each.kind != FEEDBACK and not _found_nothing(each)]
    return IterationView(attempt.number, attempt.attempt, shown, _evidence(shown), "".join(told[-1:]))


def _found_nothing(action: ActionView) -> bool:
    """Whether the action looked for a prompt file and for guidance, and found neither."""
    found = action.result
    return action.kind in PROMPTS and found is not None and not any(_has(found, name) and found[name] for name in FOUND)


def _evidence(actions: list[ActionView]) -> list[Any]:
    """The evidence, each piece once: a verification contains the checks that it is made of."""
    is_verified = any(each.kind == VERIFICATION for each in actions)
    alone = [each for each in actions if each.kind != TRIAL and not (is_verified and each.kind == CHECK)]
    return [each.result for each in alone if _has(each.result, "passed")]


def action_view(step: Step) -> ActionView:
    first, end = step.first, step.end
    said = _stored(end.body) if end else None
    failed = end is not None and end.what == "failed"
    return ActionView(
        kind=first.name.kind,
        attempt=first.attempt,
        started_at=first.at,
        ended_at=end.at if end else None,
        error=str(said) if failed else None,
        result=None if failed else said,
        action=_stored(step.begun.body) if step.begun else None,
        key=first.key,
    )


def _has(stored: Any, name: str) -> bool:
    return isinstance(stored, dict) and name in stored


def _stored(body: bytes) -> Any:
    """The stored value; what is not JSON is given as text."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode(errors="replace")
