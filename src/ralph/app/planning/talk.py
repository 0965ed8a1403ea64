"""A planning run from the outside: started, continued, and answered. It is the same for stories and for specs."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ralph.app.planning.spec_answers import keep_answer
from ralph.app.runs.starting import FINAL, Raised, go_on, plan_of, store_run
from ralph.config.schema import Settings
from ralph.kernel.actions.people import Answers, AskPerson
from ralph.kernel.plan_options import Exchange
from ralph.loop.people import Reply
from ralph.loop.plan import Plan
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.plugin.hooks.scripts.active_loop import read_small
from ralph.store.control import say
from ralph.store.journal import rows_of
from ralph.store.runs import list_runs
from ralph.store.sql import Store

ASKED = "ask-person"
LOOKED_THROUGH = 50
MOST_SAID = 200_000
"""The most characters of the user's description."""


class Planning(NamedTuple):
    run_id: str
    plan: Plan
    has_ended: bool = False
    """Whether it had ended, and is continued nevertheless."""
    is_resumed: bool = False


def last_planning(store: Store, project: str, recipe: str) -> Run | None:
    """The last planning run of a project, if it did not end."""
    runs = list_runs(store, project=project, limit=LOOKED_THROUGH)
    last = next((run for run in runs if run.recipe == recipe), None)
    return last if last and not is_over(last) else None


def is_over(run: Run) -> bool:
    """Whether the run has ended for good, so that it cannot be continued."""
    return run.status == "ended" and run.verdict in FINAL


def go_on_or_start(store: Store, project: Path, plan: Plan, unfinished: Run | None) -> Planning:
    """The planning run to continue, or a new one. With another agent it starts again, without repeating answered
    questions.
    """
    if unfinished is None:
        return Planning(store_run(store, project, plan), plan)
    then = plan_of(store, unfinished)
    if _planner(then) == _planner(plan):
        found = go_on(store, project, unfinished.id, Raised())
        return Planning(found.run.id, found.plan, found.has_ended, is_resumed=True)
    said, earlier = plan.loop.said or then.loop.said, tuple(exchanges_of(store, unfinished.id))
    fresh = replace(plan, loop=replace(plan.loop, said=said, earlier=(*then.loop.earlier, *earlier)))
    return Planning(store_run(store, project, fresh), fresh)


def exchanges_of(store: Store, run_id: str) -> list[Exchange]:
    """The questions and answers of a planning run."""
    ended = (row for row in rows_of(store, run_id) if row.what == "ended" and row.name.kind == ASKED)
    return [each for row in ended for each in msgspec.json.decode(row.body, type=Answers).exchanges]


def answer(store: Store, run_id: str, wanted: AskPerson, number: int, text: str, *, is_default: bool = False) -> None:
    """Record the answer to question `number`, counted from 0: in the store, and in the spec that it is about."""
    reply(store, run_id, Reply(wanted.key, text, is_default=is_default))
    keep_answer(store, run_id, Exchange(wanted.questions[number].question, text, is_default))


def reply(store: Store, run_id: str, said: Reply) -> None:
    say(store, run_id, "answer", msgspec.json.encode(said).decode())


def read_answers(path: Path) -> str:
    """The content of the file that `--answers` names."""
    try:
        return read_small(os.path.realpath(path), MOST_SAID).decode(errors="replace")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.", "Name a text file.") from None


def short_enough(said: str) -> str:
    """The user's description without the white space around it. One that is too long is refused, never cut."""
    said = said.strip()
    if len(said) > MOST_SAID:
        raise ConfigError(f"the text has {len(said):,} characters; the limit is {MOST_SAID:,}.", "Shorten it.")
    return said


def without_planner(settings: Settings) -> Settings:
    """The settings without a planner, so that the agent of the command line plans."""
    return replace(settings, defaults=replace(settings.defaults, planner=None))


def _planner(plan: Plan) -> tuple[Any, ...]:
    agent = plan.agent
    return (plan.loop.model, plan.loop.by, agent.command if agent else (), agent.flags if agent else ())
