"""Text that fits a terminal: wrapped between words. Text for a pipe stays as it is."""

import os
import re
import sys
from functools import cache
from typing import TextIO

WORD = re.compile(" *[^ ]+")
BEFORE_TEXT = re.compile(r" *(?:(?:\[[^\]]*\]|[^\w\s]+|\d+[.)]) +)*")
"""What comes before the text of a line: its indent, and marks such as `✓`, `-`, `1.` or `[12:30:59]`."""
HANGING = 2
WIDENS = "\ufe0f"
"""The character that turns the one before it into an emoji, which is one column wider on many terminals."""


def fitted(text: str, hanging: int = 4, stream: TextIO | None = None) -> str:
    """The text as it fits the terminal behind the stream, which is standard output unless it is given."""
    return wrapped(text, columns_of(stream or sys.stdout), hanging)


def columns_of(stream: TextIO) -> int:
    """The width of the terminal behind the stream; 0 for a pipe, or if the terminal does not know it."""
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return 0
    said = os.environ.get("COLUMNS", "")
    return int(said) if said.isdecimal() and int(said) else found


def wrapped(text: str, width: int, hanging: int | None = None) -> str:
    """The text with no line wider than `width`, except for words that fit in no line: the terminal breaks them.

    Continued lines are indented by `hanging` more columns than the line that they belong to; without it, they begin
    where its text begins.
    """
    if not width:
        return text
    return "\n".join([_rows(line, width, hanging) for line in text.split("\n")])


def _rows(line: str, width: int, hanging: int | None) -> str:
    if "\t" in line:
        line = line.expandtabs()
    if _columns(line) <= width:
        return line
    indent = " " * min(_indent(line[:width], hanging), width // 3)
    rows, row, used = list[str](), "", 0
    for found in WORD.finditer(line):
        word = found[0]
        columns, alone = _columns(word), _columns(word.lstrip(" "))
        # A word that is wider than a row does not need a new row.
        if used + columns > width >= len(indent) + alone and row:
            rows.append(row)
            row, used = indent, len(indent)
            word, columns = word.lstrip(" "), alone
        row += word
        used += columns
    return "\n".join([*rows, row])


def _indent(line: str, hanging: int | None) -> int:
    if hanging is not None:
        return len(line) - len(line.lstrip(" ")) + hanging
    before = BEFORE_TEXT.match(line)
    assert before  # noqa: S101 - it matches nothing, too
    return _columns(before[0]) + (0 if before[0].strip() else HANGING)


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns_of_sign, text))


@cache
def _columns_of_sign(sign: str) -> int:
    from unicodedata import category, east_asian_width

    if sign == WIDENS:
        return 1
    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(sign) in ("W", "F") else 1
