"""A run that gave up is gone on with when somebody says so: by a word, as often as it is said."""

import asyncio
import json
import os

import pytest

from ralph.config.layers import load
from ralph.kernel.prompt_options import PromptRun
from ralph.loop.plan import make_plan, new_run
from ralph.loop.run import drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.model.verdicts import BudgetSpent, MaxIterations, Verified
from ralph.store.control import say
from ralph.store.journal import check_chain, rows_of
from ralph.store.projects import project_at
from ralph.store.runs import add_run, get_run
from ralph.store.sql import Lost
from ralph.store.sqlite import SqliteStore

RUN = "5eed0001"
NOT_YET = "the response was NOT YET, expected DONE"
AGENT = """#!/bin/sh
echo start >> {log}
if test -e {done}; then echo '<response>DONE</response>'; else echo '<response>NOT YET</response>'; fi
"""


class Prompted:
    """A prompt loop with a real agent that counts its starts, driven as often as a test likes."""

    def __init__(self, tmp_path, **settings):
        self.project = tmp_path / "project"
        self.project.mkdir()
        self.done = tmp_path / "done"
        self._log = tmp_path / "starts"
        agent = tmp_path / "agent"
        agent.write_text(AGENT.format(log=self._log, done=self.done))
        agent.chmod(0o755)
        self.store = SqliteStore(tmp_path / "home")
        loaded = load(self.project, flags={"agent": {"command": str(agent)}, **settings})
        loop = PromptRun(limit=1, completion="DONE", prompt="Do it.")
        plan = make_plan("prompt", loaded.settings, loaded.merged, loop)
        add_run(self.store, new_run(plan, RUN, project_at(self.store, self.project).id))

    def drive(self, *, go_on=False):
        async def main():
            return await drive_run(self.store, RUN, Stop(), Streams(), go_on=go_on)

        return asyncio.run(main()).verdict

    def grant(self, **limits):
        say(self.store, RUN, "grant", json.dumps(limits) if limits else "")

    @property
    def starts(self):
        return len(self._log.read_text().splitlines()) if self._log.exists() else 0

    @property
    def rows(self):
        return rows_of(self.store, RUN, verified=True)


@pytest.fixture
def prompted(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith("RALPH_") and name != "RALPH_HOME"]:
        monkeypatch.delenv(name)
    made = []

    def make(**settings):
        made.append(Prompted(tmp_path, **settings))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def test_a_limit_is_raised_twice_and_each_time_only_the_rest_is_done(prompted):
    run = prompted()
    assert run.drive() == MaxIterations(1, NOT_YET)
    run.grant(iterations=2)
    assert run.drive(go_on=True) == MaxIterations(2, NOT_YET)
    run.grant(iterations=4)
    assert run.drive(go_on=True) == MaxIterations(4, NOT_YET)
    assert run.starts == 4
    assert [row.what for row in run.rows if row.what in ("taken", "closed")] == ["taken", "closed"] * 3
    assert get_run(run.store, RUN).iterations == 4
    assert check_chain(run.store, RUN) == len(run.rows)


def test_a_word_that_raises_the_limit_counts_even_if_it_was_said_before(prompted):
    run = prompted()
    run.grant(iterations=3)
    assert run.drive() == MaxIterations(3, NOT_YET)
    assert run.starts == 3


def test_whoever_goes_on_without_a_word_gets_the_same_verdict(prompted):
    run = prompted()
    first = run.drive()
    assert run.drive(go_on=True) == first
    assert run.starts == 1


def test_a_word_that_was_heard_is_not_heard_again(prompted):
    run = prompted()
    run.drive()
    run.grant(iterations=2)
    run.drive(go_on=True)
    assert run.drive(go_on=True) == MaxIterations(2, NOT_YET)
    assert run.starts == 2


def test_a_total_that_was_granted_twice_is_a_total(prompted):
    run = prompted()
    run.grant(iterations=2)
    run.grant(iterations=3)
    assert run.drive() == MaxIterations(3, NOT_YET)
    run.grant(iterations=3)
    assert run.drive(go_on=True) == MaxIterations(3, NOT_YET)
    assert run.starts == 3
    run.grant(iterations=4)
    assert run.drive(go_on=True) == MaxIterations(4, NOT_YET)
    assert run.starts == 4


def test_lists_show_the_limit_that_was_granted(prompted):
    run = prompted()
    run.drive()
    assert get_run(run.store, RUN).limit == 1
    run.grant(iterations=3)
    run.drive(go_on=True)
    assert get_run(run.store, RUN).limit == 3


def test_a_run_that_is_gone_on_with_may_come_to_a_good_end(prompted):
    run = prompted()
    run.drive()
    run.done.touch()
    run.grant(iterations=9)
    assert run.drive(go_on=True) == Verified(2)
    stored = get_run(run.store, RUN)
    assert (stored.status, stored.verdict, stored.exit_code) == ("ended", "verified", 0)


def test_a_run_that_has_ended_is_not_driven_by_accident(prompted):
    run = prompted()
    run.drive()
    before = run.rows
    with pytest.raises(Lost):
        run.drive()
    assert run.rows == before


def test_a_raised_limit_does_not_help_a_budget(prompted):
    run = prompted(budget={"seconds": 0.000001})
    run.grant(iterations=3)
    verdict = run.drive()
    assert isinstance(verdict, BudgetSpent)
    assert run.starts == 1
    run.grant(seconds=600)
    assert run.drive(go_on=True) == MaxIterations(3, NOT_YET)
    assert run.starts == 3


def test_the_screen_is_told_that_a_person_went_on(prompted):
    run = prompted()
    run.drive()
    run.grant(iterations=2)
    run.drive(go_on=True)
    assert [row.line for row in run.rows if row.key == "give-up/1/0" and row.line] == ["· continued by a person"]
