"""A file that one process at a time holds. It does not exist while nobody holds it."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from weakref import finalize

LONGEST = 32


class Held(Exception):
    """Another process holds the lock."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


class LockFile:
    """A lock that the kernel drops with the process, so that it is never stale."""

    def __init__(self, path: Path) -> None:
        handle = _taken(path)
        self._release = finalize(self, _release, handle, path, os.getpid())
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        self._release()


def remove_abandoned(folder: Path) -> None:
    """Remove the lock files of processes that were killed. A file without a process id is not a lock file."""
    for path in folder.glob("*.lock"):
        with suppress(OSError, Held):
            holder = _holder(path)
            if holder.isascii() and holder.isdigit() and not _is_alive(int(holder)):
                LockFile(path).close()


def _holder(path: Path) -> str:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(handle, LONGEST).decode(errors="replace").strip()
    finally:
        os.close(handle)


def _is_alive(pid: int) -> bool:
    """Whether the process is alive. One in another container may be invisible here, but then the kernel still has its
    lock.
    """
    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


def _taken(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if _is_ours_now(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        # The holder has just removed the file: a lock on it would be one that nobody else sees.
        os.close(handle)


def _is_ours_now(handle: int, path: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Held(os.pread(handle, LONGEST, 0).decode(errors="replace").strip() or "unknown") from None
    return _is_at(path, handle)


def _release(handle: int, path: Path, holder: int) -> None:
    with suppress(OSError):
        if os.getpid() == holder and _is_at(path, handle):
            path.unlink()
    os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
