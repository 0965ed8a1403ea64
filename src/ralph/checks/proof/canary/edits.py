"""Text edits at positions: a file stays the same everywhere else."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

STEPS_COUNT_BELOW = 2**48


class Edit(NamedTuple):
    """An edit that replaces the bytes from `start` to `end`; if both are the same, it inserts."""

    start: int
    end: int
    text: bytes


class Change(Struct, frozen=True):
    edit: Edit
    test: str
    """The id of the test that must fail because of this edit, without its file."""


class Reported(NamedTuple):
    """What a runner's ids say about one file."""

    place: str
    """The prefix of its tests' ids: usually the file, but some runners name the package."""
    names: frozenset[str] | None
    """The rest of these ids; None if no runner reports its tests."""


class Suite(Struct, frozen=True):
    """A test file that a runner is known to run."""

    path: str
    content: bytes
    word: str
    reported: Reported
    red: frozenset[str] = frozenset()
    """The names that failed at the base. They come first."""
    awaits: bool = False
    """Whether Python's runner awaits coroutines without a mark."""

    def is_run(self, name: str) -> bool:
        """Whether a runner reported a test of this name, as far as that is known."""
        names = self.reported.names
        return names is None or any(each == name or each.endswith(f"::{name}") for each in names)


class Altered(Struct, frozen=True):
    """A test file with tests that must fail."""

    content: bytes
    must_fail: tuple[str, ...]
    beside: dict[str, bytes] = {}
    """The new files, by path."""


Alter = Callable[[Suite], Altered | None]
"""The function of a language; it returns None if no test of a file may be changed."""


def edited(content: bytes, edits: Iterable[Edit]) -> bytes:
    """The content with these edits. Insertions at the same place keep their order."""
    parts: list[bytes] = []
    position = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        parts += [content[position : edit.start], edit.text]
        position = edit.end
    return b"".join((*parts, content[position:]))


def other_number(value: float, word: str) -> float:
    """Another number. Beyond the precision of a float, adding one would be lost."""
    return value + 1 + int(word[:3], 16) if abs(value) < STEPS_COUNT_BELOW else -value


def altered_by(suite: Suite, content: bytes | None, changes: Sequence[Change]) -> Altered | None:
    """The changed file; None if nothing was changed, or if the result is not a valid program."""
    if not changes or content is None:
        return None
    return Altered(content, tuple(f"{suite.reported.place}::{each.test}" for each in changes))


def line_begin(content: bytes, position: int) -> int:
    return content.rfind(b"\n", 0, position) + 1


def after_line(content: bytes, position: int) -> int:
    """The position where the next line begins; the end of the file if its last line has no newline."""
    found = content.find(b"\n", position)
    return len(content) if found < 0 else found + 1


def indentation(content: bytes, position: int) -> bytes:
    begin = line_begin(content, position)
    line = content[begin:position]
    return line[: len(line) - len(line.lstrip())]


def newline(content: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in content[: after_line(content, 0)] else b"\n"
