"""Signals, from the start of a command: those that end it do so in the same way, wherever they arrive."""

import signal
import sys

TYPE_CHECKING = False  # typing's own constant would cost an import at every start
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

MOMENT = 0.01
"""The seconds after which an ignored signal is repeated."""


def hear_interrupts() -> None:
    """Let SIGTERM end this process as SIGINT does, until a run handles signals itself."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Whatever started ralph may ignore this one, and that is inherited: the system would then discard the exit codes of
    # all processes that ralph starts.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.unraisablehook = _repeated


def _repeated(ignored: "UnraisableHookArgs") -> None:
    """Repeat a signal whose exception Python ignores, because it arrived in a callback such as those of imports."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    # Raised here, it would be ignored again.
    signal.signal(signal.SIGALRM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, MOMENT)
