"""Notice a file as it comes, without asking for it again and again."""

import asyncio
import ctypes
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

IN_CREATE = 0x100
IN_MOVED_TO = 0x80
IN_ATTRIB = 0x4
WANTED = IN_CREATE | IN_MOVED_TO | IN_ATTRIB
LOOK_AGAIN = 1.0
"""Where the system cannot tell, in seconds."""

_spare: list[int] = []
"""Descriptors for the next watch: to close one takes the kernel milliseconds, and some agents run no longer."""


@contextmanager
def watch_for(path: Path, came: Callable[[], None]) -> Generator[None]:
    """Call `came` once when the file is there, or if it is there already."""
    watch = _Watch(path, came)
    try:
        watch.look()
        yield
    finally:
        watch.close()


class _Watch:
    def __init__(self, path: Path, came: Callable[[], None]) -> None:
        self._path = path
        self._came = came
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._inotify = _inotify(path.parent)
        if self._inotify >= 0:
            self._loop.add_reader(self._inotify, self._stirred)

    def look(self) -> None:
        if self._path.exists():
            self.close()
            self._came()
        elif self._inotify < 0:
            self._timer = self._loop.call_later(LOOK_AGAIN, self.look)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self._inotify >= 0:
            self._loop.remove_reader(self._inotify)
            _spare.append(self._inotify)
            self._inotify = -1

    def _stirred(self) -> None:
        os.read(self._inotify, 65536)
        self.look()


def _inotify(directory: Path) -> int:
    """A descriptor that becomes readable when something comes into the directory, or -1.

    It may still tell of what came while nobody watched, or into a directory that was watched before: whoever is told
    has to look.
    """
    if sys.platform != "linux":
        return -1
    descriptor = _spare.pop() if _spare else _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor >= 0 and _libc().inotify_add_watch(descriptor, os.fsencode(directory), WANTED) < 0:
        _spare.append(descriptor)
        return -1
    return descriptor


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
