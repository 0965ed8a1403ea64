"""Actions that ask a person: questions of a planner, and drafts that are shown before they are written."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action
from ralph.kernel.plan_forms import PlanQuestion
from ralph.kernel.plan_options import Exchange
from ralph.model.evidence import Result
from ralph.model.rows import Line
from ralph.model.words import count, visible


class Answers(Result, frozen=True):
    exchanges: tuple[Exchange, ...] = ()
    """The questions with their answers, in the order of the questions."""

    @property
    def are_recommended(self) -> bool:
        """Whether nobody was asked, and all answers are the planner's recommendations."""
        return all(each.by_default for each in self.exchanges)


class AskPerson(Action, frozen=True, tag="ask-person"):
    """Ask a person. The run is blocked until the answer is given."""

    questions: tuple[PlanQuestion, ...]
    result: ClassVar[type[Result]] = Answers
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return f"waiting for {count(len(self.questions), 'answer')}"

    def ended(self, result: Any) -> Line:
        said: Answers = result
        head = f"· {count(len(self.questions), 'question')} answered"
        if not said.are_recommended:
            return Line(head, "quiet")
        taken = ["  " + " ".join(visible(f"{each.question} {each.answer}").split()) for each in said.exchanges]
        return Line("\n".join([f"{head} as the planner recommends", *taken]), "quiet")


class Opinion(Result, frozen=True):
    """What a person says about a draft. An empty opinion means agreement."""

    wish: str = ""
    """What must be changed."""
    text: str = ""
    """The draft as the person edited it."""
    unseen: bool = False
    """Whether nobody was asked."""


class ShowDraft(Action, frozen=True, tag="show-draft"):
    """Show a draft to a person. The run is blocked until they agree or say what to change."""

    document: str
    """The document that it is a draft of, such as `prd.md`."""
    text: str
    before: str = ""
    """The text that it would replace; empty if there is none."""
    notes: tuple[str, ...] = ()
    """What the person who decides should know, one line each."""
    result: ClassVar[type[Result]] = Opinion
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return f"waiting for a decision about {self.document}"

    def ended(self, result: Any) -> Line:
        if result.wish:
            return Line(f"· {self.document} must be changed", "quiet")
        if not result.unseen:
            return Line(f"· {self.document} is agreed", "quiet")
        taken = f"· {self.document} is accepted; nobody was asked"
        warnings = [f"  ! {' '.join(visible(each).split())}" for each in self.notes]
        return Line("\n".join([taken, *warnings]), "warn" if warnings else "quiet")
