"""Waiting for a person's answers: the run waits until they are in the store. All recipes that plan ask in this way."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from ralph.kernel.actions.people import Answers, AskPerson, Opinion, ShowDraft
from ralph.kernel.plan_options import Exchange
from ralph.loop.context import Attempt
from ralph.model.errors import Blocked
from ralph.model.words import count
from ralph.store.control import heard
from ralph.store.sql import Store


class Reply(Struct, frozen=True, omit_defaults=True):
    """The content of the control word `answer`."""

    to: str
    """The key of the action that waits for it."""
    text: str = ""
    """An answer; for a draft what to change, or empty if it is good."""
    draft: str = ""
    """The draft as the person edited it."""
    is_default: bool = False
    """Whether nobody was asked."""
    is_open: bool = False
    """Whether the person has edited the draft, and has not decided about it yet."""


class WaitsForPerson(Blocked):
    """A person must be asked before the run can continue."""

    def __init__(self, wanted: AskPerson | ShowDraft, message: str, hint: str, given: Sequence[Reply] = ()) -> None:
        super().__init__(message, hint)
        self.wanted = wanted
        self.answered = len(given)
        """How many of the questions are already answered."""
        self.draft = given[-1].draft if given else ""
        """The draft as the person has edited it so far."""


async def ask_person(action: AskPerson, attempt: Attempt) -> Answers:
    given = replies(attempt.run.store, attempt.run.run_id, action.key)[: len(action.questions)]
    missing = len(action.questions) - len(given)
    if missing:
        raise WaitsForPerson(action, f"the planner waits for {count(missing, 'answer')}.", _hint(attempt), given)
    pairs = zip(action.questions, given, strict=True)
    return Answers(tuple(Exchange(each.question, said.text, said.is_default) for each, said in pairs))


async def show_draft(action: ShowDraft, attempt: Attempt) -> Opinion:
    given = replies(attempt.run.store, attempt.run.run_id, action.key)
    said = next((each for each in given if not each.is_open), None)
    if said is None:
        raise WaitsForPerson(action, f"the draft of {action.document} waits for a person.", _hint(attempt), given)
    return Opinion(said.text, said.draft, unseen=said.is_default)


def replies(store: Store, run_id: str, key: str) -> list[Reply]:
    """What people said to this action, in order."""
    words = (msgspec.json.decode(word.text, type=Reply) for word in heard(store, run_id, "answer"))
    return [reply for reply in words if reply.to == key]


def _hint(attempt: Attempt) -> str:
    run = attempt.run
    return f"Answer in a terminal: {run.plan.kind.asked_by.format(run=run.run_id)}"
