"""Stopping on a person's request: the first signal lets the current operation finish, the second ends it."""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from ralph.model.errors import Cancelled

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that stop a run. SIGHUP comes when the terminal is closed."""


class Stop:
    """A stop request. Without `on_signals`, only `ralph cancel` stops what is driven with it."""

    def __init__(self) -> None:
        self.requested = ""
        self.at_once = False
        """Whether the first signal ends what runs, instead of letting it finish."""
        self.at_once_by = ""
        self._wake = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Sleep, unless somebody wants to stop: then stop at once."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self.check()

    async def until(self, event: asyncio.Event) -> None:
        """Wait for the event, unless somebody wants to stop."""
        waiting = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(self._wake.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        self.check()

    def check(self) -> None:
        if self.requested:
            raise Cancelled(f"stopped by {self.requested}.", "Continue: ralph resume")

    @contextmanager
    def on_signals(self, told: Callable[[], None]) -> Generator[None]:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()

        def received(number: signal.Signals) -> None:
            if not self.requested:
                told()
            if task and (self.requested or self.at_once):
                self.at_once_by = number.name if self.at_once else "a second signal"
                task.cancel()
            self.requested = number.name
            self._wake.set()

        # A run that was started under nohup keeps ignoring that its terminal is closed.
        wanted = [number for number in SIGNALS if number != signal.SIGHUP or _is_heard(number)]
        for number in wanted:
            loop.add_signal_handler(number, received, number)
        try:
            yield
        finally:
            for number in wanted:
                loop.remove_signal_handler(number)
            if self.requested:
                _hear_no_more()


def _is_heard(number: signal.Signals) -> bool:
    return signal.getsignal(number) != signal.SIG_IGN


def _hear_no_more() -> None:
    """Ignore further signals: the process is ending, and they must not cut off its last output and its exit code."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
