"""What the actions of tasks and their stages look like on the screen."""

from collections.abc import Iterator
from typing import Any

from ralph.cli import words
from ralph.kernel.actions import (
    AnyAction,
    Claim,
    Delivered,
    DeliverWork,
    FurnishWorktree,
    OpenWorktree,
    ReadClaim,
    SaveWork,
    Verify,
    WaitForChildren,
    Worktree,
)
from ralph.kernel.stage_text import claim_problem
from ralph.model.evidence import Evidence

SHORT_HASH = 8

Line = tuple[str, str]
"""The text and its style."""


def busy_words(action: AnyAction) -> str:
    match action:
        case Verify():
            return "verifying the promise"
        case OpenWorktree():
            return "opening the worktree"
        case FurnishWorktree(init=command) if command:
            return f"preparing the worktree: {command}"
        case DeliverWork():
            return "delivering the work"
        case WaitForChildren():
            return "waiting for child runs"
        case _:
            return ""


def ended_lines(action: AnyAction, result: Any) -> Iterator[Line]:
    match action:
        case ReadClaim(expected=expected, earlier=earlier):
            yield from _claimed(result, claim_problem(result, expected, earlier))
        case SaveWork() if result.changed:
            yield f"· committed as {result.commit[:SHORT_HASH]}", "quiet"
        case Verify():
            yield from verified(result)
        case OpenWorktree():
            kept = ", with the work of an earlier run" if result.reused else ""
            yield f"· worktree {result.path} on {result.branch}{kept}", "quiet"
        case FurnishWorktree(init=command, copy=copy) if command or copy:
            yield _mark(f"{command or 'worktree'}: {result.reason}", good=result.passed)
        case DeliverWork(worktree=worktree):
            yield from _delivered(result, worktree)
        case _:
            pass


def verified(seen: Evidence) -> Iterator[Line]:
    yield _mark(f"{seen.check}: {seen.reason} ({words.duration(seen.duration)})", good=seen.passed)
    for part in seen.parts:
        mark, style = ("✓", "quiet") if part.passed else ("✗", "bad") if part.required else ("!", "warn")
        yield f"  {mark} {part.check}: {part.reason}", style


def _claimed(claim: Claim, problem: str) -> Iterator[Line]:
    if problem:
        yield _mark(problem, good=False)
    elif claim.reject_stage:
        yield _mark(f"sent back to {claim.reject_stage}: {claim.reject_why}", good=False)


def _delivered(done: Delivered, worktree: Worktree) -> Iterator[Line]:
    if done.commit:
        yield f"· delivered as {done.commit[:SHORT_HASH]} on {worktree.spec_branch}", "quiet"
    elif not done.problem:
        yield "· nothing was changed, so there is nothing to deliver", "warn"
    if done.left:
        yield f"! the worktree is still there: {done.left}", "warn"


def _mark(line: str, *, good: bool) -> Line:
    return (f"✓ {line}", "good") if good else (f"✗ {line}", "bad")
