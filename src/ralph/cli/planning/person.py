"""Who answers a planner: the person at the terminal, or nobody; then the planner's recommendations apply."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar

import click

from ralph.app.planning.talk import Planning, answer, reply
from ralph.cli.keyboard import signal_pipe
from ralph.cli.planning.dialogue import ask_question, ask_what, choices_of
from ralph.cli.planning.drafts import decide
from ralph.kernel.actions.people import AskPerson, ShowDraft
from ralph.loop.people import Reply, WaitsForPerson
from ralph.model.errors import Cancelled, ConfigError
from ralph.store.sql import Store


class Person(ABC):
    is_there: ClassVar[bool]
    """Whether they have seen the drafts."""

    @abstractmethod
    def answers(self, store: Store, planning: Planning, asked: WaitsForPerson) -> None:
        """Record the person's answers to what they are asked."""


def person_for(command: str, *, yes: bool, has_answers: bool) -> Person:
    """The person who answers. `command` is named if nobody is there to answer, and nothing says what applies then."""
    is_terminal = bool(sys.stdin) and sys.stdin.isatty()
    if yes or (has_answers and not is_terminal):
        return Nobody()
    if not is_terminal:
        raise ConfigError(
            f"{command} asks questions, but stdin is not a terminal.",
            "Use --yes to accept the agent's recommendations, or --answers FILE.",
        )
    return AtTerminal()


class Nobody(Person):
    is_there = False

    def answers(self, store: Store, planning: Planning, asked: WaitsForPerson) -> None:
        wanted, run_id = asked.wanted, planning.run_id
        if isinstance(wanted, ShowDraft):
            # What a person changed before they left counts.
            reply(store, run_id, Reply(wanted.key, draft=asked.draft, is_default=True))
            return
        for number, question in enumerate(wanted.questions[asked.answered :], asked.answered):
            first = next(iter(choices_of(question)), "decide it yourself")
            answer(store, run_id, wanted, number, question.default.strip() or first, is_default=True)


class AtTerminal(Person):
    is_there = True

    def answers(self, store: Store, planning: Planning, asked: WaitsForPerson) -> None:
        with _dialogue(how_to_go_on(planning)) as interrupted:
            if isinstance(asked.wanted, ShowDraft):
                decide(interrupted, store, planning, asked.wanted, asked.draft)
            else:
                _answer_each(interrupted, store, planning.run_id, asked.wanted, asked.answered)


def says_what(go_on: str) -> str:
    """What to build, asked at the terminal."""
    with _dialogue(go_on) as interrupted:
        return ask_what(interrupted)


def how_to_go_on(planning: Planning) -> str:
    return f"Continue: {planning.plan.kind.asked_by.format(run=planning.run_id)}"


def stopped(go_on: str) -> Cancelled:
    return Cancelled("stopped. Your answers are kept.", go_on)


def _answer_each(interrupted: int, store: Store, run_id: str, wanted: AskPerson, answered: int) -> None:
    """Ask each question. Each answer is kept as soon as it is given."""
    total = len(wanted.questions)
    for number, question in enumerate(wanted.questions[answered:], answered):
        answer(store, run_id, wanted, number, ask_question(interrupted, question, number + 1, total))
    click.echo()


@contextmanager
def _dialogue(go_on: str) -> Generator[int]:
    try:
        with signal_pipe() as interrupted:
            yield interrupted
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise stopped(go_on) from None
