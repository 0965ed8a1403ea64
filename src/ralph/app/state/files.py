"""The state directory of a spec as it is found: people, other machines and agents may have written it. Nothing in it is
trusted.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ralph.store.state_dir import NAME

LARGEST = 8_000_000
"""The most bytes of a file; a larger one is not read."""
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError)
"""Why untrusted JSON is not a value of its type."""
FOLDER = re.compile(r"iteration-(\d{1,6})(?:\.(\d{1,3}))?$")
ROUND = re.compile(r"round-(\d{1,6})(?:\.(\d{1,3}))?$")
FINAL = "final"


class AttemptFound(NamedTuple):
    """The folder of one attempt."""

    task: str
    role: str
    """The role; empty for a chunk."""
    number: int
    attempt: int
    path: str
    """The path relative to the project."""


def specs_found(project: Path) -> list[str]:
    return [path.name for path in _folders(project / NAME / "specs")]


def attempts_found(project: Path, spec: str) -> Iterator[AttemptFound]:
    """The attempts in the order of their numbers, those of chunks before those of stages."""
    for task in _folders(project / NAME / "specs" / spec / "iterations"):
        yield from _attempts(project, task, task.name, "")
        for role in _folders(task):
            if not FOLDER.match(role.name):
                yield from _attempts(project, role, task.name, role.name)


def rounds_found(project: Path, spec: str) -> list[AttemptFound]:
    """The reviews of the whole branch."""
    return _attempts(project, project / NAME / "specs" / spec / FINAL, "", FINAL, ROUND)


def read_text(project: Path, attempt: AttemptFound, name: str) -> str:
    """The content of a file of an attempt; empty if there is no plain one."""
    path = project / attempt.path / name
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return ""
        return file.read().decode(errors="replace")


def _attempts(project: Path, folder: Path, task: str, role: str, shape: re.Pattern[str] = FOLDER) -> list[AttemptFound]:
    found: list[AttemptFound] = []
    for path in _folders(folder):
        if named := shape.match(path.name):
            where = str(path.relative_to(project))
            found.append(AttemptFound(task, role, int(named[1]), int(named[2] or 1), where))
    return sorted(found, key=lambda each: (each.number, each.attempt))


def _folders(folder: Path) -> list[Path]:
    """The folders in it that are not links; empty if it is no folder itself."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
