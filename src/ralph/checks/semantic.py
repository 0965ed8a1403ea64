"""Verification by reading: words that must not be there, then a model's judgement on each criterion."""

import re
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from ralph.agents.ask import Answered, Unanswered
from ralph.checks.costs import with_costs
from ralph.checks.diffs import added_lines
from ralph.checks.semantic_question import criterion_text, semantic_question
from ralph.model.evidence import Evidence
from ralph.model.verification import Semantic

SHOWN = 300
NUMBERED = re.compile(r"(\d{1,4})(?:\s*[.):]\s*(.*))?$")


class CriterionVerdict(Struct, frozen=True):
    criterion: str
    met: bool
    reason: str


class Judgement(Struct, frozen=True):
    criteria: list[CriterionVerdict]


Judge = Callable[[str, str], Awaitable[Answered[Judgement] | Unanswered]]
"""Takes the question and the name of the model, which may be empty."""


async def check_semantic(check: Semantic, *, said: str, diff: str, judge: Judge) -> Evidence:
    if found := _forbidden(check.negative_patterns, said, diff):
        return Evidence("semantic", passed=False, reason=found)
    if not check.check_for:
        return Evidence("semantic", passed=True, reason="none of the negative patterns was found")
    answer = await judge(semantic_question(check.check_for, said=said, diff=diff), check.model)
    if isinstance(answer, Unanswered):
        return _without_answer(answer)
    parts = tuple(_part(criterion, answer.value.criteria, check.check_for) for criterion in check.check_for)
    return with_costs(_told(parts), answer.reports)


def _forbidden(patterns: Sequence[str], said: str, diff: str) -> str:
    """Which pattern was found and where, in one sentence; empty if none was."""
    for text in filter(str.strip, patterns):
        pattern = _whole_words(text)
        if pattern.search(said):
            return f'found the negative pattern "{text}" in the final message'
        # Most diffs hold none: one look at the whole is many times faster than one at each line.
        if pattern.search(diff):
            for line in added_lines(diff):
                if pattern.search(line.text):
                    return f'found the negative pattern "{text}" in {line.file}:{line.number}'
    return ""


def _whole_words(text: str) -> "re.Pattern[str]":
    text = text.strip()
    begin = r"(?<!\w)" if re.match(r"\w", text[0]) else ""
    end = r"(?!\w)" if re.match(r"\w", text[-1]) else ""
    return re.compile(begin + r"\s+".join(map(re.escape, text.split())) + end, re.IGNORECASE)


def _without_answer(answer: Unanswered) -> Evidence:
    """No answer for want of a model is not the agent's fault. An answer that cannot be read proves nothing."""
    quota = answer.problem if answer.problem and answer.problem.kind == "quota" else None
    if quota:
        passed, reason = False, f"not verified: the model cannot be asked for now: {answer.reason}"
    elif answer.reports and answer.reports[-1].ok:
        passed, reason = False, f"not verified: {answer.reason}"
    else:
        passed, reason = True, f"the model could not be asked ({answer.reason}), so the promise alone counts this time"
    return with_costs(Evidence("semantic", passed=passed, reason=reason, problem=quota), answer.reports)


def _part(criterion: str, verdicts: Sequence[CriterionVerdict], criteria: Sequence[str]) -> Evidence:
    """One that was judged twice must be met twice."""
    own = [verdict for verdict in verdicts if _meant(verdict.criterion, criteria) == _key(criterion)]
    text = criterion_text(criterion)
    if not own:
        return Evidence(text, passed=False, reason=f"no answer on {text}")
    decisive = next((verdict for verdict in own if not verdict.met), own[0])
    return Evidence(text, passed=decisive.met, reason=decisive.reason.strip() or "no reason was given")


def _meant(said: str, criteria: Sequence[str]) -> str:
    """Which criterion a model speaks of: its words count before its number."""
    keys = [_key(criterion) for criterion in criteria]
    key = _key(said)
    numbered = NUMBERED.match(key)
    if key in keys or not numbered:
        return key
    number, words = int(numbered[1]), numbered[2]
    if words in keys:
        return words
    return keys[number - 1] if 0 < number <= len(keys) else key


def _key(text: str) -> str:
    return criterion_text(text).casefold()


def _told(parts: tuple[Evidence, ...]) -> Evidence:
    unmet = [part for part in parts if not part.passed]
    return Evidence(
        "semantic",
        passed=not unmet,
        reason=f"not verified: {'; '.join(map(_short, unmet))}" if unmet else f"{_all(len(parts))} met",
        parts=parts,
    )


def _all(number: int) -> str:
    return "the criterion is" if number == 1 else f"all {number} criteria are"


def _short(part: Evidence) -> str:
    missing = f"no answer on {part.check}"
    return missing if part.reason == missing else f"{part.check} ({criterion_text(part.reason)[:SHOWN]})"
