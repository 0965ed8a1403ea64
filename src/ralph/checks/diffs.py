"""Reading a unified diff as git writes it, piece by piece: the whole diff is never held in memory."""

import re
from collections.abc import Iterator

from msgspec import Struct

FILE = "diff --git "
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NEW_FILE = "+++ "
ESCAPED = re.compile(rb"\\([0-7]{3}|[^0-7])")
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
LONGEST_LINE = 1 << 20
"""The longest line; a longer one is given in parts."""
OVERLAP = 4096
"""How much of the previous part a part of a line repeats, so that no word is cut in two."""


class AddedLine(Struct, frozen=True):
    file: str
    number: int
    text: str


class AddedLines:
    """Finds the added lines. It counts the lines of a hunk, because a line of a file may look like a header."""

    def __init__(self) -> None:
        self._file = ""
        self._number, self._old, self._new = 0, 0, 0
        self._rest = ""

    def feed(self, text: str) -> Iterator[AddedLine]:
        """The lines that end in this piece of the diff."""
        *whole, self._rest = (self._rest + text).split("\n")
        for line in whole:
            if found := self._read(line):
                yield found
        if len(self._rest) > LONGEST_LINE:
            mark, part = self._rest[:1], self._rest[1:]
            self._rest = mark + part[-OVERLAP:]
            if mark == "+" and self._is_in_hunk:
                yield AddedLine(self._file, self._number, part)

    @property
    def _is_in_hunk(self) -> bool:
        return self._old > 0 or self._new > 0

    def _read(self, line: str) -> AddedLine | None:
        if not self._is_in_hunk:
            self._read_header(line)
            return None
        match line[:1]:
            case "+":
                found = AddedLine(self._file, self._number, line[1:])
                self._number, self._new = self._number + 1, self._new - 1
                return found
            case "-":
                self._old -= 1
            case "\\":
                pass  # "No newline at end of file"
            case _:
                self._number, self._old, self._new = self._number + 1, self._old - 1, self._new - 1
        return None

    def _read_header(self, line: str) -> None:
        if line.startswith(NEW_FILE):
            self._file = path_in(line.removeprefix(NEW_FILE)).removeprefix("b/")
        elif hunk := HUNK.match(line):
            self._old, self._number, self._new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)


def path_in_header(header: str) -> str:
    """The path in `diff --git a/x b/x`: without renames both names are the same."""
    names = header.removeprefix(FILE)
    return path_in(names[: len(names) // 2]).removeprefix("a/")


def path_in(name: str) -> str:
    """The path in `b/src/a.py`; a tab ends a name with blanks, and one with odd characters is in quotes."""
    name = name.partition("\t")[0]
    if name.startswith('"'):
        name = ESCAPED.sub(_unescaped, name[1:-1].encode(errors="replace")).decode(errors="replace")
    return name


def _unescaped(found: "re.Match[bytes]") -> bytes:
    character = found[1]
    return bytes([int(character, 8) % 256]) if character.isdigit() else ESCAPES.get(character, character)
