"""The rules of a review: which findings block, and what that means for the reviewer's decision."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ralph.kernel.actions.reviews import Anchor
from ralph.kernel.review_answer import type_named
from ralph.kernel.review_checks import checks_of
from ralph.kernel.stage_text import TaskText
from ralph.model.reviews import Decision, IssueType, ReviewBy, ReviewIssue, Settled

LEAST_CONFIDENCE = 80
DEFECTS: tuple[IssueType, ...] = (
    *("security", "race_condition", "memory_leak", "error_handling", "logic_bug", "syntax", "types"),
)
"""The types that are defects in every tier. Other types are defects if the reviewer was told to look for them."""
NUMBERED = re.compile(r"(?:criterion\s*)?#?(\d{1,4})\b")


class Asked(NamedTuple):
    """What a reviewer was asked, as far as its answer is judged by it."""

    by: ReviewBy
    task: TaskText
    earlier: tuple[ReviewIssue, ...] = ()
    is_first: bool = True
    """Whether this is the first review of its tier."""


class Weighed(NamedTuple):
    decision: Decision
    """The reviewer's decision, corrected by its findings."""
    blocking: tuple[ReviewIssue, ...]
    recorded: tuple[ReviewIssue, ...]
    answers: Mapping[str, Settled]
    names_nothing: bool
    """Whether the reviewer requests changes and names none that blocks."""


def weighed(
    said: Decision,
    issues: Sequence[ReviewIssue],
    anchors: Sequence[Anchor],
    answers: Mapping[str, Settled],
    asked: Asked,
) -> Weighed:
    known = {each.id for each in asked.earlier}
    issues = [_placed(issue, anchor, known) for issue, anchor in zip(issues, anchors, strict=True)]
    named = [each.id for each in issues if each.id]
    is_plain = bool(asked.earlier) and not answers and not named
    if said == "REVISE" or not is_plain:
        issues = _recognised(issues, named, answers, asked.earlier)
    medium_blocks = asked.is_first or (is_plain and said == "REVISE")
    blocking: list[ReviewIssue] = []
    recorded: list[ReviewIssue] = []
    for issue, anchor in zip(issues, anchors, strict=True):
        not_anchored = "" if issue.id in named else anchor.problem
        why = _passed_over(issue, not_anchored, asked, may_be_medium=medium_blocks or bool(issue.id))
        if why and not (issue.id in named and answers.get(issue.id) == "not fixed"):
            recorded.append(replace(issue, passed_over=why))
        else:
            blocking.append(issue)
    found = {each.id for each in blocking}
    blocking += [each for each in asked.earlier if answers.get(each.id) == "not fixed" and each.id not in found]
    return Weighed(
        "REVISE" if blocking else said,
        tuple(blocking),
        tuple(recorded),
        # A finding that is reported again is not fixed, whatever the answer says elsewhere.
        {**answers, **{each.id: "not fixed" for each in blocking if each.id}},
        names_nothing=said == "REVISE" and not blocking,
    )


def _recognised(
    issues: Sequence[ReviewIssue],
    named: Sequence[str],
    answers: Mapping[str, Settled],
    earlier: Sequence[ReviewIssue],
) -> list[ReviewIssue]:
    """The findings, each with the id of the earlier finding that it repeats in any words, or without one if it is new.

    A finding that the reviewer answered as not fixed needs no second mention, so a finding counts as its repetition
    only if the words are much the same.
    """
    found: list[ReviewIssue] = []
    taken = [*named, *(name for name, said in answers.items() if said != "not fixed")]
    for issue in issues:
        same = [
            each
            for each in earlier
            if each.id not in taken
            and _identity(each) == _identity(issue)
            and (each.id not in answers or _are_alike(each, issue))
        ]
        if issue.id or not same:
            found.append(issue)
            continue
        closest = max(same, key=lambda each: _common_words(each, issue))
        taken.append(closest.id)
        found.append(replace(issue, id=closest.id))
    return found


def _identity(issue: ReviewIssue) -> tuple[str, str, str]:
    """What identifies a finding. Line and words do not, because code and finding are both rewritten."""
    return (_plain(issue.requirement), issue.type, issue.file)


def _are_alike(one: ReviewIssue, other: ReviewIssue) -> bool:
    """Whether most words of the shorter finding are in the other."""
    shorter = min(len({*_plain(each.description).split()}) for each in (one, other))
    return 2 * _common_words(one, other) > shorter


def _common_words(one: ReviewIssue, other: ReviewIssue) -> int:
    return len({*_plain(one.description).split()} & {*_plain(other.description).split()})


def _placed(issue: ReviewIssue, anchor: Anchor, known: set[str]) -> ReviewIssue:
    """The finding at the place that ralph found, with no id other than that of an earlier finding."""
    lines = issue.lines if anchor.problem or anchor.lines == (0, 0) else anchor.lines
    return replace(issue, file=anchor.file, lines=lines, id=issue.id if issue.id in known else "")


def _passed_over(issue: ReviewIssue, not_anchored: str, asked: Asked, *, may_be_medium: bool) -> str:
    """Why the finding does not block; empty if it does."""
    reasons = (
        (not issue.introduced, "it was there before the change"),
        (bool(not_anchored), not_anchored),
        (issue.severity == "low", "its severity is low"),
        (issue.confidence < LEAST_CONFIDENCE, f"the reviewer is {issue.confidence} % sure"),
        (not _is_defect(issue, asked), "it names no defect that was looked for, and no criterion that is not met"),
        (issue.severity == "medium" and not may_be_medium, "new in a later review, and not of high severity"),
    )
    return next((why for is_so, why in reasons if is_so), "")


def _is_defect(issue: ReviewIssue, asked: Asked) -> bool:
    if issue.type in DEFECTS or issue.type in map(type_named, checks_of(asked.by)):
        return True
    return _names_criterion(issue.requirement, asked.task)


def _names_criterion(requirement: str, task: TaskText) -> bool:
    """Whether the text names a criterion, by its number or by words of the task."""
    words = _plain(requirement)
    if not words:
        return False
    criteria = [_plain(each) for each in task.acceptance]
    if number := NUMBERED.match(words):
        return 0 < int(number[1]) <= len(criteria)
    wanted = [*criteria, _plain(task.outcome), _plain(task.description)]
    return any(words in each or (each and each in words) for each in wanted)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .\"'`")
