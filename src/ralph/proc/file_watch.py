"""Notices a new file without polling."""

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
"""The seconds between two looks, where the system cannot report changes."""


@contextmanager
def watch_for(path: Path | str, came: Callable[[], None], every: float = LOOK_AGAIN) -> Generator[None]:
    """Call `came` once when the file appears, or if it already exists.

    `every` is the number of seconds between two looks if the system does not report changes.
    """
    watch = _Watch(os.fspath(path), came, every)
    try:
        watch.look()
        yield
    finally:
        watch.close()


class _Watch:
    def __init__(self, path: str, came: Callable[[], None], every: float) -> None:
        self._path = path
        self._came = came
        self._every = every
        self._timer: asyncio.TimerHandle | None = None
        directory = os.path.dirname(path) or "."  # noqa: PTH120 - a Path costs more than the whole watch
        self._inotify = _inotify(directory, self.look)

    def look(self) -> None:
        if os.path.exists(self._path):  # noqa: PTH110 - as above
            self.close()
            self._came()
        elif self._inotify is None:
            self._timer = asyncio.get_running_loop().call_later(self._every, self.look)

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        if self._inotify:
            self._inotify.stirred = None
            _spare.append(self._inotify)
            self._inotify = None


class _Inotify:
    """A descriptor that becomes readable when something appears in a directory.

    It may also report what appeared while nobody watched, or in a directory that was watched before, so the caller must
    look.
    """

    def __init__(self, descriptor: int) -> None:
        self.stirred: Callable[[], None] | None = None
        self._descriptor = descriptor
        self._loop: asyncio.AbstractEventLoop | None = None

    def watch(self, directory: str) -> bool:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.add_reader(self._descriptor, self._readable)
        return _libc().inotify_add_watch(self._descriptor, os.fsencode(directory), WANTED) >= 0

    def _readable(self) -> None:
        os.read(self._descriptor, 65536)
        if self.stirred:
            self.stirred()


_spare: list[_Inotify] = []
"""Descriptors for the next watch: closing one takes the kernel milliseconds, and some agents run no longer."""


def _inotify(directory: str, stirred: Callable[[], None]) -> _Inotify | None:
    """A descriptor that watches the directory, or None if that is not available."""
    if sys.platform != "linux":
        return None
    if not _spare:
        descriptor = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if descriptor < 0:
            return None
        _spare.append(_Inotify(descriptor))
    inotify = _spare.pop()
    if not inotify.watch(directory):
        _spare.append(inotify)
        return None
    inotify.stirred = stirred
    return inotify


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
