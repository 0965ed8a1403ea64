"""`done, result = yield (a, b, c)`: the end that stands first in the journal, in this life and in the next."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driving import Killed, World
from ralph.kernel.actions.agent import FeedBack, Prompt
from ralph.kernel.actions.commands import RunCommand
from ralph.model.errors import AgentUnusable, StateError
from ralph.model.evidence import Evidence
from ralph.model.verdicts import Failed, Verified

NAMES = ("a", "b", "c")
SOON = 10.0
"""Seconds in which everything here is over, or something hangs."""


def command(name):
    return RunCommand(1, name, name)


def seen(name):
    return Evidence(name, passed=True, reason=f"{name} is done")


def all_of(*names):
    """A recipe that waits for each of them, and says in which order they came."""
    left, order = [command(name) for name in names], []
    while left:
        done, result = yield tuple(left)
        assert result == seen(done.command)
        left.remove(done)
        order.append(done.command)
    return Failed(" ".join(order))


class Gates:
    """Each action ends when the test says so."""

    def __init__(self, order=()):
        self.begun, self.cancelled = [], []
        self._open = {name: asyncio.Event() for name in NAMES}
        self._order = list(order)

    async def perform(self, begun):
        name = begun.action.command
        self.begun.append(name)
        try:
            if len(self.begun) == len(NAMES):
                self._let_next()
            await self._open[name].wait()
        except asyncio.CancelledError:
            self.cancelled.append(name)
            raise
        self._let_next()
        return seen(name)

    def _let_next(self):
        if self._order:
            self._open[self._order.pop(0)].set()


def driven(world, recipe, order):
    async def main():
        gates = Gates(order)
        async with asyncio.timeout(SOON):
            return await world.driven(recipe, perform=gates.perform), gates

    return asyncio.run(main())


@pytest.mark.parametrize("order", ["abc", "cab", "bca"])
def test_they_run_at_once_and_come_in_the_order_of_their_ends(world, order):
    verdict, gates = driven(world, all_of(*NAMES), order)
    assert gates.begun == list(NAMES)
    assert verdict == Failed(" ".join(order))
    assert [key[-1] for key in world.keys("ended")] == list(order)


@pytest.mark.parametrize("order", ["abc", "cab", "bca"])
def test_a_replay_gives_the_same_order_and_performs_nothing(world, order):
    first, _ = driven(world, all_of(*NAMES), order)
    again, gates = driven(world, all_of(*NAMES), ())
    assert again == first
    assert gates.begun == []


@given(st.permutations(NAMES), st.integers(0, 12))
def test_a_journal_cut_anywhere_keeps_the_order_of_the_ends_that_are_left(tmp_path_factory, order, cut):
    world = World(tmp_path_factory.mktemp("home"))
    try:
        driven(world, all_of(*NAMES), order)
        world.cut_after(2 + cut)
        kept = [key[-1] for key in world.keys("ended")]
        left = [name for name in NAMES if name not in kept]
        world.results = {command(name).key: seen(name) for name in NAMES}
        verdict = world.drive(all_of(*NAMES))
        assert verdict.why.split()[: len(kept)] == kept
        assert sorted(world.performed) == [command(name).key for name in left]
    finally:
        world.store.close()


def test_what_is_not_waited_for_ends_with_the_recipe(world):
    def recipe():
        done, _ = yield tuple(map(command, NAMES))
        return Verified(1) if done.command == "b" else Failed(done.command)

    verdict, gates = driven(world, recipe(), "b")
    assert verdict == Verified(1)
    assert sorted(gates.cancelled) == ["a", "c"]
    assert [key[-1] for key in world.keys("ended")] == ["b"]


def test_what_was_begun_goes_on_while_the_recipe_does_something_else(world):
    def recipe():
        first, _ = yield (command("a"), command("b"))
        yield FeedBack(1, "in between")
        second, _ = yield (command("b"),)
        return Failed(f"{first.command} {second.command}")

    async def perform(begun):
        if isinstance(begun.action, FeedBack):
            await asyncio.sleep(0.05)
            return Prompt("in between")
        await asyncio.sleep(0.01 if begun.action.command == "a" else 0.03)
        return seen(begun.action.command)

    assert world.drive(recipe(), perform=perform) == Failed("a b")
    assert world.keys("ended") == ["run-command/1/a", "run-command/1/b", "feedback/1"]
    assert world.drive(recipe(), perform=None) == Failed("a b")
    assert world.performed == []


def test_what_was_begun_and_not_ended_is_done_again(world):
    async def perform(begun):
        if begun.action.command == "b":
            await asyncio.sleep(0.02)
            raise Killed
        if begun.action.command == "c":
            await asyncio.sleep(SOON)
        return seen(begun.action.command)

    with pytest.raises(Killed):
        world.drive(all_of(*NAMES), perform=perform)
    world.its_process_died()
    world.results = {command(name).key: seen(name) for name in NAMES}
    verdict = world.drive(all_of(*NAMES))
    attempts = {row.key[-1]: row.attempt for row in world.rows if row.what == "ended"}
    # The end of the first was written before the others were waited for.
    assert (verdict, attempts) == (Failed("a b c"), {"a": 1, "b": 2, "c": 2})


def test_an_error_in_one_of_them_ends_the_others_and_the_run(world):
    cancelled = []

    async def perform(begun):
        if begun.action.command == "a":
            raise AgentUnusable("a is missing.")
        try:
            await asyncio.sleep(SOON)
        except asyncio.CancelledError:
            cancelled.append(begun.action.command)
            raise

    with pytest.raises(AgentUnusable):
        world.drive(all_of(*NAMES), perform=perform)
    world.journal.flush()
    assert sorted(cancelled) == ["b", "c"]
    assert [row.key for row in world.rows if row.what == "failed"] == ["run-command/1/a"]


def test_one_key_cannot_stand_twice_in_a_tuple(world):
    def recipe():
        yield (command("a"), command("a"))
        return Verified(1)

    with pytest.raises(StateError, match="asked twice"):
        world.drive(recipe())


def test_the_run_is_doing_what_began_last(world):
    doing = []

    async def perform(begun):
        await asyncio.sleep(0.01)
        doing.append(world.run.now.doing)
        return seen(begun.action.command)

    world.drive(all_of("a", "b"), perform=perform)
    assert doing[0] == "guardrail b"
