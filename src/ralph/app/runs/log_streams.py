"""What one agent said, on its stream and on standard error, from where the last look stopped."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.agents.parser import Parser, PlainText, StderrLines
from ralph.agents.registry import adapter
from ralph.app.runs.log_track import Said, Track
from ralph.model.errors import ConfigError
from ralph.model.rows import Row
from ralph.model.runs import Run
from ralph.store.streams import About, about_stream, open_stream

AGENT = "run-agent"
STDERR = "stderr.log"


class Source(Struct, frozen=True):
    """Whose stream it is."""

    run: Run
    iteration: int
    attempt: int
    name: str
    """What distinguishes it from the first try, for example after a used-up quota."""
    began: float
    row: int
    """The id of the row with which the action began."""


class Piece(Struct, frozen=True):
    """A part of one stream. `raw` is what the agent wrote; `events` is what it meant."""

    source: Source
    raw: bytes
    events: list[Said]
    end: Row | None = None
    """The row that says how the agent ended, with the last piece."""
    lost: str = ""
    """Where its output was recorded, with the last piece, if nothing of it is there."""


class Offsets(Struct, frozen=True):
    """How far an agent's output was read: always the beginning of a line."""

    stream: int = 0
    stderr: int = 0


class LogStream:
    def __init__(self, run: Run, begun: Row, about: About, project: Path, offsets: Offsets) -> None:
        _, iteration, name = begun.name
        self.source = Source(run, iteration, begun.attempt, name, begun.at, begun.id)
        folder = about.path.rpartition("/")[0]
        self._out = Track(open_stream(project, about), _parser(about), begun.at, offsets.stream)
        complaints = open_stream(project, replace(about, path=f"{folder}/{STDERR}"))
        self._err = Track(complaints, StderrLines(), begun.at, offsets.stderr)
        self._path = about.path
        self._end: Row | None = None
        self.is_over = False
        """Whether nothing more will be written to it."""

    @property
    def offsets(self) -> Offsets:
        return Offsets(self._out.offset, self._err.offset)

    def note(self, row: Row) -> None:
        """Note how much of the output had arrived, and when."""
        noted = _noted(row)
        self._out.note(noted.arrived)
        self._err.note(noted.complained)

    def end(self, row: Row | None) -> None:
        """End both streams. Without a row the driver was killed."""
        self.is_over = True
        self._end = row
        self._out.end(row.at if row else None)
        self._err.end(row.at if row else None)

    def new(self) -> Iterator[Piece]:
        """The new pieces of both streams, in the order in which they came, as far as that is known."""
        complaints = _Ahead(each for _, said in self._err.new() for each in said)
        for raw, said in self._out.new():
            before = complaints.until(said[-1].at) if said else []
            yield Piece(self.source, raw, sorted([*said, *before], key=lambda each: each.at))
        if rest := complaints.until(None):
            yield Piece(self.source, b"", rest)
        if self._end and self._end.name.kind == AGENT:
            yield Piece(self.source, b"", [], self._end, "" if self._out.offset else self._path)


class _Ahead:
    """An iterator that gives what came up to a point in time."""

    def __init__(self, said: Iterator[Said]) -> None:
        self._said = said
        self._next = next(said, None)

    def until(self, at: float | None) -> list[Said]:
        found: list[Said] = []
        while self._next and (at is None or self._next.at <= at):
            found.append(self._next)
            self._next = next(self._said, None)
        return found


def log_stream(run: Run, begun: Row, project: Path, offsets: Offsets | None = None) -> LogStream | None:
    """The stream; None for an action without one."""
    about = about_stream(begun)
    return LogStream(run, begun, about, project, offsets or Offsets()) if about else None


def _parser(about: About) -> Parser:
    """The parser. A format that this ralph does not know is shown as plain text."""
    try:
        return adapter(about.format).parser(stream=about.streaming)
    except ConfigError:
        return PlainText()


class _Noted(Struct, frozen=True):
    arrived: list[tuple[int, float]] = []
    complained: list[tuple[int, float]] = []


def _noted(row: Row) -> _Noted:
    try:
        return msgspec.json.decode(row.body, type=_Noted)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Noted()
