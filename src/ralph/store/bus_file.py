"""The file of a message bus: opened without following links, with one writer at a time, and read as it grows."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ralph.model.errors import StateError
from ralph.store.bus_format import Gap, Message, Scanner
from ralph.store.files import write_all

READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""The flags to read without blocking: an agent may have replaced the file with a pipe."""
APPEND = READ | os.O_RDWR | os.O_APPEND | os.O_CREAT
PATIENCE = 30.0
"""How long to wait for other writers, in seconds."""
TRY_AGAIN = 0.002
LOOK_AGAIN = 0.1
CHUNK = 1 << 20

Mark = tuple[int, int, int]
"""What distinguishes one state of a file from another: which file it is, and its length."""


@contextmanager
def opened(path: Path) -> Generator[tuple[int, Mark]]:
    file = os.open(path, READ)
    try:
        yield file, _regular(path, file)
    finally:
        os.close(file)


@contextmanager
def locked(path: Path) -> Generator[tuple[int, Mark]]:
    """The file, open for appending. The kernel drops the lock with the process, so no lock is ever stale."""
    until = time.monotonic() + PATIENCE
    while True:
        file = os.open(path, APPEND, 0o600)
        try:
            _lock(file, path, until)
            now = _regular(path, file)
            if _is_at(path, now):
                yield file, now
                return
            # Someone replaced the file meanwhile: the new one is the bus now.
        finally:
            os.close(file)


def unlock(file: int) -> None:
    fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def readable_errors(doing: str, path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StateError(f"{path} is a symbolic link.", "Remove it: messages are kept in a file.") from error
        hint = "Check the directory, its permissions and the free space on the disk."
        raise StateError(f"cannot {doing} {path}: {error.strerror}.", hint) from error


def sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


class Reader:
    """Reads a file from where the last read ended, or from the beginning if it is another file now."""

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._mark: Mark | None = None

    @property
    def last(self) -> str:
        return self._scanner.last

    def read(self, file: int, now: Mark, *, whole: bool = False) -> list[Message | Gap]:
        if self._mark and (now[:2] != self._mark[:2] or now[2] < self._scanner.offset):
            self._scanner = Scanner()
        elif now == self._mark and not whole:
            return []
        self._mark = now
        return list(self._scanner.scan(_rest(file, self._scanner.offset), whole=whole))

    def append(self, file: int, data: bytes, message_id: str) -> bool:
        """Write a message. Return whether it counts as read already, which is so only if everything before it was
        read.
        """
        write_all(file, data)
        now = _mark(os.fstat(file))
        start = now[2] - len(data)
        # A message ends before the newline that ends its line.
        follows = self._mark == (*now[:2], start) and start - self._scanner.offset <= 1
        if follows:
            self._mark, self._scanner.offset, self._scanner.last = now, now[2], message_id
        return follows

    def has_all(self, path: Path) -> bool:
        """Whether nothing happened to the file since it was read."""
        return _mark_at(path) == self._mark

    def forget(self) -> None:
        """Start from the beginning, because the file does not exist any more."""
        self._scanner, self._mark = Scanner(), None

    def wait_for_change(self, path: Path) -> None:
        while self.has_all(path):
            if not path.parent.is_dir():
                raise StateError(f"{path.parent} is gone.", "Nothing more can come from its bus.")
            time.sleep(LOOK_AGAIN)


def _mark(info: os.stat_result) -> Mark:
    return info.st_dev, info.st_ino, info.st_size


def _mark_at(path: Path) -> Mark | None:
    try:
        return _mark(os.lstat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_at(path: Path, file: Mark) -> bool:
    there = _mark_at(path)
    return there is not None and there[:2] == file[:2]


def _regular(path: Path, file: int) -> Mark:
    info = os.fstat(file)
    if not stat.S_ISREG(info.st_mode):
        raise StateError(f"{path} is not a regular file.", "Remove it: messages are kept in a file.")
    return _mark(info)


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
                    f"another process has held {path} for {PATIENCE:.0f} seconds.", "End that process, then try again."
                ) from None
            time.sleep(TRY_AGAIN)
