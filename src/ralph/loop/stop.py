"""Stopping on a person's word: the first signal lets the current operation finish, the second ends it."""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from ralph.model.errors import Cancelled

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    def __init__(self, *, at_once: bool = False) -> None:
        self.requested = ""
        self._at_once = at_once
        self.at_once_by = ""
        self._wake = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Sleep, unless somebody wants to stop: then stop at once."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)
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
            if task and (self.requested or self._at_once):
                self.at_once_by = number.name if self._at_once else "a second signal"
                task.cancel()
            self.requested = number.name
            self._wake.set()

        for number in SIGNALS:
            loop.add_signal_handler(number, received, number)
        try:
            yield
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
            if self.requested:
                _hear_no_more()


def _hear_no_more() -> None:
    """The process is ending as it was asked to: one more signal must not cut off its last words and its exit code."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
