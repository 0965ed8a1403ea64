"""Starts processes so that all their descendants are found again, and finds out cheaply whether any was left behind."""

import os
import secrets
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeVar

from ralph.proc.marks import limit_for


class Started(Protocol):
    @property
    def pid(self) -> int: ...


AnyStarted = TypeVar("AnyStarted", bound=Started)

TOKEN = secrets.token_hex(6)
"""Distinguishes the descendants of this process from those of another one that drives, or drove, the same run."""

PR_SET_CHILD_SUBREAPER = 36
USUAL_LIST, LONGEST_LIST = 1 << 12, 1 << 20
NO_LIMIT = -1

started: set[int] = set()
"""The processes that this process started itself and has not waited for yet."""
live: set[str] = set()
"""The tags of the active attempts in this process."""
_starting = threading.Lock()
"""Held from the start of a process until it is in `started`: a look in between would take it for an orphan and kill it.
Looks also happen in other threads."""


def start(begin: Callable[[], AnyStarted]) -> AnyStarted:
    """Start a process with the marks of this one, if it has any: it may outlive this one."""
    with _starting:
        child = begin()
        started.add(child.pid)
    return child


def start_marked(tag: str, begin: Callable[[], AnyStarted]) -> AnyStarted:
    """Start a process of this attempt: its descendants have the limit that shows it."""
    return _start_with_limit(limit_for(TOKEN, tag), begin)


def start_unmarked(begin: Callable[[], AnyStarted]) -> AnyStarted:
    return _start_with_limit(NO_LIMIT, begin)


def _start_with_limit(limit: int, begin: Callable[[], AnyStarted]) -> AnyStarted:
    """Start a process while this one has this limit, because a child inherits the current limits."""
    own = _own_limit()
    if own is None:
        return start(begin)
    import resource

    with _starting:
        resource.setrlimit(resource.RLIMIT_RTTIME, (limit, NO_LIMIT))
        try:
            child = begin()
            started.add(child.pid)
        finally:
            resource.setrlimit(resource.RLIMIT_RTTIME, (own, NO_LIMIT))
    return child


@cache
def _own_limit() -> int | None:
    """The limit that this process was started with; None if the system has none, or if it cannot be raised."""
    if sys.platform != "linux":
        return None
    import resource

    own, highest = resource.getrlimit(resource.RLIMIT_RTTIME)
    return own if highest == NO_LIMIT else None


@cache
def adopt_orphans() -> bool:
    """Make this process the parent of every orphan below it, so that one look shows whether any is left."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopted() -> list[int] | None:
    """The living orphans among this process's children; None if that cannot be known.

    Dead ones are reaped at the same time, so that no zombie stays.
    """
    if not adopt_orphans() or (file := _children_file()) < 0:
        return None
    with _starting:
        listed = os.pread(file, USUAL_LIST, 0)
        if len(listed) == USUAL_LIST:
            listed = os.pread(file, LONGEST_LIST, 0)
        return [pid for pid in map(int, listed.split()) if pid not in started and _is_alive(pid)]


def _is_alive(orphan: int) -> bool:
    try:
        return os.waitpid(orphan, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False


@cache
def _children_file() -> int:
    """The descriptor of the children file, kept open because it is read after every process; -1 if there is none."""
    try:
        return os.open(f"/proc/self/task/{threading.main_thread().native_id}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
