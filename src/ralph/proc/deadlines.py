"""When processes must have ended. One timer serves all of an event loop: most processes end long before their time."""

import asyncio
import time
from typing import Protocol

NEVER = float("inf")


class Limited(Protocol):
    """Something that has deadlines."""

    def due(self) -> float:
        """When its next deadline is, on the monotonic clock; `NEVER` if it has none."""
        ...

    def check(self, now: float) -> None:
        """Act on the deadlines that have passed. They must not be due any more."""
        ...


class Deadlines:
    """The deadlines in an event loop. One that moves to a later time costs nothing until the earlier time comes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._limited: set[Limited] = set()
        self._next = NEVER
        self._timer: asyncio.TimerHandle | None = None

    def expect(self, limited: Limited, at: float) -> None:
        """Check it at this time, if it is due then."""
        self._limited.add(limited)
        if at < self._next:
            self._wake(at)

    def forget(self, limited: Limited) -> None:
        self._limited.discard(limited)

    def _wake(self, at: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._next = at
        self._timer = self._loop.call_at(at, self._check)

    def _check(self) -> None:
        self._next, self._timer = NEVER, None
        now = time.monotonic()
        for each in tuple(self._limited):
            each.check(now)
        at = min((each.due() for each in self._limited), default=NEVER)
        if at < self._next:
            self._wake(at)
