"""Whether a finding is about code that the change touches. Ralph checks that itself; no model is asked.

The quote must be in the file at the reviewed commit, in or next to what was changed, or among the removed lines. White
space does not matter. A finding without a quote must name lines that touch changed ones. For a file without a changed
line, such as an empty one or one that became executable, the name is enough.
"""

import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from ralph.checks.diffs import FILE, path_in_header
from ralph.kernel.actions.reviews import Anchor
from ralph.model.reviews import ReviewIssue

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NEXT_TO = 3
"""How many lines away from a change still count as next to it."""
SHORTEST_QUOTE = 3
"""The fewest letters and digits of a quote: a shorter one occurs everywhere."""
ELIDED = re.compile(r"^[\s+-]*(?:\.\.\.|\u2026|//\s*\.\.\.|#\s*\.\.\.)\s*$")
NO_FILE = "it names no file"
NOT_CHANGED = "its file is not part of the change"
NOT_THERE = "the code that it quotes is not there"
NOT_TOUCHED = "the code that it quotes is not touched by the change"
NO_LINES = "it quotes no code, and names no lines that the change touches"

Read = Callable[[str, str], Awaitable[bytes | None]]
"""The content of a file, by commit and path."""


class Span(NamedTuple):
    """The lines from the first to the last; an empty span right before the first, if the last is smaller."""

    first: int
    last: int

    def touches(self, other: "Span", margin: int) -> bool:
        return self.first <= other.last + margin and other.first <= self.last + margin


class Touched(NamedTuple):
    """The lines of one file that a change removed and added."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


AS_A_WHOLE = Touched((), ())
"""The file is empty, binary or has another mode: it has no removed and no added line."""


class TouchedLines:
    """Reads a diff without context, piece by piece."""

    def __init__(self) -> None:
        self.files: dict[str, Touched] = {}
        self._path = ""
        self._rest = b""
        self._left = 0

    def take(self, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(b"\n")
        for line in whole:
            self._read(line)

    def _read(self, line: bytes) -> None:
        if self._left > 0:
            # A line of a file may look like a header.
            self._left -= line[:1] in (b"+", b"-")
            return
        text = line.decode(errors="replace")
        if text.startswith(FILE):
            self._path = path_in_header(text)
            self.files.setdefault(self._path, AS_A_WHOLE)
        elif found := HUNK.match(text):
            old, new = _span(found[1], found[2]), _span(found[3], found[4])
            known = self.files[self._path]
            self.files[self._path] = Touched((*known.old, old), (*known.new, new))
            self._left = _length(old) + _length(new)


async def anchored(
    issues: Sequence[ReviewIssue], touched: dict[str, Touched], base: str, commit: str, read: Read
) -> tuple[Anchor, ...]:
    return tuple([await _anchor(each, touched, base, commit, read) for each in issues])


async def _anchor(issue: ReviewIssue, touched: dict[str, Touched], base: str, commit: str, read: Read) -> Anchor:
    if not issue.file:
        return Anchor("", problem=NO_FILE)
    path = named_path(issue.file, touched)
    if not path:
        return Anchor(issue.file, problem=NOT_CHANGED)
    pieces = _pieces(issue.quote)
    if not pieces or touched[path] == AS_A_WHOLE:
        return _by_lines(issue, path, touched[path])
    now = _Text(await read(commit, path) or b"")
    if place := now.find(pieces, touched[path].new, NEXT_TO):
        return Anchor(path, place)
    before = _Text(await read(base, path) or b"")
    if before.find(pieces, touched[path].old, 0):
        return Anchor(path)
    is_somewhere = now.find(pieces) or before.find(pieces)
    return Anchor(path, problem=NOT_TOUCHED if is_somewhere else NOT_THERE)


def _by_lines(issue: ReviewIssue, path: str, touched: Touched) -> Anchor:
    if touched == AS_A_WHOLE:
        return Anchor(path)
    lines = Span(*issue.lines)
    if lines.first > 0 and any(lines.touches(each, 1) for each in touched.new):
        return Anchor(path, lines)
    return Anchor(path, problem=NO_LINES)


def named_path(name: str, paths: Iterable[str]) -> str:
    """The file of the change that is meant, however the reviewer wrote its name; empty if none or several match."""
    known = [*paths]
    plain = name.strip().strip("`'\"").removeprefix("./")
    for given in (plain, plain.removeprefix("a/").removeprefix("b/")):
        if given in known:
            return given
    alike = [path for path in known if plain.endswith(f"/{path}") or path.endswith(f"/{plain}")]
    longest = [path for path in alike if all(len(path) >= len(each) for each in alike)]
    return longest[0] if len(longest) == 1 and (len(alike) == 1 or plain.startswith("/")) else ""


def _span(first: str, length: str | None) -> Span:
    start, lines = int(first), int(length or 1)
    # Git names the line before an empty range.
    return Span(start, start + lines - 1) if lines else Span(start + 1, start)


def _length(span: Span) -> int:
    return span.last - span.first + 1


def _pieces(quote: str) -> list[str]:
    """The pieces of a quote. The text that was left out between them may be anything."""
    pieces: list[list[str]] = [[]]
    for line in quote.strip("`").splitlines():
        if ELIDED.match(line):
            pieces.append([])
        elif plain := _plain(line):
            pieces[-1].append(plain)
    found = ["\n".join(lines) for lines in pieces if lines]
    is_enough = sum(map(str.isalnum, "".join(found))) >= SHORTEST_QUOTE
    return found if is_enough else []


def _plain(line: str) -> str:
    return "".join(line.split())


class _Text:
    """A file without its white space, and where each of its lines begins."""

    def __init__(self, data: bytes) -> None:
        lines = [_plain(line) for line in data.decode(errors="replace").split("\n")]
        self._numbers: list[int] = []
        self._starts: list[int] = []
        kept: list[str] = []
        place = 0
        for number, line in enumerate(lines, start=1):
            if line:
                self._numbers.append(number)
                self._starts.append(place)
                kept.append(line)
                place += len(line) + 1
        self._all = "\n".join(kept)

    def find(self, pieces: Sequence[str], touched: Sequence[Span] | None = None, margin: int = 0) -> Span | None:
        """The place of the quote. All pieces must be in the file; with `touched` one must be near a changed place."""
        near: Span | None = None
        for piece in pieces:
            places = self._places(piece) or self._places(_without_marks(piece))
            if not places:
                return None
            fitting = (each for each in places if touched is None or any(each.touches(one, margin) for one in touched))
            near = near or next(fitting, None)
        return near

    def _places(self, piece: str) -> list[Span]:
        found: list[Span] = []
        at = self._all.find(piece) if piece else -1
        while at >= 0:
            found.append(Span(self._line_at(at), self._line_at(at + len(piece) - 1)))
            at = self._all.find(piece, at + 1)
        return found

    def _line_at(self, place: int) -> int:
        return self._numbers[bisect_right(self._starts, place) - 1]


def _without_marks(piece: str) -> str:
    """The piece without the diff marks before its lines, because a quote may be copied from the diff."""
    return "\n".join(line[1:] if line[:1] in ("+", "-") else line for line in piece.split("\n"))
