"""How ralph's client programs handle signals, whatever agent they talk to."""

import signal
from typing import Protocol

ENDS = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """Nobody waits for the session any longer."""


class Cancellable(Protocol):
    def cancel(self) -> bool:
        """Ask the agent to stop. Returns whether there was one to ask."""
        ...


def heed_signals(session: Cancellable, patience: float) -> None:
    """Handle signals: the first cancels the session; a second, or no reaction to the first, ends it."""

    def stop(_number: int, _frame: object) -> None:
        raise Stopped

    def cancel(_number: int, _frame: object) -> None:
        for number in ENDS:
            signal.signal(number, stop)
        if not session.cancel():
            raise Stopped
        signal.setitimer(signal.ITIMER_REAL, patience)

    signal.signal(signal.SIGALRM, stop)
    for number in ENDS:
        signal.signal(number, cancel)


def ignore_signals() -> None:
    """Ignore signals, so that the remaining work is finished."""
    for number in (*ENDS, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
