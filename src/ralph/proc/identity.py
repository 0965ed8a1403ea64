"""Which process is it really? A pid alone is not enough: pids are used again.

psutil is imported where it is needed: it takes as long as a tenth of a start, and most runs never need it.
"""

import os
import signal
import sys
from pathlib import Path

CLOCK_STEP = 2.0
"""Where start times are told by the clock, it may be stepped by this many seconds while a run lives."""
DEAD = ("Z", "X")
STATE, START = 0, 19
"""Their places in /proc/<pid>/stat, counted from behind the name."""


def started(pid: int | None = None) -> float:
    """When the process started, or 0 if it is gone. A number to compare: on Linux it counts from the boot."""
    pid = os.getpid() if pid is None else pid
    if sys.platform == "linux":
        return _since_boot(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        return 0.0 if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return 0.0


def lives(pid: int, since: float) -> bool:
    now = started(pid)
    if sys.platform == "linux":
        return bool(now) and now == since
    return bool(now) and abs(now - since) < CLOCK_STEP


def send(pid: int, since: float, number: int) -> bool:
    """Signal this very process and no other that got its pid; whether it still lived."""
    try:
        if sys.platform != "linux":
            return lives(pid, since) and os.kill(pid, number) is None
        handle = os.pidfd_open(pid)
        try:
            # Looked at after the handle was taken: what the handle holds is what was looked at.
            return lives(pid, since) and signal.pidfd_send_signal(handle, number) is None
        finally:
            os.close(handle)
    except ProcessLookupError:
        return False


def owner(pid: int) -> str:
    import psutil

    try:
        return psutil.Process(pid).username()
    except psutil.Error:
        return "unknown"


def _since_boot(pid: int) -> float:
    """Not by the clock, which may be stepped. That pid and hundredth of a second are the same again after another
    boot need not be feared.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0.0
    # `pid (name) state parent ...`, and the name may hold anything.
    fields = stat.rpartition(b")")[2].decode().split()
    return 0.0 if fields[STATE] in DEAD else int(fields[START]) / os.sysconf("SC_CLK_TCK")


def is_ralph(pid: int) -> bool:
    """Whether a program of that name runs there, as such or by an interpreter."""
    import psutil

    try:
        words = psutil.Process(pid).cmdline()[:3]
    except psutil.Error:
        return False
    return any(os.path.basename(word) == "ralph" for word in words)  # noqa: PTH119 - the name only
