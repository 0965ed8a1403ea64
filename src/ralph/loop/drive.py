"""The one driver: a recipe asks, the driver performs, and the journal records.

A resume is a replay: a new generator gets each stored result under the key of its action until it asks for one that has
none. A recipe sees results one after another; only the driver knows what runs side by side.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec

from ralph.kernel.actions.base import Action, Recipe
from ralph.kernel.actions.waiting import RunChild
from ralph.loop.stop import Stop
from ralph.model.errors import RalphError, StateError
from ralph.model.evidence import Result
from ralph.model.rows import Row
from ralph.model.verdicts import AnyVerdict
from ralph.store.control import latest
from ralph.store.journal import Begun, Journal
from ralph.store.owner import BEAT
from ralph.store.sql import Lost, Store

HEAR_AT_MOST_EVERY = 0.05
"""The seconds between two looks for control words: actions may be faster than a look."""

Perform = Callable[[Begun], Awaitable[Result]]


class StopSaid(Exception):
    """Somebody said stop to this run, or to one of its ancestors."""


class Driver:
    def __init__(self, store: Store, journal: Journal, perform: Perform, stop: Stop) -> None:
        self._store = store
        self._journal = journal
        self._perform = perform
        self._stop = stop
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ends: dict[str, tuple[int, Result]] = {}
        """The results that the recipe has not received yet, with the numbers of their rows."""
        self._given: set[int] = set()
        """The hashes of the keys that were asked for: a long run has many."""
        self._steered = asyncio.Event()
        self._is_paused = False
        self._version = -1
        self._looked = 0.0
        self._why: Exception | None = None
        self._main: asyncio.Task[object] | None = None

    async def drive(self, recipe: Recipe) -> AnyVerdict:
        self._main = asyncio.current_task()
        helpers = [asyncio.create_task(self._listen()), asyncio.create_task(self._keep_lease())]
        answer: object = None
        try:
            self._hear()
            while True:
                try:
                    step = recipe.send(answer)
                except StopIteration as end:
                    return end.value
                answer = await (self._first(step) if isinstance(step, tuple) else self._only(step))
        except asyncio.CancelledError:
            if self._why is None:
                raise  # This driver did not cancel: the process is ending, or the parent run.
            raise self._why from None
        finally:
            recipe.close()
            for helper in helpers:
                helper.cancel()
            await self._end_unfinished()

    async def _only(self, action: Action) -> Result:
        """The result of a single action: the same as `_first`, but faster, because most steps are a single action."""
        key = action.key
        if self._tasks or key in self._ends or hash(key) in self._given or key in self._journal.past_ends:
            _, result = await self._first((action,))
            return result
        if self._is_held(can_be_held=action.can_be_held):
            await self._release()
        _, result = await self._ended(action)
        self._given.add(hash(key))
        return result

    async def _first(self, actions: tuple[Action, ...]) -> tuple[Action, Result]:
        """The end with the smallest number. Later ends have larger numbers, so a replay has the same result."""
        by_key = {action.key: action for action in actions}
        if len(by_key) != len(actions) or not self._given.isdisjoint(map(hash, by_key)):
            raise StateError(
                f"the recipe asked twice for one of {', '.join(by_key)}.", "This is a bug in ralph: please report it."
            )
        if past := [row for key in by_key if (row := self._journal.past_ends.get(key))]:
            return self._replayed(by_key, min(past, key=lambda row: row.n))
        # The replay is over only now: nothing is performed, not even what was begun before, until the recipe waits for
        # it.
        while not (ended := [key for key in by_key if key in self._ends]):
            if self._is_held(can_be_held=all(action.can_be_held for action in actions)):
                await self._release()
            if len(actions) == 1 and not self._tasks:
                await self._once(actions[0])
            else:
                await self._side_by_side(by_key)
        key = min(ended, key=lambda each: self._ends[each][0])
        self._given.add(hash(key))
        return by_key[key], self._ends.pop(key)[1]

    def _replayed(self, by_key: dict[str, Action], row: Row) -> tuple[Action, Result]:
        action = by_key[row.key]
        result = self._read(row, action)
        self._journal.replayed(action, result)
        # A delivered result is no longer needed: a run of many iterations must not keep all of them.
        del self._journal.past_ends[row.key]
        self._given.add(hash(row.key))
        return action, result

    def _read(self, row: Row, action: Action) -> Result:
        try:
            return msgspec.json.decode(row.body, type=action.result)
        except msgspec.ValidationError as error:
            raise StateError(
                f"this version of ralph cannot read the result of {row.key}, which another one wrote: {error}.",
                f"Start it again: ralph retry {row.run_id}",
            ) from error

    async def _side_by_side(self, by_key: dict[str, Action]) -> None:
        """Wait until one of them has ended. Those that have not begun are begun, in order."""
        for key, action in by_key.items():
            if key not in self._tasks and key not in self._ends:
                self._tasks[key] = asyncio.create_task(self._once(action))
        await asyncio.sleep(0)
        self._journal.flush()
        await asyncio.wait([self._tasks[key] for key in by_key], return_when=asyncio.FIRST_COMPLETED)
        for key in [key for key in by_key if self._tasks[key].done()]:
            self._tasks.pop(key).result()

    async def _once(self, action: Action) -> None:
        self._ends[action.key] = await self._ended(action)

    async def _ended(self, action: Action) -> tuple[int, Result]:
        """The result, with the number of its row."""
        begun = self._journal.begin(action)
        try:
            result = await self._perform(begun)
        except Lost:
            raise
        except RalphError as error:
            self._journal.fail(begun, str(error))
            raise
        return self._journal.end(begun, result), result

    async def _end_unfinished(self) -> None:
        """End the actions that the recipe did not wait for."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()

    def _is_held(self, *, can_be_held: bool) -> bool:
        """Whether a pause holds the next action back; a stop raises."""
        now = time.monotonic()
        if now - self._looked >= HEAR_AT_MOST_EVERY:
            self._looked = now
            if (version := self._store.version()) != self._version:
                self._version = version
                self._hear()
        if self._why:
            # The stop was heard just now; or the cancellation reached a part that shares this task, and was lost with
            # it.
            raise self._why
        self._stop.check()
        return self._is_paused and can_be_held

    async def _release(self) -> None:
        """Wait until somebody lets the run continue."""
        self._journal.pause(paused=True)
        while self._is_paused:
            self._steered.clear()
            await self._stop.until(self._steered)
        self._journal.pause(paused=False)

    def _hear(self) -> None:
        """Read the latest control word. It holds for every reader; reading does not consume it."""
        word = latest(self._store, self._journal.run_id)
        said = word.said if word else "go"
        was_paused, self._is_paused = self._is_paused, said == "pause"
        self._steered.set()
        if self._is_paused != was_paused and self._waits_for_parts:
            # Such a run does only what its parts do.
            self._journal.pause(paused=self._is_paused)
        if said == "stop":
            self._end(StopSaid(word.said_by if word else ""))

    @property
    def _waits_for_parts(self) -> bool:
        under_way = self._journal.under_way.values()
        return bool(under_way) and all(isinstance(each.action, RunChild) for each in under_way)

    async def _listen(self) -> None:
        """Listen for a stop while an action runs."""
        try:
            async for _ in self._store.rings(at_least=HEAR_AT_MOST_EVERY):
                self._hear()
        except RalphError as error:
            # Without the store no word is heard and nothing can be recorded, so the run stops.
            self._end(error)

    async def _keep_lease(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            try:
                self._journal.beat()
            except RalphError as error:
                return self._end(error)

    def _end(self, why: Exception) -> None:
        if self._why is None and self._main:
            self._why = why
            # If the driving task itself hears it, it is raised there: a cancellation would arrive too late, in later
            # code.
            if asyncio.current_task() is not self._main:
                self._main.cancel()
