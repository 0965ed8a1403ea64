"""Write files in places that an agent can reach: never through a link it may have put there."""

import os
from pathlib import Path

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


def create(path: Path) -> int:
    return os.open(path, NEW_FILE, 0o600)


def write_all(file: int, data: bytes) -> None:
    written = os.write(file, data)
    while written < len(data):
        written += os.write(file, memoryview(data)[written:])


def write_new(path: Path, data: bytes) -> None:
    file = create(path)
    try:
        write_all(file, data)
    finally:
        os.close(file)
