"""Signals a process, and no other that got its pid. The watcher program imports this with a bare interpreter."""

import os
import signal

TYPE_CHECKING = False  # typing's own constant would cost an import at every start
if TYPE_CHECKING:
    from collections.abc import Callable


def send_if(pid: int, number: int, is_same: "Callable[[], bool]") -> bool:
    """Signal the process if `is_same` says that the pid still belongs to it. Returns whether it was signalled.

    A PermissionError says that it belongs to somebody else.
    """
    try:
        handle = _handle(pid)
        try:
            # Asked after the handle was taken: the handle refers to what was checked.
            if not is_same():
                return False
            _send(pid, handle, number)
            return True
        finally:
            if handle is not None:
                os.close(handle)
    except ProcessLookupError:
        return False


def _send(pid: int, handle: int | None, number: int) -> None:
    if handle is not None:
        try:
            signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            raise
        except OSError:
            # Also a system that gives handles may refuse to signal by them. If it is the process that must not be
            # signalled, the usual way says so too.
            pass
        else:
            return
    os.kill(pid, number)


def _handle(pid: int) -> int | None:
    """A descriptor that stands for the process, whatever happens to its pid; None if the system has none, does not let
    this process have one, or has no descriptor left. Then another process could get the pid just before the signal.
    """
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except (AttributeError, OSError):
        return None
