"""Know cheaply, after every process, whether it left anything behind."""

import os
import secrets
import sys
import threading
from functools import cache

TAG = "RALPH_ATTEMPT_ID"
"""Inherited by every descendant, whatever group or session it moves to."""
TOKEN = secrets.token_hex(6)
"""Tells the descendants of this process from those of another one that drives, or drove, the same run."""

PR_SET_CHILD_SUBREAPER = 36
USUAL_LIST, LONGEST_LIST = 1 << 12, 1 << 20

started: set[int] = set()
"""Processes that this one started itself and has not waited for yet."""


live: set[str] = set()
"""The marks of the attempts under way in this process."""


def mark(attempt: str) -> str:
    """How the descendants of an attempt are marked: `NAME=value` as it stands in an environment."""
    return f"{TAG}={TOKEN}.{attempt}"


@cache
def adopt_orphans() -> bool:
    """Make this process the parent of every orphan below it, so that one look tells whether any is left."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopted() -> list[int] | None:
    """The orphans among this process's children, dead or alive; nothing where that cannot be known."""
    if not adopt_orphans() or (file := _children_file()) < 0:
        return None
    listed = os.pread(file, USUAL_LIST, 0)
    if len(listed) == USUAL_LIST:
        listed = os.pread(file, LONGEST_LIST, 0)
    return [pid for pid in map(int, listed.split()) if pid not in started]


@cache
def _children_file() -> int:
    """Open for as long as we live, since it is read after every process; -1 where there is none."""
    try:
        return os.open(f"/proc/self/task/{threading.main_thread().native_id}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def reap(pids: list[int]) -> None:
    """Take the exit status of dead orphans, so that no zombie stays."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            continue
