"""Which process is it really? A pid alone is not enough: pids are used again."""

import os

import psutil

CLOCK_STEP = 2.0
"""Start times are read with this much slack, in seconds: the clock may be stepped while a run lives."""


def started(pid: int | None = None) -> float:
    """When the process started, or 0 if it is gone."""
    try:
        return psutil.Process(os.getpid() if pid is None else pid).create_time()
    except psutil.Error:
        return 0.0


def lives(pid: int, since: float) -> bool:
    now = started(pid)
    return bool(now) and abs(now - since) < CLOCK_STEP
