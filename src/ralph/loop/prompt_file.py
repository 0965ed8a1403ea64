"""Reads the user's prompt file, which may change, vanish or be wrong between two iterations."""

import os
from pathlib import Path

from ralph.model.errors import ConfigError

CHUNK = 1 << 16


def read_prompt(path: Path, hint: str = "Restore it, then: ralph resume") -> str:
    """The text of the file. `hint` says what to do if it is not there."""
    try:
        text = _content(path).decode()
    except OSError as error:
        raise ConfigError(f"cannot read the prompt file {path}: {error.strerror}.", hint) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the prompt file {path} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from error
    if not text.strip():
        raise ConfigError(f"the prompt file {path} is empty.", "Write in it what the agent must do.")
    return text


def _content(path: Path) -> bytes:
    """All bytes of the file. A file object would cost several times as much, in each iteration."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces: list[bytes] = []
        while piece := os.read(file, CHUNK):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(file)
