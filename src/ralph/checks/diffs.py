"""Read a unified diff as git writes it."""

import re
from collections.abc import Iterator

from msgspec import Struct

HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NEW_FILE = "+++ "
ESCAPED = re.compile(rb"\\([0-7]{3}|[^0-7])")


class AddedLine(Struct, frozen=True):
    file: str
    number: int
    text: str


def added_lines(diff: str) -> Iterator[AddedLine]:
    """Hunks are counted through: a line of a file may look like a header."""
    file, number, old, new = "", 0, 0, 0
    for line in diff.split("\n"):
        if old <= 0 and new <= 0:
            if line.startswith(NEW_FILE):
                file = _path(line.removeprefix(NEW_FILE))
            elif hunk := HUNK.match(line):
                old, number, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            continue
        match line[:1]:
            case "+":
                yield AddedLine(file, number, line[1:])
                number, new = number + 1, new - 1
            case "-":
                old -= 1
            case "\\":
                pass  # "No newline at end of file"
            case _:
                number, old, new = number + 1, old - 1, new - 1


def _path(name: str) -> str:
    """`b/src/a.py`; a tab ends a name with blanks, and one with odd characters stands in quotes."""
    name = name.partition("\t")[0]
    if name.startswith('"'):
        name = ESCAPED.sub(_unescaped, name[1:-1].encode(errors="replace")).decode(errors="replace")
    return name.removeprefix("b/")


def _unescaped(found: "re.Match[bytes]") -> bytes:
    character = found[1]
    return bytes([int(character, 8) % 256]) if character.isdigit() else character
