"""Headings and checkboxes of a Markdown text, with their positions. In a code fence or a comment they are plain
text.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_BOX = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\[\]]{0,3})\](?![(\[:])[ \t]*(.*)")
DONE = ("x", "X")
TAB = 4


class Heading(Struct, frozen=True):
    level: int
    text: str
    line: int
    """The line number, starting at 1."""
    start: int
    end: int
    """The start and end of its line in the text."""


class Box(Struct, frozen=True):
    indent: int
    text: str
    mark: str
    """The character between the brackets."""
    line: int
    start: int
    place: int
    """The position of the mark in the text."""
    end: int

    @property
    def is_done(self) -> bool:
        """Whether the box is ticked. Only x counts: a box with any other mark is open."""
        return self.mark in DONE


class Marked(Struct, frozen=True):
    """The headings and boxes of a text, in order."""

    text: str
    parts: tuple[Heading | Box, ...]
    open_fence: int = 0
    """The line of a fence that is never closed; 0 if there is none."""

    @property
    def boxes(self) -> list[Box]:
        return [part for part in self.parts if isinstance(part, Box)]

    @property
    def headings(self) -> list[Heading]:
        return [part for part in self.parts if isinstance(part, Heading)]

    @property
    def title(self) -> str:
        return next((each.text for each in self.headings), "")

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.open_fence:
            return ()
        return (f"the code fence that begins at line {self.open_fence} is never closed: boxes after it are text",)


def marked(text: str) -> Marked:
    parts: list[Heading | Box] = []
    fence, fence_line, is_comment = "", 0, False
    for number, (start, line, end) in enumerate(_lines(text), 1):
        if fence:
            fence = "" if _closes(fence, line) else fence
        elif is_comment:
            is_comment = "-->" not in line
        elif found := _FENCE.fullmatch(line):
            # A fence of backticks has none of them after it: that would be inline code.
            if not (found[1][0] == "`" and "`" in found[2]):
                fence, fence_line = found[1], number
        elif found := _HEADING.fullmatch(line):
            parts.append(Heading(len(found[1]), found[2], number, start, end))
        elif found := _BOX.fullmatch(line):
            indent = len(found[1].expandtabs(TAB))
            parts.append(Box(indent, found[3].strip(), found[2], number, start, start + found.start(2), end))
        else:
            is_comment = line.lstrip().startswith("<!--") and "-->" not in line
    return Marked(text, tuple(parts), fence_line if fence else 0)


def ticked(text: str, boxes: list[Box]) -> str:
    """The text in which these boxes have an x, and nothing else is changed."""
    for box in sorted(boxes, key=lambda each: each.place, reverse=True):
        text = f"{text[: box.place]}x{text[box.place + len(box.mark) :]}"
    return text


def with_children(parts: Iterable[Heading | Box]) -> list[tuple[Box, list[Box]]]:
    """Each box that is not indented below another one, with those that are indented below it."""
    grouped: list[tuple[Box, list[Box]]] = []
    is_open = False
    for part in parts:
        if isinstance(part, Heading):
            is_open = False
        elif is_open and part.indent > grouped[-1][0].indent + 1:
            grouped[-1][1].append(part)
        else:
            grouped.append((part, []))
            is_open = True
    return grouped


def _lines(text: str) -> Iterator[tuple[int, str, int]]:
    """The start, content and end of each line; line ends as an editor sees them."""
    place = 0
    while place < len(text):
        found = _LINE.match(text, place)
        assert found  # noqa: S101 - it matches every text
        yield place, found[1], found.end(1)
        place = found.end()


def _closes(fence: str, line: str) -> bool:
    bare = line.strip(" \t")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}
