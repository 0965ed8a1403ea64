"""Writing files in places that an agent can reach: never through a link that it may have put there."""

import errno
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ralph.model.errors import ConfigError, StateError

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
FULL = (errno.ENOSPC, errno.EDQUOT)


def create(path: Path | str) -> int:
    return os.open(path, NEW_FILE, 0o600)


def write_all(file: int, data: bytes) -> None:
    written = os.write(file, data)
    while written < len(data):
        written += os.write(file, memoryview(data)[written:])


def write_new(path: Path | str, data: bytes) -> None:
    file = create(path)
    try:
        write_all(file, data)
    finally:
        os.close(file)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the whole file or nothing, whatever happens meanwhile. The file keeps its mode."""
    fresh = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            fresh.chmod(stat.S_IMODE(path.stat().st_mode))
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def folder_lock(folder: Path) -> Generator[None]:
    """Lock a folder for one process at a time among all that ask for it. The folder must exist and must not be a
    link.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise cannot_write(folder, error, "Make it writable.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_utf8(path: Path) -> bool:
    try:
        os.fsencode(path).decode()
    except UnicodeDecodeError:
        return False
    return True


def cannot_write(path: Path, error: OSError, hint: str) -> ConfigError | StateError:
    """The error for a write. A full disk is a state error; anything else is the user's to fix, and `hint` says how."""
    message = f"cannot write {path}: {error.strerror}."
    return (
        StateError(message, "Free some space, then try again.") if error.errno in FULL else ConfigError(message, hint)
    )
