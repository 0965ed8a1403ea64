"""Learns that a process has ended, while it runs beside others."""

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from ralph.model.errors import StateError
from ralph.proc.child import Child
from ralph.proc.readiness import Readiness

Call = Callable[[], None]


def watch_exit(child: Child, watched: Readiness, exited: Call) -> Call:
    """Call `exited` once when the child has ended; return the function that stops watching."""
    try:
        pidfd = os.pidfd_open(child.pid)
    except (AttributeError, OSError):
        # The system has no such descriptors, does not let this process have one, or has none left.
        return _wait_in_thread(child, exited)

    def stop() -> None:
        nonlocal pidfd
        if pidfd >= 0:
            watched.remove(pidfd)
            os.close(pidfd)
            pidfd = -1

    def readable() -> None:
        stop()
        exited()

    watched.add(pidfd, readable)
    return stop


def _wait_in_thread(child: Child, exited: Call) -> Call:
    """Wait in a thread of its own. The threads of the event loop are few: if all of them waited, none would be left to
    end what they wait for.
    """
    loop = asyncio.get_running_loop()
    watching = True

    def stop() -> None:
        nonlocal watching
        watching = False

    def ended() -> None:
        if watching:
            exited()

    def wait() -> None:
        with suppress(StateError):  # The exit code is lost: the caller that asks for it gets this error, too.
            child.wait()
        with suppress(RuntimeError):  # The event loop is closed, so nobody waits any more.
            loop.call_soon_threadsafe(ended)

    threading.Thread(target=wait, name=f"wait for {child.pid}", daemon=True).start()
    return stop
