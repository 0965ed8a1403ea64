"""The file of a message bus: opened without following links, one writer in it at a time, read as it grows."""

import fcntl
import os
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from ralph.model.errors import StateError
from ralph.store.bus_format import Gap, Message, Scanner

READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Without blocking: an agent may have put a pipe in the place of the file."""
APPEND = READ | os.O_RDWR | os.O_APPEND | os.O_CREAT
PATIENCE = 30.0
"""How long to wait for other writers, in seconds."""
TRY_AGAIN = 0.002
LOOK_AGAIN = 0.1
CHUNK = 1 << 20

Mark = tuple[int, int, int]
"""What tells one state of a file from another: which file it is, and how long."""


@contextmanager
def opened(path: Path, flags: int = READ) -> Generator[int]:
    file = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise StateError(f"{path} is not a regular file.", "Move it away: ralph keeps messages there.")
        yield file
    finally:
        os.close(file)


@contextmanager
def locked(path: Path) -> Generator[int]:
    """The file, open for appending. The kernel drops the lock with the process, so none is ever stale."""
    until = time.monotonic() + PATIENCE
    while True:
        with opened(path, APPEND) as file:
            _lock(file, path, until)
            if mark(os.fstat(file)) == mark_at(path):
                yield file
                return
            # Someone has put another file in its place meanwhile: that one is the bus now.


def unlock(file: int) -> None:
    fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def readable_errors(doing: str, path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        hint = "Remove the link: ralph does not write through it." if path.is_symlink() else "See that it can be."
        raise StateError(f"cannot {doing} {path}: {error.strerror}.", hint) from error


def sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def mark(info: os.stat_result) -> Mark:
    return info.st_dev, info.st_ino, info.st_size


def mark_at(path: Path) -> Mark | None:
    try:
        return mark(path.lstat())
    except FileNotFoundError:
        return None


class Reader:
    """Reads a file from where it was the last time, or from the beginning if it is another file now."""

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._mark: Mark | None = None

    @property
    def last(self) -> str:
        return self._scanner.last

    def read(self, file: int, *, whole: bool = False) -> Iterator[Message | Gap]:
        now = mark(os.fstat(file))
        if self._mark and (now[:2] != self._mark[:2] or now[2] < self._scanner.offset):
            self._scanner = Scanner()
        self._mark = now
        return self._scanner.scan(_rest(file, self._scanner.offset), whole=whole)

    def wait_for_change(self, path: Path) -> None:
        while mark_at(path) == self._mark:
            if not path.parent.is_dir():
                raise StateError(f"{path.parent} is gone.", "Nothing more can come from its bus.")
            time.sleep(LOOK_AGAIN)


def _rest(file: int, offset: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.pread(file, CHUNK, offset):
        pieces.append(piece)
        offset += len(piece)
    return b"".join(pieces)


def _lock(file: int, path: Path, until: float) -> None:
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise StateError(
                    f"another process has held {path} for {PATIENCE:.0f} seconds.", "End it, then try again."
                ) from None
            time.sleep(TRY_AGAIN)
