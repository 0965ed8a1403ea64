"""A reviewer's answer as findings that can be judged: texts, numbers and names in one form."""

import re
from collections.abc import Sequence
from typing import Any, get_args

from ralph.kernel.review_form import PriorAnswer, ReportedIssue, ReviewAnswer
from ralph.model.reviews import IssueType, ReviewIssue, Settled, Severity

LONGEST = 20_000
"""The most characters of one text in a finding."""
MOST = 200
"""The most findings of one answer."""
KNOWN_TYPES: tuple[IssueType, ...] = get_args(IssueType)
TYPES: dict[str, IssueType] = {
    **{name: name for name in KNOWN_TYPES},
    "": "logic_bug",
    "bug": "logic_bug",
    "obvious_bug": "logic_bug",
    "logic": "logic_bug",
    "correctness": "logic_bug",
    "concurrency": "race_condition",
    "type": "types",
    "type_error": "types",
    "a11y": "accessibility",
}
SEVERITIES: dict[str, Severity] = {
    **dict.fromkeys(("high", "critical", "blocker", "severe", "major", "p0", "p1"), "high"),
    **dict.fromkeys(("low", "minor", "info", "nit", "trivial", "p3"), "low"),
}
ANSWERS: dict[str, Settled] = {
    **dict.fromkeys(("fixed", "resolved"), "fixed"),
    **dict.fromkeys(("not fixed", "notfixed", "unfixed", "unresolved", "open"), "not fixed"),
    **dict.fromkeys(("withdrawn", "withdraw"), "withdrawn"),
}
NUMBERS = re.compile(r"\d{1,9}")


def issues_in(answer: ReviewAnswer) -> tuple[ReviewIssue, ...]:
    return tuple(_issue(each) for each in answer.issues[:MOST])


def answers_in(answer: ReviewAnswer, known: Sequence[str]) -> dict[str, Settled]:
    """The answers about earlier findings, by their ids. Of two answers about the same finding, the worse counts."""
    found: dict[str, Settled] = {}
    for each in answer.prior_findings:
        name, said = _id(each.id), _settled(each)
        if said and name in known and found.get(name) != "not fixed":
            found[name] = said
    return found


def type_named(name: str) -> IssueType:
    """The issue type that the name of a check or a reviewer's own name means; `other` if it means none."""
    word = re.sub(r"[\s-]+", "_", name.strip().casefold())
    return TYPES.get(word) or TYPES.get(word.removesuffix("s"), "other")


def _issue(told: ReportedIssue) -> ReviewIssue:
    return ReviewIssue(
        file=_text(told.file).strip(),
        lines=_lines(told.lines),
        type=type_named(_text(told.type)),
        severity=SEVERITIES.get(_text(told.severity).strip().casefold(), "medium"),
        description=_text(told.description).strip(),
        suggestion=_text(told.suggestion).strip(),
        agent_prompt=_text(told.agent_prompt).strip(),
        quote=_text(told.quote),
        confidence=_confidence(told.confidence),
        introduced=told.introduced is not False and _text(told.introduced).casefold() not in ("false", "no"),
        requirement=_text(told.requirement).strip(),
        id=_id(told.id),
    )


def _settled(told: PriorAnswer) -> Settled | None:
    return ANSWERS.get(" ".join(_text(told.answer).casefold().replace("_", " ").replace("-", " ").split()))


def _id(value: Any) -> str:
    return _text(value).strip().upper()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value[:LONGEST] if isinstance(value, str) else str(value)[:LONGEST]


def _lines(value: Any) -> tuple[int, int]:
    """The lines of `[3, 9]`, `[3]`, `3` or `"3-9"`; zeros for anything else."""
    numbers = [int(each) for each in NUMBERS.findall(str(value)[:LONGEST])]
    return (min(numbers), max(numbers)) if numbers else (0, 0)


def _confidence(value: Any) -> int:
    """The confidence in percent. A fraction of one becomes a percentage; a value that is not a number
    counts as missing.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        found = NUMBERS.match(_text(value).strip())
        return min(100, int(found[0])) if found else 100
    share = value * 100 if isinstance(value, float) and value <= 1 else value
    return round(max(0, min(100, share)))
