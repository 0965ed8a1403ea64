"""One question to a reviewer. It is asked until an answer decides, or until there was no answer twice."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.reviews import AnchorIssues, Anchors, RunReviewer
from ralph.kernel.problems import is_hopeless
from ralph.kernel.review_answer import answers_in, issues_in
from ralph.kernel.review_checks import checks_of
from ralph.kernel.review_form import ReviewAnswer
from ralph.kernel.review_question import NOT_SEEN, Beside, Part, named_nothing, review_question
from ralph.kernel.review_rules import Asked, Weighed, weighed
from ralph.kernel.stage_text import TaskText
from ralph.model.git_rules import GitRules
from ralph.model.places import verification_place
from ralph.model.reviews import ReviewIssue

TRIES = 2
"""How many times a reviewer is asked the same question when it gives no answer."""
NOTHING_NAMED = "nothing blocking was named"

Ask = Callable[[str, str], Generator[Step, Any, Answer]]
"""A function that asks, given the name of the question and the text for a reviewer that was asked before."""


class ReviewMaterial(Struct, frozen=True):
    """The material of a review."""

    iteration: int
    task: TaskText
    base: str
    """The commit at which the work began."""
    commit: str
    """The commit that is reviewed."""
    beside: tuple[Beside, ...] = ()
    git: GitRules | None = None
    """The git rules from before the agent first ran, for a program that reviews."""
    again: int = 0
    fresh: str = ""
    """A token of this run, if no earlier answer may be used."""


class Heard(Struct, frozen=True):
    """The result of one question."""

    weighed: Weighed | None = None
    note: str = ""
    unseen: tuple[str, ...] = ()
    """The files that the reviewer must see to ship the change, and has not seen."""
    without: Answer = Answer()
    """Why there is no answer."""


def ask_program(asked: Asked, about: ReviewMaterial) -> Ask:
    def ask(name: str, _again: str) -> Generator[Step, Any, Answer]:
        by = asked.by
        answer: Answer = yield RunReviewer(
            about.iteration, name, by, about.task, about.base, about.commit, checks_of(by), asked.earlier, about.git
        )
        return answer

    return ask


def ask_model(asked: Asked, about: ReviewMaterial, part: Part, boundary: str) -> Ask:
    def ask(name: str, again: str) -> Generator[Step, Any, Answer]:
        by = asked.by
        question = review_question(asked, part, boundary, about.beside, again)
        place = verification_place(about.task.id, about.commit)
        answer: Answer = yield AskModel(
            about.iteration, "review", question, "review", by.model, name, by=by.agent, place=place
        )
        return answer

    return ask


def heard(
    asked: Asked, about: ReviewMaterial, name: str, ask: Ask, hidden: Sequence[str] = ()
) -> Generator[Step, Any, Heard]:
    """The result. The reviewer is asked again if it requests changes and names none, or ships what it has not seen."""
    again, earlier_recorded = "", ()
    for slug in (name, f"{name}-second"):
        answer = yield from _answered(ask, slug, again)
        if answer.reason:
            return Heard(without=answer)
        given = msgspec.convert(answer.value, ReviewAnswer)
        seen = yield from _weighed(given, asked, about, slug)
        unseen = () if seen.blocking else tuple(path for path in hidden if path not in given.opened)
        if not seen.names_nothing and not unseen:
            return Heard(_with(seen, earlier_recorded))
        again = named_nothing(seen.recorded) if seen.names_nothing else NOT_SEEN
        earlier_recorded = seen.recorded
    note = NOTHING_NAMED if seen.names_nothing else ""
    return Heard(seen, note, unseen)


def _with(seen: Weighed, recorded: tuple[ReviewIssue, ...]) -> Weighed:
    """The result together with the findings of the first answer."""
    return seen._replace(recorded=tuple(dict.fromkeys((*seen.recorded, *recorded))))


def _answered(ask: Ask, name: str, again: str) -> Generator[Step, Any, Answer]:
    """The answer. The question is repeated if the reason for no answer may pass; a used-up quota was already waited
    for.
    """
    answer = Answer()
    for number in range(1, TRIES + 1):
        answer = yield from ask(name if number == 1 else f"{name}-try-{number}", again)
        if not answer.reason or answer.was_asked or is_hopeless(answer.problem):
            break
    return answer


def _weighed(given: ReviewAnswer, asked: Asked, about: ReviewMaterial, name: str) -> Generator[Step, Any, Weighed]:
    issues = issues_in(given)
    anchors = Anchors(())
    if issues:
        anchors = yield AnchorIssues(about.iteration, name, about.base, about.commit, issues)
    answers = answers_in(given, [each.id for each in asked.earlier])
    return weighed(given.decided, issues, anchors.found, answers, asked)
