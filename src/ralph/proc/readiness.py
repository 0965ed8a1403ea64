"""Calls a function while a descriptor is readable, and keeps deadlines. A process has three descriptors, and most live
for milliseconds.
"""

import asyncio
import select
from collections.abc import Callable

from ralph.proc.deadlines import Deadlines

Call = Callable[[], object]


class Readiness:
    """The descriptors that are watched in an event loop. Where there is none better, the loop watches each of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.deadlines = Deadlines(loop)

    def add(self, file: int, call: Call) -> None:
        self._loop.add_reader(file, call)

    def remove(self, file: int) -> None:
        """Stop watching it. It must still be open."""
        self._loop.remove_reader(file)

    def close(self) -> None:
        """Release what it holds, after its loop is closed."""


class _Epoll(Readiness):
    """One epoll descriptor that stands for all others, and that the loop watches all the time: adding a descriptor to
    the loop and removing it again costs more than reading it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._calls: dict[int, Call] = {}
        self._epoll = select.epoll()
        loop.add_reader(self._epoll.fileno(), self._call_ready)

    def add(self, file: int, call: Call) -> None:
        self._calls[file] = call
        self._epoll.register(file, select.EPOLLIN)

    def remove(self, file: int) -> None:
        if self._calls.pop(file, None):
            self._epoll.unregister(file)

    def close(self) -> None:
        self._epoll.close()

    def _call_ready(self) -> None:
        for file, _ in self._epoll.poll(0):
            # A call before this one may have removed it.
            if call := self._calls.get(file):
                call()


_of_loops: dict[asyncio.AbstractEventLoop, Readiness] = {}


def readiness() -> Readiness:
    """The descriptors that are watched in the running event loop."""
    loop = asyncio.get_running_loop()
    found = _of_loops.get(loop)
    if found is None:
        for closed in [each for each in _of_loops if each.is_closed()]:
            _of_loops.pop(closed).close()
        found = _of_loops[loop] = _Epoll(loop) if hasattr(select, "epoll") else Readiness(loop)
    return found
