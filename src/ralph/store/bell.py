"""A file that is touched after each commit, so that other processes learn of it without polling."""

import fcntl
import os
import select
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

IN_ATTRIB = 0x4
DEAF = -1
LOOK_AGAIN = 0.05
"""How often to look where the system does not report changes, in seconds."""


class Bell:
    """The bell, rung after the commit: a process that hears it sees the rows. SQLite's own files change before that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def ring(self) -> None:
        os.utime(self._file)

    @contextmanager
    def held(self, *, alone: bool = False) -> Generator[None]:
        """Hold the file together with others, or alone. It waits until that is possible."""
        fcntl.flock(self._file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def listen(self) -> int:
        """A descriptor that becomes readable when the bell is rung; DEAF if none is available."""
        if sys.platform != "linux":
            return DEAF
        ear = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if ear >= 0 and _libc().inotify_add_watch(ear, os.fsencode(self._path), IN_ATTRIB) < 0:
            os.close(ear)
            return DEAF
        return ear

    def close(self) -> None:
        """Close the descriptor once: afterwards its number may belong to something else."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def wait_readable(ear: int, seconds: float) -> None:
    """Wait until the descriptor is readable, at most `seconds`. What it reports is discarded."""
    if select.select([ear], [], [], max(0.0, seconds))[0]:
        silence(ear)


def silence(ear: int) -> None:
    with suppress(BlockingIOError):
        os.read(ear, 65536)


@cache
def _libc() -> "ctypes.CDLL":
    # It is imported here: most commands do not listen.
    import ctypes

    return ctypes.CDLL(None, use_errno=True)
