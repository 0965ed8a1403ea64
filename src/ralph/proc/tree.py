"""Finds and ends what a process left behind, although agents put their tools into their own sessions.

Each look reads the process table once, however many processes must be ended.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from ralph.proc.marks import Mark, mark_of_attempt, mark_of_variable
from ralph.proc.reaper import TOKEN, adopted, live
from ralph.proc.table import ListedProcess, below, entry_of, read_table, send, started_since

FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.1
"""The seconds between two looks at processes that were asked to end."""
QUICK_LOOK = 0.0005
MOMENT = 0.03
MOST = 1.0
LONGEST = 4.0
"""How many seconds killing may take, if something starts processes faster than they are killed."""

Spare = Callable[[int], bool]
"""Whether a process, and all processes below it, may live on."""


def end(
    root: int | None, tag: str, *, grace: float = 0.0, interrupt_first: bool = False, spare: Spare | None = None
) -> None:
    """End everything below `root`, everything of this attempt, and every orphan that ralph adopted.

    With a grace period it first asks: TERM to all; if the root needs SIGINT, it gets that alone for the first half of
    the period. KILL follows in any case, and is repeated until nothing is found.
    """
    if root is not None and grace and interrupt_first:
        _interrupt(root, grace / 2)
        grace /= 2
    _end_all(_Search(root, tag, mark_of_attempt(TOKEN, tag), spare), grace)


def end_orphans(variable: str, *, grace: float) -> None:
    """End every orphan that ralph adopted, and everything with this variable in its environment."""
    _end_all(_Search(None, "", mark_of_variable(variable), None), grace)


def end_marked(variable: str) -> None:
    """End every process with this in its environment, wherever it is. Other descendants of this process stay."""
    mark = mark_of_variable(variable)
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        table = read_table()
        found = mark.find(table.keys()) - {os.getpid()}
        if not found:
            break
        for pid in found:
            send(table[pid], signal.SIGKILL)


class _Search:
    """The repeated search for processes that must be ended."""

    def __init__(self, root: int | None, tag: str, mark: Mark, spare: Spare | None) -> None:
        self._root = root
        self._tag = tag
        self._mark = mark
        self._spare = spare

    def all(self) -> list[ListedProcess]:
        table = read_table()
        us = table[os.getpid()]
        roots = self._ours() | self._mark.find(started_since(table, us.start))
        if self._root is not None:
            roots.add(self._root)
        found = below(table, roots) - {us.pid}
        if self._spare:
            found -= below(table, filter(self._spare, found))
        return [table[pid] for pid in found]

    def orphans(self) -> list[int]:
        return [pid for pid in self._ours() if not (self._spare and self._spare(pid))]

    def _ours(self) -> set[int]:
        """The orphans that ralph adopted, without those of another active attempt."""
        orphans = set(adopted() or [])
        return self._mark.find(orphans) if live - {self._tag} else orphans


def _end_all(search: _Search, grace: float) -> None:
    if grace:
        _ask_to_end(search.all())
        _wait(search.all, grace)
    deadline = time.monotonic() + LONGEST
    while (alive := search.all()) and time.monotonic() < deadline:
        for each in alive:
            send(each, signal.SIGKILL)
        _kill_orphans(search)
    _kill_orphans(search)


def _interrupt(root: int, grace: float) -> None:
    if entry := entry_of(root):
        send(entry, signal.SIGINT)
    _wait(lambda: entry_of(root), grace)


def _ask_to_end(processes: Iterable[ListedProcess]) -> None:
    for each in processes:
        send(each, signal.SIGTERM)
        if each.stopped:
            # Otherwise it would not get the signal before somebody else continues it.
            send(each, signal.SIGCONT)


def _kill_orphans(search: _Search) -> None:
    """Kill orphans until none has appeared for a moment.

    A chain of processes, each of which starts the next and exits, is faster than a look at all processes. But each link
    becomes our child when the one before it exits, and our own children are found quickly.
    """
    until = time.monotonic() + MOMENT
    last = until + MOST
    while time.monotonic() < min(until, last):
        orphans = search.orphans()
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if orphans:
            until = time.monotonic() + MOMENT
        else:
            time.sleep(QUICK_LOOK)


def _wait(left: Callable[[], object], seconds: float) -> None:
    """Wait until nothing is left, or the time is over."""
    deadline = time.monotonic() + seconds
    pause = FIRST_PAUSE
    while left() and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
