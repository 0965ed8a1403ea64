"""The output of a trial, for the runners that report nowhere else."""

import os
import re
from pathlib import Path

from msgspec import Struct

LARGEST_OUTPUT = 32 << 20
LAST_LINES = 64 << 10
COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


class Output(Struct, frozen=True):
    text: bytes
    """The beginning of the output, without colours."""
    last: bytes
    """The last lines of the output, without colours."""
    is_whole: bool = True


def read_output(log: Path) -> Output:
    """The output in ralph's own file, as much of it as can be searched in seconds."""
    try:
        with log.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            text = file.read(LARGEST_OUTPUT)
            file.seek(max(0, size - LAST_LINES))
            last = file.read(LAST_LINES)
    except FileNotFoundError:
        return Output(b"", b"")
    return Output(_plain(text), _plain(last), is_whole=size <= LARGEST_OUTPUT)


def _plain(text: bytes) -> bytes:
    text = COLOUR.sub(b"", text) if b"\x1b" in text else text
    return text.replace(b"\r\n", b"\n")
