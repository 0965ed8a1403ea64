"""The dialogue with a planner and the person it plans for: questions in rounds, then a draft, then an opinion about it.

It is part of a run like any other, so its cost, its messages and its failures are found where they are for every run.
It does not use the terminal: a question to a person is an action that blocks the run until the answer is in the store.
A face asks the person between two drives, and an answered question is never asked again.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from msgspec import convert

from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.people import Answers, AskPerson, Opinion, ShowDraft
from ralph.kernel.going_on import Persistence
from ralph.kernel.plan_forms import ChunksDraft, PlanQuestion, RequirementsDraft, SpecDraft, StoriesDraft, ranked
from ralph.kernel.plan_options import Exchange
from ralph.kernel.planner_words import wished, wrong
from ralph.kernel.problems import NEXT
from ralph.model.places import Place
from ralph.model.verdicts import AgentFailed

UNUSABLE_ANSWERS = 3
"""After this many drafts in a row that break the rules, the planner is given up."""
UNASKED_ROUNDS = 3
"""How many rounds are answered with the planner's recommendations; then it must decide by itself."""
NO_MORE = "You asked questions. Nobody answers them any more: decide them yourself."
Draft = TypeVar("Draft", RequirementsDraft, StoriesDraft, SpecDraft, ChunksDraft)


class Planned(Protocol):
    """The options that every planning run has."""

    @property
    def model(self) -> str: ...
    @property
    def by(self) -> str: ...
    @property
    def earlier(self) -> tuple[Exchange, ...]: ...


class Part(ABC, Generic[Draft]):
    """One of the documents that a planning run makes."""

    document: ClassVar[str]
    form: ClassVar[str]
    kind: type[Draft]

    @abstractmethod
    def question(self, heard: Sequence[Exchange], notes: str, *, may_ask: bool) -> str: ...

    @abstractmethod
    def problems(self, draft: Draft) -> list[str]: ...

    @abstractmethod
    def text(self, draft: Draft, heard: Sequence[Exchange]) -> str: ...

    def shown(self, number: int, draft: Draft, heard: Sequence[Exchange]) -> Generator[Step, Any, ShowDraft]:
        """The draft as a person is shown it."""
        yield from ()
        return ShowDraft(number, self.document, self.text(draft, heard))


class Talk:
    """The questions to the planner and to the person, for all documents of a planning run."""

    def __init__(self, run: Planned, place: Place) -> None:
        self.round = 0
        self.heard = list(run.earlier)
        self._run = run
        self._place = place
        self._persistence = Persistence()
        self._unasked = 0

    def agreed(self, part: Part[Draft]) -> Generator[Step, Any, str | AgentFailed]:
        """The text of a document that a person agreed to."""
        notes, unusable = "", 0
        while True:
            draft = yield from self._draft(part, notes)
            if isinstance(draft, AgentFailed):
                return draft
            if draft.questions and self._may_ask:
                yield from self._ask_person(ranked(draft.questions))
                continue
            if problems := [NO_MORE] if draft.questions else part.problems(draft):
                notes, unusable = wrong(problems), unusable + 1
                if unusable < UNUSABLE_ANSWERS:
                    continue
                verdict = AgentFailed(f"the planner gave no usable {part.document}: {problems[0]}")
                if (yield from self._persistence.give_up(self.round, verdict)) is None:
                    return verdict
                unusable = 0
                continue
            shown = yield from part.shown(self.round, draft, self.heard)
            opinion: Opinion = yield shown
            if not opinion.wish:
                return opinion.text or shown.text
            notes, unusable = wished(opinion.text or shown.text, opinion.wish), 0

    @property
    def _may_ask(self) -> bool:
        return self._unasked < UNASKED_ROUNDS

    def _draft(self, part: Part[Draft], notes: str) -> Generator[Step, Any, Draft | AgentFailed]:
        while True:
            self.round += 1
            question = part.question(self.heard, notes, may_ask=self._may_ask)
            run = self._run
            answer: Answer = yield AskModel(
                self.round, "plan", question, part.form, run.model, by=run.by, place=self._place
            )
            if not answer.reason:
                return convert(answer.value, part.kind)
            verdict = AgentFailed(_why(answer))
            if (yield from self._persistence.give_up(self.round, verdict)) is None:
                return verdict

    def _ask_person(self, questions: Sequence[PlanQuestion]) -> Generator[Step, Any, None]:
        answers: Answers = yield AskPerson(self.round, tuple(questions))
        self._unasked = self._unasked + 1 if answers.are_recommended else 0
        self.heard += answers.exchanges


def _why(answer: Answer) -> str:
    advice = NEXT.get(answer.problem.kind, "") if answer.problem else ""
    said = f"the planner gave no plan: {answer.reason}"
    return f"{said}. {advice}" if advice else said
