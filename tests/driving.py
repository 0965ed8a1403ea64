"""A driver as one process after another has it: each takes the run, drives it, and may die."""

import asyncio

import msgspec
import pytest
from msgspec.structs import replace

from ralph.loop.drive import Driver
from ralph.loop.stop import Stop
from ralph.model.verdicts import Verified
from ralph.store.journal import Journal, rows_of
from ralph.store.owner import me
from ralph.store.runs import NewRun, add_run, get_run
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore

RUN = "r"


class Killed(BaseException):
    """As a signal that cannot be caught: nothing below may handle it."""


def actions_in_a_row(*actions):
    """A recipe that asks for them one by one and for nothing else."""
    for action in actions:  # noqa: UP028 - a tuple takes no results
        yield action
    return Verified(1)


def dying_after(recipe, key):
    """The recipe, whose process is killed when it is given the result of this action."""
    result = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = yield action
        if action.key == key:
            raise Killed


class World:
    """A store with one run, and what its actions give back."""

    def __init__(self, home, results=None):
        self.home = home
        self.store = SqliteStore(home)
        self.results = results or {}
        self.performed = []
        self.journal = None
        add_run(self.store, NewRun(id=RUN, recipe="prompt", project="p", options=b"{}"))

    async def perform(self, begun):
        self.performed.append(begun.key)
        return self.results[begun.key]

    def drive(self, recipe, *, perform=None, stop=None, close=False):
        """As one process, from taking the run to its verdict."""
        return asyncio.run(self.driven(recipe, perform=perform, stop=stop, close=close))

    async def driven(self, recipe, *, perform=None, stop=None, close=False):
        self.performed.clear()
        self.journal = Journal.take(self.store, RUN, go_on=True)
        driver = Driver(self.store, self.journal, perform or self.perform, stop or Stop())
        verdict = await driver.drive(recipe)
        if close:
            self.journal.close(verdict)
        else:
            self.journal.flush()
            self.its_process_died()
        return verdict

    def dies(self, recipe, *, dying_in=None):
        """The process is killed while it drives; with `dying_in` in the middle of that action."""

        async def perform(begun):
            if begun.key == dying_in:
                raise Killed
            return await self.perform(begun)

        with pytest.raises(Killed):
            self.drive(recipe, perform=perform)
        self.its_process_died()

    def its_process_died(self):
        """Another process may have its pid by now, but not its start."""
        dead = msgspec.json.encode(replace(me(), since=me().since - 1)).decode()
        self.store.write(Sql("UPDATE runs SET owner = :owner WHERE id = :id", {"owner": dead, "id": RUN}, must=1))

    def cut_after(self, n):
        self.store.write(Sql("DELETE FROM journal WHERE run_id = :id AND n > :n", {"id": RUN, "n": n}))

    @property
    def rows(self):
        return rows_of(self.store, RUN, verified=True)

    @property
    def run(self):
        return get_run(self.store, RUN)

    def keys(self, what):
        return [row.key for row in self.rows if row.what == what]
