"""The form of a reviewer's answer.

A model is told exactly what it may contain, and ralph reads it more leniently: the words for a severity, or the way
lines are counted, must not decide whether a finding is accepted.
"""

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, field

from ralph.model.reviews import Decision

DECISIONS: dict[str, Decision] = {"SHIP": "SHIP", "REVISE": "REVISE"}

Text = Annotated[Any, Meta(extra_json_schema={"type": "string"})]
Number = Annotated[Any, Meta(extra_json_schema={"type": "integer"})]
YesOrNo = Annotated[Any, Meta(extra_json_schema={"type": "boolean"})]
Lines = Annotated[Any, Meta(extra_json_schema={"type": "array", "items": {"type": "integer"}})]
DecisionWord = Annotated[Any, Meta(extra_json_schema={"type": "string", "enum": ["SHIP", "REVISE"]})]
SeverityWord = Annotated[Any, Meta(extra_json_schema={"type": "string", "enum": ["high", "medium", "low"]})]
AnswerWord = Annotated[Any, Meta(extra_json_schema={"type": "string", "enum": ["fixed", "not fixed", "withdrawn"]})]
TypeWord = Annotated[
    Any,
    Meta(
        extra_json_schema={
            "type": "string",
            "enum": [
                *("security", "race_condition", "memory_leak", "error_handling", "logic_bug", "accessibility"),
                *("syntax", "types", "architecture", "other"),
            ],
        }
    ),
]
Counts = Annotated[
    Any,
    Meta(
        extra_json_schema={
            "type": "object",
            "properties": {name: {"type": "integer"} for name in ("total", "high", "medium", "low")},
        }
    ),
]


class ReportedIssue(Struct, frozen=True, rename="camel"):
    file: Text = ""
    lines: Lines = ()
    type: TypeWord = ""
    severity: SeverityWord = "medium"
    description: Text = ""
    suggestion: Text = ""
    agent_prompt: Text = ""
    quote: Text = ""
    confidence: Number = 100
    introduced: YesOrNo = True
    requirement: Text = ""
    id: Text = ""


class PriorAnswer(Struct, frozen=True):
    id: Text = ""
    answer: AnswerWord = ""


class CodexLines(Struct, frozen=True):
    start: int = 0
    end: int = 0


class CodexPlace(Struct, frozen=True):
    absolute_file_path: str = ""
    line_range: CodexLines = CodexLines()


class CodexFinding(Struct, frozen=True):
    title: str = ""
    body: str = ""
    confidence_score: float = 1.0
    priority: int | None = None
    code_location: CodexPlace = CodexPlace()


class CodexReview(Struct, frozen=True):
    """The answer of `codex review`."""

    findings: list[CodexFinding]
    overall_correctness: str

    def answer(self) -> "ReviewAnswer":
        is_correct = self.overall_correctness.strip().casefold() == "patch is correct"
        return ReviewAnswer("SHIP" if is_correct else "REVISE", [_from_codex(each) for each in self.findings])


class ReviewAnswer(Struct, frozen=True, rename="camel"):
    decision: DecisionWord
    issues: list[ReportedIssue] = field(default_factory=list[ReportedIssue])
    summary: Counts = None
    """The counts in the answer. They are not read, because ralph counts for itself."""
    prior_findings: list[PriorAnswer] = field(default_factory=list[PriorAnswer])
    opened: list[str] = field(default_factory=list[str])
    """The files that the reviewer was not shown and opened itself."""

    also: ClassVar[tuple[type[CodexReview], ...]] = (CodexReview,)
    """Other forms that are understood; `answer` converts them to this one."""

    def __post_init__(self) -> None:
        if _word(self.decision) not in DECISIONS:
            raise ValueError("its decision is neither SHIP nor REVISE")

    @property
    def decided(self) -> Decision:
        return DECISIONS[_word(self.decision)]


def _word(decision: Any) -> str:
    return str(decision).strip().upper()


CODEX_SEVERITY = {0: "high", 1: "high", 2: "medium", 3: "low"}


def _from_codex(finding: CodexFinding) -> ReportedIssue:
    lines = finding.code_location.line_range
    return ReportedIssue(
        file=finding.code_location.absolute_file_path,
        lines=[lines.start, lines.end],
        type="logic_bug",
        severity=CODEX_SEVERITY.get(-1 if finding.priority is None else finding.priority, "medium"),
        description=f"{finding.title}\n{finding.body}".strip(),
        agent_prompt=finding.body or finding.title,
        confidence=round(100 * finding.confidence_score),
    )
