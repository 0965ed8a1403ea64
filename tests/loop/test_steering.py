"""Words that are said to a run while it is driven: pause, go, stop; and the fence when somebody else has it."""

import asyncio
import time

import pytest

from driving import RUN, actions_in_a_row
from ralph.kernel.actions.agent import FeedBack, Prompt
from ralph.kernel.actions.commands import RunCommand
from ralph.loop.drive import Driver, StopSaid
from ralph.loop.stop import Stop
from ralph.model.errors import Cancelled, StateError
from ralph.model.evidence import Evidence
from ralph.model.verdicts import Verified
from ralph.store.control import say
from ralph.store.journal import Journal
from ralph.store.runs import NewRun, add_run
from ralph.store.sql import Lost
from ralph.store.sqlite import SqliteStore

SOON = 10.0
"""Seconds in which everything here is over, or something hangs."""
HEARD = 0.3
"""Seconds in which a word is heard while an action runs."""
PASSED = Evidence("make", passed=True, reason="exit code 0")


def commands(count):
    return actions_in_a_row(*(RunCommand(number, "make", "make") for number in range(1, count + 1)))


async def until(condition):
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110 - the store rings, but the test looks from outside
            await asyncio.sleep(0.005)


@pytest.fixture
def elsewhere(tmp_path):
    """The same database as another process has it."""
    with SqliteStore(tmp_path) as store:
        yield store


async def passes(_begun):
    return PASSED


@pytest.mark.parametrize("by", ["this process", "another process"])
def test_a_pause_holds_between_two_actions_and_go_goes_on(world, elsewhere, by):
    speaker = world.store if by == "this process" else elsewhere

    async def perform(begun):
        if begun.action.iteration == 1:
            say(speaker, RUN, "pause")
            await asyncio.sleep(HEARD)
        return PASSED

    async def main():
        driving = asyncio.create_task(world.driven(commands(3), perform=perform))
        await until(lambda: world.run.status == "paused")
        await asyncio.sleep(HEARD)
        assert world.keys("begun") == ["run-command/1/make"]
        assert world.keys("ended") == ["run-command/1/make"]
        assert not driving.done()
        say(speaker, RUN, "go")
        async with asyncio.timeout(SOON):
            return await driving

    assert asyncio.run(main()) == Verified(1)
    assert len(world.keys("ended")) == 3


def test_a_run_that_was_paused_before_it_is_driven_begins_nothing(world):
    say(world.store, RUN, "pause")

    async def main():
        driving = asyncio.create_task(world.driven(commands(1), perform=passes))
        await until(lambda: world.run.status == "paused")
        assert world.keys("begun") == []
        say(world.store, RUN, "go")
        return await driving

    assert asyncio.run(main()) == Verified(1)


def test_a_paused_run_can_be_stopped_by_a_word_and_by_a_signal(world):
    say(world.store, RUN, "pause")

    async def by_word():
        driving = asyncio.create_task(world.driven(commands(1), perform=passes))
        await until(lambda: world.run.status == "paused")
        say(world.store, RUN, "stop")
        async with asyncio.timeout(SOON):
            await driving

    async def by_signal():
        stop = Stop()
        driving = asyncio.create_task(world.driven(commands(1), perform=passes, stop=stop))
        await until(lambda: world.run.status == "paused")
        stop.requested = "SIGTERM"
        stop._wake.set()
        async with asyncio.timeout(SOON):
            await driving

    with pytest.raises(StopSaid):
        asyncio.run(by_word())
    world.its_process_died()
    say(world.store, RUN, "pause")
    with pytest.raises(Cancelled):
        asyncio.run(by_signal())
    assert world.keys("begun") == []


@pytest.mark.parametrize("by", ["this process", "another process"])
def test_a_stop_is_heard_while_an_action_runs(world, elsewhere, by):
    speaker = world.store if by == "this process" else elsewhere
    ended = []

    async def perform(_begun):
        say(speaker, RUN, "stop")
        try:
            await asyncio.sleep(SOON)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(StopSaid):
        world.drive(commands(2), perform=perform)
    assert ended == ["cancelled"]
    assert world.keys("begun") == ["run-command/1/make"]
    assert world.keys("ended") == []


def test_a_stop_from_before_begins_nothing(world):
    say(world.store, RUN, "stop")
    with pytest.raises(StopSaid):
        world.drive(commands(2), perform=passes)
    assert world.keys("begun") == []


def test_a_stop_between_two_actions_begins_no_other(world, elsewhere):
    async def perform(begun):
        if begun.action.iteration == 5:
            say(elsewhere, RUN, "stop")
            # Nothing else of this process runs meanwhile: only the driver itself can hear it.
            time.sleep(HEARD)  # noqa: ASYNC251 - on purpose
        return PASSED

    with pytest.raises(StopSaid):
        world.drive(commands(9), perform=perform)
    world.journal.flush()
    assert world.keys("begun")[-1] == "run-command/5/make"


@pytest.mark.parametrize("moment", ["before it is driven", "between two actions"])
def test_a_stop_that_the_driver_hears_itself_cancels_nothing_that_comes_after_it(world, elsewhere, moment):
    async def perform(begun):
        say(elsewhere, RUN, "stop")
        time.sleep(HEARD)  # noqa: ASYNC251 - as above
        return PASSED

    async def main():
        if moment == "before it is driven":
            say(elsewhere, RUN, "stop")
        with pytest.raises(StopSaid):
            await world.driven(commands(2), perform=perform)
        await asyncio.sleep(0.01)
        return "went on"

    assert asyncio.run(main()) == "went on"


def test_go_takes_back_a_stop(world):
    say(world.store, RUN, "stop")
    say(world.store, RUN, "go")
    assert world.drive(commands(1), perform=passes) == Verified(1)


def test_a_word_for_a_run_is_one_for_its_parts_and_not_the_other_way_round(world):
    part = f"{RUN}.part"
    add_run(world.store, NewRun(id=part, recipe="prompt", project="p", options=b"{}", is_part=True))
    say(world.store, part, "stop")
    assert world.drive(commands(1), perform=passes) == Verified(1)
    say(world.store, part, "go")
    say(world.store, RUN, "stop")

    async def drive_part():
        await Driver(world.store, Journal.take(world.store, part), passes, Stop()).drive(commands(1))

    with pytest.raises(StopSaid):
        asyncio.run(drive_part())


def test_whoever_lost_its_run_stops_and_writes_nothing_more(world, elsewhere):
    """As after SIGSTOP: the run was taken meanwhile, because its process seemed to be dead."""

    async def perform(begun):
        if begun.action.iteration == 2:
            world.its_process_died()
            taken.append(Journal.take(elsewhere, RUN))
        return PASSED

    taken = []
    with pytest.raises(Lost):
        world.drive(commands(4), perform=perform)
    [new_owner] = taken
    before = world.rows
    with pytest.raises(StateError, match="an earlier write of this run's journal failed"):
        world.journal.flush()
    assert world.rows == before
    assert [row.what for row in before[-2:]] == ["begun", "taken"]
    # The one that has it goes on as if nothing had happened.
    new_owner.end(new_owner.begin(RunCommand(2, "make", "make")), PASSED)
    new_owner.flush()
    assert world.rows[-1].attempt == 2


def test_a_lease_that_cannot_be_renewed_ends_what_runs(world, monkeypatch):
    monkeypatch.setattr("ralph.loop.drive.BEAT", 0.05)
    cancelled = []

    async def perform(_begun):
        world.its_process_died()
        try:
            await asyncio.sleep(SOON)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    with pytest.raises(Lost):
        world.drive(commands(1), perform=perform)
    assert cancelled == [True]


def test_a_run_that_somebody_drives_is_not_taken(world, elsewhere):
    Journal.take(world.store, RUN)
    with pytest.raises(Lost, match="driven by another process"):
        Journal.take(elsewhere, RUN)


def test_reads_alone_are_stopped_too(world):
    """They have no row of their own before they end, but a stop is heard between them as well."""
    many = actions_in_a_row(*(FeedBack(number, "x") for number in range(1, 1_000)))

    async def perform(begun):
        if begun.action.iteration == 10:
            say(world.store, RUN, "stop")
        await asyncio.sleep(0.002)
        return Prompt("x")

    with pytest.raises(StopSaid):
        world.drive(many, perform=perform)
