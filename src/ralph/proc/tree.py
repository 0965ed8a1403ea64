"""Find and end what a process left behind, though agents put their tools into sessions of their own."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from ralph.proc.reaper import adopted, live, reap

LOOK_AGAIN = 0.01
QUICK_LOOK = 0.0005
MOMENT = 0.03
MOST = 1.0
ROUNDS = 100


Spare = Callable[[int], bool]
"""Whether a process, and all below it, may live on."""


def end(
    root: int | None, mark: str, *, grace: float = 0.0, interrupt_first: bool = False, spare: Spare | None = None
) -> None:
    """End everything below `root`, everything marked, and every orphan that came to us.

    With a grace period politely: SIGINT to the root alone where that is what it wants, then TERM to all. KILL comes
    in any case, and is repeated until nothing is found.
    """
    if root is not None and grace and interrupt_first:
        _signal([psutil.Process(root)] if psutil.pid_exists(root) else [], signal.SIGINT)
        _wait(lambda: [process for process in _tree(root)[:1] if not _is_zombie(process)], grace)
    if grace:
        _signal(_targets(root, mark, spare), signal.SIGTERM)
        _wait(lambda: _targets(root, mark, spare), grace)
    for _ in range(ROUNDS):
        alive = _targets(root, mark, spare)
        _signal(alive, signal.SIGKILL)
        _kill_orphans(mark, spare)
        if not alive:
            break


def end_marked(needle: str) -> None:
    """End whatever carries this in its environment, wherever it is."""
    end(None, needle)


def _kill_orphans(mark: str, spare: Spare | None) -> None:
    """Until none has come for a moment.

    A chain of processes, each of which starts the next and goes, is faster than a look at all processes. But each
    link becomes our child when the one before it goes, and our own children are quickly seen.
    """
    until = time.monotonic() + MOMENT
    last = until + MOST
    while time.monotonic() < min(until, last):
        orphans = [pid for pid in adopted() or [] if _is_ours(pid, mark) and not (spare and spare(pid))]
        if orphans:
            until = time.monotonic() + MOMENT
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap(orphans)
        time.sleep(QUICK_LOOK)


def _targets(root: int | None, mark: str, spare: Spare | None) -> list[psutil.Process]:
    found = {} if root is None else {process.pid: process for process in _tree(root)}
    for orphan in adopted() or []:
        if _is_ours(orphan, mark):
            found |= {process.pid: process for process in _tree(orphan)}
    needle = mark.encode() + b"\0"
    for process in psutil.process_iter():
        if process.pid not in found and process.pid != os.getpid() and needle in _environment(process.pid):
            found[process.pid] = process
    if spare:
        for pid in [pid for pid in found if spare(pid)]:
            for spared in _tree(pid):
                found.pop(spared.pid, None)
    return [process for process in found.values() if not _is_zombie(process)]


def _is_ours(orphan: int, mark: str) -> bool:
    """Whether an orphan is to be ended with this attempt. One of another attempt that still runs is not."""
    others = live - {mark}
    if not others:
        return True
    environment = _environment(orphan)
    return mark.encode() + b"\0" in environment


def _tree(root: int) -> list[psutil.Process]:
    with suppress(psutil.Error):
        top = psutil.Process(root)
        return [top, *top.children(recursive=True)]
    return []


def _signal(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def _wait(left: Callable[[], list[psutil.Process]], seconds: float) -> None:
    """Until nothing is left. Not with psutil's own waiting: it would take the exit status from whoever started it."""
    deadline = time.monotonic() + seconds
    while left() and time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def _environment(pid: int) -> bytes:
    try:
        if sys.platform == "linux":
            return Path(f"/proc/{pid}/environ").read_bytes()
        return "".join(f"{name}={value}\0" for name, value in psutil.Process(pid).environ().items()).encode()
    except (OSError, psutil.Error):
        return b""
