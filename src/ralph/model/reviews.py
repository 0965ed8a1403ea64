"""A review of a change: what a reviewer found, and which findings block it."""

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct

from ralph.model.events import Problem
from ralph.model.evidence import Result

Tier = Literal["quick", "deep", "final"]
TIERS: tuple[Tier, ...] = get_args(Tier)
"""The tiers: after each iteration, before a chunk is done, and before the whole branch is handed over."""
Decision = Literal["SHIP", "REVISE"]
Severity = Literal["high", "medium", "low"]
IssueType = Literal[
    "security",
    "race_condition",
    "memory_leak",
    "error_handling",
    "logic_bug",
    "accessibility",
    "syntax",
    "types",
    "architecture",
    "other",
]
Settled = Literal["fixed", "not fixed", "withdrawn"]
"""What a reviewer says about a finding of an earlier review."""


class ReviewBy(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Who reviews at a tier: a model through an agent, or the user's own program."""

    tier: Tier
    reviewer: str
    """The id of the `tools.reviewers` entry, or the name of the tier for a built-in reviewer."""
    model: str = ""
    """The model; empty means the agent's default model."""
    agent: str = ""
    """The agent; empty means that the model's vendor decides, and otherwise the run's agent."""
    command: str = ""
    """The program, if the reviewer is one. It reads the change as JSON, and prints its review as JSON."""
    checks: tuple[str, ...] = ()
    """What the reviewer looks for, instead of what its tier looks for."""
    name: str = ""
    """The reviewer's name on screens; empty means its id."""

    @property
    def called(self) -> str:
        return self.name or self.reviewer


class ReviewIssue(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One finding. Every reader of reviews knows its first seven fields."""

    file: str
    lines: tuple[int, int]
    """The first and the last line at the reviewed commit; zeros if the reviewer named none."""
    type: IssueType
    severity: Severity
    description: str
    suggestion: str
    agent_prompt: str
    """The text that tells an agent how to fix this."""
    quote: str = ""
    """The code in question, as the reviewer quoted it."""
    confidence: int = 100
    introduced: bool = True
    """Whether this change introduced the problem, and not an earlier one."""
    requirement: str = ""
    """The criterion that is not met, if the reviewer names one."""
    id: str = ""
    """An id that ralph assigns so that later reviews can refer to the finding. The same finding keeps its id."""
    passed_over: str = ""
    """Why the finding does not block, in a few words; empty if it blocks."""

    @property
    def where(self) -> str:
        first, last = self.lines
        lines = "" if first <= 0 else f":{first}" if last <= first else f":{first}-{last}"
        return f"{self.file}{lines}"


class IssueCounts(Struct, frozen=True):
    total: int
    high: int
    medium: int
    low: int


class ReviewResult(Struct, frozen=True, rename="camel"):
    """A review in the form that its readers know. Ralph itself counts the issues."""

    decision: Decision
    issues: tuple[ReviewIssue, ...]
    summary: IssueCounts


class Review(Result, frozen=True, omit_defaults=True):
    """The result of one review by one tier. Without a decision nothing was reviewed, and `problem` says why."""

    tier: Tier
    reviewer: str
    decision: Decision | Literal[""] = ""
    problem: str = ""
    blocking: tuple[ReviewIssue, ...] = ()
    recorded: tuple[ReviewIssue, ...] = ()
    """The findings that do not block, each with the reason."""
    answers: dict[str, Settled] = {}  # noqa: RUF012 - a struct copies it
    """What the reviewer said about earlier findings, by their ids."""
    note: str = ""
    """What a reader must know about how the decision was made."""
    unseen: tuple[str, ...] = ()
    """Files of the change that the reviewer was not shown."""
    stubborn: tuple[str, ...] = ()
    """The ids of findings that were reported as not fixed for the second time."""
    base: str = ""
    commit: str = ""
    tree: str = ""
    stands: bool = False
    """Whether an earlier review of the same files is used again, without asking the reviewer."""
    cause: Problem | None = None
    """Why the reviewer could not work, if it said so."""

    @property
    def ships(self) -> bool:
        return self.decision == "SHIP"

    @property
    def issues(self) -> tuple[ReviewIssue, ...]:
        return self.blocking + self.recorded

    @property
    def complaint(self) -> str:
        if self.ships:
            return ""
        return f"{self.tier} review: {self.problem or _named(self.blocking)}"

    @property
    def result(self) -> ReviewResult | None:
        """The review in the form that its readers know; None if there is no decision."""
        return ReviewResult(self.decision, self.issues, counts(self.issues)) if self.decision else None


def counts(issues: Sequence[ReviewIssue]) -> IssueCounts:
    high, medium, low = (sum(each.severity == severity for each in issues) for severity in get_args(Severity))
    return IssueCounts(len(issues), high, medium, low)


def _named(issues: Sequence[ReviewIssue]) -> str:
    first = issues[0] if issues else None
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return f"REVISE: {first.where}: {' '.join(first.description.split())}{more}" if first else "REVISE"
