"""Write files in places that an agent can reach: never through a link it may have put there."""

import errno
import os
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


def is_utf8(path: Path) -> bool:
    try:
        os.fsencode(path).decode()
    except UnicodeDecodeError:
        return False
    return True


def cannot_write(path: Path, error: OSError, hint: str) -> ConfigError | StateError:
    """A full disk is nobody's mistake; anything else is, and `hint` says what to do about it."""
    message = f"cannot write {path}: {error.strerror}."
    return StateError(message, "Make room, then try again.") if error.errno in FULL else ConfigError(message, hint)
