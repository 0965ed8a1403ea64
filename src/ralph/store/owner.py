"""Who drives a run, and whether that process is still alive."""

import os
import sys
import time
from functools import cache
from pathlib import Path

import msgspec

from ralph.model.runs import ALIVE, Owner, RunStatus
from ralph.proc.identity import lives, started

TTL = 60.0
"""How many seconds a run belongs to a silent process on another machine."""
BEAT = TTL / 5
_decoder = msgspec.json.Decoder(Owner)


@cache
def _me(pid: int) -> Owner:
    return Owner(host(), _boot(), _pid_namespace(), pid, started(pid))


def me() -> Owner:
    return _me(os.getpid())


def host() -> str:
    return os.uname().nodename


def read_owner(text: str | None) -> Owner | None:
    return _decoder.decode(text) if text else None


def is_free(owner: Owner | None, until: float) -> bool:
    """Whether nobody has the run. For a process here the kernel decides, for another machine the lease."""
    if owner is None:
        return True
    if is_here(owner):
        return not lives(owner.pid, owner.since)
    return until < time.time()


def is_here(owner: Owner) -> bool:
    """Whether the process runs on this kernel and is visible from here."""
    mine = me()
    return (owner.host, owner.boot, owner.pid_namespace) == (mine.host, mine.boot, mine.pid_namespace)


def status_now(stored: RunStatus, owner: Owner | None, until: float) -> RunStatus:
    """The status now. A run whose process died can be resumed, and is never shown as running forever."""
    return "interrupted" if stored in ALIVE and is_free(owner, until) else stored


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        import psutil

        return f"{psutil.boot_time():.0f}"


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - what it links to is no path
    except OSError:
        return sys.platform
