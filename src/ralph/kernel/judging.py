"""A model's judgement on criteria: it is asked, shown more if it wants to see more, and its answer becomes evidence."""

import re
from collections.abc import Generator, Sequence
from typing import Any

import msgspec

from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Answer, AskModel, Change, Files, Material, ReadChange, ReadFiles, numbered
from ralph.kernel.forms import CriterionVerdict, Judgement
from ralph.kernel.judge_question import MOST_ASKED, MOST_CHANGED, Shown
from ralph.kernel.problems import is_hopeless
from ralph.model.events import Problem
from ralph.model.evidence import Evidence
from ralph.model.places import SCRATCH
from ralph.model.proof import Finding
from ralph.model.verification import Semantic
from ralph.model.words import one_line

ROUNDS = 3
"""How many times a judge is shown more."""
TRIES = 3
"""How many times a judge is asked the same question when it gives no answer."""
SHORT = 300
NUMBERED = re.compile(r"(\d{1,4})(?:\s*[.):]\s*(.*))?$")
BY_PROMISE = "by promise only"
HIDDEN = "[redacted]"
"""What a judge reads, and repeats, in the place of a secret."""


def semantic(check: Semantic, about: Material, slug: str = "") -> Generator[Step, Any, Evidence]:
    """The evidence: first a search for forbidden words, then a model's judgement on each criterion."""
    name = numbered(slug, about.again).lstrip("-")
    change: Change = yield ReadChange(
        about.iteration, name, about.base, about.commit, check.negative_patterns, about.said, MOST_CHANGED
    )
    if change.forbidden:
        return Evidence("semantic", passed=False, reason=change.forbidden)
    if not check.check_for:
        return Evidence("semantic", passed=True, reason="none of the negative patterns was found", proof="word")
    return (yield from _judged(check, about, Shown(change, about.said), name))


def _judged(check: Semantic, about: Material, shown: Shown, name: str) -> Generator[Step, Any, Evidence]:
    """The judgement, once the judge has seen everything that it wants to see and must see."""
    for left in reversed(range(ROUNDS + 1)):
        number = ROUNDS - left
        question = shown.question(check.check_for, is_last=not left)
        answer = yield from _asked(check, about, question, _joined(name, f"round-{number}" if number else ""))
        if answer.reason:
            return _without_answer(answer, about)
        given = msgspec.convert(answer.value, Judgement)
        parts = tuple(_part(criterion, given.criteria, check.check_for) for criterion in check.check_for)
        wanted = _wanted(given, parts, shown) if left else ()
        if not wanted:
            return _told(parts, shown)
        more: Files = yield ReadFiles(
            about.iteration, _joined(name, f"files-{number + 1}"), about.base, about.commit, wanted, MOST_ASKED
        )
        shown.add(wanted, more.files)
    raise AssertionError("in the last round nothing is wanted")


def _asked(check: Semantic, about: Material, question: str, name: str) -> Generator[Step, Any, Answer]:
    """The answer. The question is repeated if the reason for no answer may pass; a used-up quota was already waited
    for.
    """
    answer = Answer()
    for number in range(1, TRIES + 1):
        slug = _joined(name, f"try-{number}" if number > 1 else "")
        answer = yield AskModel(about.iteration, "judge", question, "judgement", check.model, slug, place=SCRATCH)
        if not answer.reason or answer.was_asked or is_hopeless(answer.problem):
            break
    return answer


def _wanted(given: Judgement, parts: Sequence[Evidence], shown: Shown) -> tuple[str, ...]:
    """The files that the judge asks for; if it accepts everything without having seen everything, the unseen files."""
    if asked := shown.wanted(given.files):
        return asked
    if not all(part.passed for part in parts):
        return ()
    return shown.wanted([file.path for file in shown.unseen()])


def _without_answer(answer: Answer, about: Material) -> Evidence:
    """The evidence without an answer. It never verifies, unless the user said that the promise is then enough."""
    if answer.was_asked:
        return Evidence("semantic", passed=False, reason=f"not verified: {answer.reason}")
    why = f"the judge could not be asked ({answer.reason})"
    if not about.trusts_promise:
        problem = answer.problem or Problem("other", answer.reason)
        return Evidence("semantic", passed=False, reason=f"not verified: {why}", problem=problem)
    doubt = Finding("judge", "warn", f"{BY_PROMISE}: {why}")
    return Evidence("semantic", passed=True, reason=doubt.text, findings=(doubt,), proof="word")


def _part(criterion: str, verdicts: Sequence[CriterionVerdict], criteria: Sequence[str]) -> Evidence:
    """The evidence for one criterion. A criterion that was judged twice must be met twice."""
    own = [verdict for verdict in verdicts if _meant(verdict.criterion, criteria) == _key(criterion)]
    text = one_line(criterion)
    if not own:
        return Evidence(text, passed=False, reason=f"no answer on {text}")
    decisive = next((verdict for verdict in own if not verdict.met), own[0])
    return Evidence(text, passed=decisive.met, reason=decisive.reason.strip() or "no reason was given")


def _meant(said: str, criteria: Sequence[str]) -> str:
    """The criterion that a model refers to. Its words take precedence over its number."""
    keys = [_key(criterion) for criterion in criteria]
    key = _revealed(_key(said), keys)
    numbered_as = NUMBERED.match(key)
    if key in keys or not numbered_as:
        return key
    number, words = int(numbered_as[1]), numbered_as[2]
    if words in keys:
        return words
    return keys[number - 1] if 0 < number <= len(keys) else key


def _revealed(said: str, keys: Sequence[str]) -> str:
    """The criterion with the secrets that the judge could not see, if the rest of it fits only one."""
    if HIDDEN not in said or said in keys:
        return said
    shape = re.compile(".+".join(map(re.escape, said.split(HIDDEN))))
    number = NUMBERED.match(said)
    words = number and number[2] and re.compile(".+".join(map(re.escape, number[2].split(HIDDEN))))
    found = [key for key in keys if shape.fullmatch(key) or (words and words.fullmatch(key))]
    return found[0] if len(found) == 1 else said


def _key(text: str) -> str:
    return one_line(text).casefold()


def _told(parts: tuple[Evidence, ...], shown: Shown) -> Evidence:
    """The evidence for all criteria. What the judge did not see cannot be met, whatever it says."""
    unmet = [part for part in parts if not part.passed]
    unseen = shown.named_unseen()
    if unmet:
        reason = f"not verified: {'; '.join(map(_short, unmet))}"
    elif unseen:
        reason = f"not verified: the judge has not seen {unseen}, and what it has not seen cannot be met"
        parts = tuple(msgspec.structs.replace(part, passed=False, reason=f"not seen: {unseen}") for part in parts)
    else:
        allowed = ", ".join(shown.may_stay_unseen())[:SHORT]
        reason = f"{_all(len(parts))} met (not seen: {allowed})" if allowed else f"{_all(len(parts))} met"
    return Evidence("semantic", passed=not unmet and not unseen, reason=reason, parts=parts, proof="judged")


def _all(number: int) -> str:
    return "the criterion is" if number == 1 else f"all {number} criteria are"


def _short(part: Evidence) -> str:
    missing = f"no answer on {part.check}"
    return missing if part.reason == missing else f"{part.check} ({one_line(part.reason)[:SHORT]})"


def _joined(*names: str) -> str:
    return "-".join(filter(None, names))
