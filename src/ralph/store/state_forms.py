"""The content of the files in the state directory, in forms that can be read without ralph. Times are in
milliseconds.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from ralph.model.evidence import Evidence
from ralph.model.proof import Finding, Proof
from ralph.model.reviews import Decision, IssueCounts, Review, ReviewIssue, Settled, Tier, counts

MILLISECONDS = 1000


class VerificationResult(Struct, frozen=True, rename="camel"):
    """The result of one step of a verification. All fields after the first five are ralph's own."""

    step: str
    command: str
    passed: bool
    output: str
    duration: int
    required: bool = True
    reason: str = ""
    exit_code: int | None = None
    log: str = ""
    """The file with the whole output, relative to the project."""
    proof: Proof | None = None
    findings: tuple[Finding, ...] = ()


class ReviewEntry(Struct, frozen=True, rename="camel"):
    """One review of an iteration."""

    tier: Tier
    reviewer: str
    decision: Decision | None
    issues: tuple[ReviewIssue, ...]
    summary: IssueCounts
    problem: str = ""
    note: str = ""
    answers: dict[str, Settled] = {}
    unseen: tuple[str, ...] = ()
    commit: str = ""
    tree: str = ""
    stands: bool = False


class ReviewFile(Struct, frozen=True, rename="camel"):
    """The decisive review, and all reviews of the iteration in order."""

    decision: Decision | None
    """The decision; None if the reviewer made none."""
    issues: tuple[ReviewIssue, ...]
    summary: IssueCounts
    reviews: tuple[ReviewEntry, ...]


def verification_results(seen: Evidence, commands: Mapping[str, str], outputs: Mapping[str, str]) -> list[Any]:
    """One result for each part. `commands` are the steps' commands by name, `outputs` the content of the logs."""
    return [_result(each, commands, outputs) for each in seen.parts or (seen,)]


def _result(seen: Evidence, commands: Mapping[str, str], outputs: Mapping[str, str]) -> VerificationResult:
    return VerificationResult(
        step=seen.check,
        command=commands.get(seen.check, ""),
        passed=seen.passed,
        output=seen.output or outputs.get(seen.log, ""),
        duration=round(seen.duration * MILLISECONDS),
        required=seen.required,
        reason=seen.reason,
        exit_code=seen.exit_code,
        log=seen.log,
        proof=seen.proof,
        findings=seen.findings,
    )


def review_file(reviews: Sequence[Review]) -> ReviewFile:
    """The file for these reviews. The last one decided: after a review that requests changes comes another
    iteration.
    """
    entries = tuple(map(_entry, reviews))
    last = entries[-1]
    return ReviewFile(last.decision, last.issues, last.summary, entries)


def _entry(review: Review) -> ReviewEntry:
    return ReviewEntry(
        tier=review.tier,
        reviewer=review.reviewer,
        decision=review.decision or None,
        issues=review.issues,
        summary=counts(review.issues),
        problem=review.problem,
        note=review.note,
        answers=dict(review.answers),
        unseen=review.unseen,
        commit=review.commit,
        tree=review.tree,
        stands=review.stands,
    )


class _Check(Struct):
    command: str = ""
    stages: tuple["_Part", ...] = ()


class _Part(Struct):
    name: str = ""
    check: _Check = field(default_factory=_Check)


class _Loop(Struct):
    check: _Check | None = None
    stage: _Part = field(default_factory=_Part)


class _Options(Struct):
    """The part of a chunk's or stage's stored options that matters here."""

    loop: _Loop = field(default_factory=_Loop)


def commands_in(options: bytes) -> dict[str, str]:
    """The command of each step by its name, from the options of a run."""
    try:
        loop = msgspec.json.decode(options, type=_Options).loop
    except msgspec.DecodeError:
        return {}
    check = loop.check or loop.stage.check
    own = {" ".join(check.command.split()): check.command} if check.command else {}
    return own | {part.name: part.check.command for part in check.stages}


def form(value: Any) -> bytes:
    """The value as the content of a file, for people and programs."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
