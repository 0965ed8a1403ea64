"""Reading files that the tested code may have written: only regular ones, never through a link, never too much."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

READ_ONLY = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
# 20,000 tests with names of 200 characters make four of them.
LARGEST_REPORT = 64 << 20
MOST_REPORTS = 2_000


class Unreadable(Exception):
    """The file is not a regular file, or is larger than what any honest runner writes."""


def read_file(path: Path, limit: int = LARGEST_REPORT) -> bytes:
    """The content of a file; opening a pipe does not wait for its other end."""
    try:
        file = os.open(path, READ_ONLY)
    except OSError as error:
        raise Unreadable from error
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            raise Unreadable
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise Unreadable
    return data


def files_in(folder: Path) -> Iterator[Path]:
    """The names in a folder that is still one, limited in number."""
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in islice(entries, MOST_REPORTS))
            yield from (folder / name for name in names)
