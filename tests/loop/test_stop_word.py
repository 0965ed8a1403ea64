"""A stop that somebody said ends a run with its parts, although a part may share its parent's task."""

import asyncio

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.loop.drive import Driver, StopSaid
from ralph.loop.stop import Stop
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import Verified
from ralph.store.control import say
from ralph.store.journal import Journal
from ralph.store.open import open_store
from ralph.store.runs import NewRun, add_run

ENDING = 0.3
"""Seconds that the agent of the part takes to go: long enough for both drivers to hear the word."""


def recipe(*actions):
    for action in actions:  # noqa: UP028 - a tuple takes no results
        yield action
    return Verified(1)


def taken(store, run_id):
    add_run(store, NewRun(id=run_id, recipe="prompt", project="p", options=b"{}"))
    return Journal.take(store, run_id)


def test_a_parent_goes_no_further_when_its_part_has_used_up_the_cancellation(tmp_path):
    performed = []

    async def agent(begun):
        try:
            say(store, "a", "stop")
            await asyncio.sleep(30)
        finally:
            await asyncio.shield(asyncio.sleep(ENDING))
        return AgentReport("ok", "it exited", "somewhere")

    async def perform(begun):
        performed.append(begun.action.key)
        if isinstance(begun.action, RunAgent):
            driver = Driver(store, taken(store, "a.part"), agent, Stop())
            with pytest.raises(StopSaid):
                await driver.drive(recipe(RunAgent(1, "Work.")))
            return AgentReport("ok", "its part was stopped", "somewhere")
        return Evidence("part", passed=True, reason="exit code 0")

    async def main():
        driver = Driver(store, taken(store, "a"), perform, Stop())
        await driver.drive(recipe(RunAgent(1, "Start the part."), RunCommand(1, "make", "make")))

    with open_store({"RALPH_HOME": str(tmp_path)}) as store, pytest.raises(StopSaid):
        asyncio.run(main())
    assert performed == ["run-agent/1"]
