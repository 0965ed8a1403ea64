"""From an agent's bytes to events: the part that is the same for all agents."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from ralph.model.events import AnyEvent, PermissionDenied, Result, Skipped, Stderr, Text, ToolEnd, ToolStart, Unknown

T = TypeVar("T")
Emit = Callable[[list[AnyEvent]], None]
"""Called with what was read at once: a call for each event would cost more than reading it."""
SUMMARY_KEYS = ("file_path", "filePath", "path", "command", "cmd", "pattern", "url", "query", "description", "prompt")
SUMMARY_LENGTH = 200
BEGINNING = 1024
"""How many bytes are kept of a line that is too long to be read."""
KEPT = 256 * 1024
"""How many bytes of plain output may be the final message."""
BLANK = b" \t\r\0"
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)

_object = msgspec.json.Decoder(dict[str, Any])


class LineReader(Protocol):
    """Reads complete lines, and emits what they mean."""

    def feed(self, lines: bytes, emit: Emit | None) -> None: ...

    def skim(self, lines: bytes, emit: Emit | None) -> bool:
        """Take complete lines that nobody can watch: only what the loop must know, without an event for each.

        Returns whether that is possible. Where it is not, nothing is taken, and `feed` must take them.
        """
        ...

    def give_up_line(self, pieces: list[bytes], emit: Emit | None) -> bool:
        """Take the beginning of a line that is too long to hold. Returns whether the rest of it must be skipped."""
        ...

    def finish(self, emit: Emit | None) -> None:
        """End the parsing: no line will follow."""
        ...


class Parser(LineReader, Protocol):
    """Keeps what the loop needs to know at the end."""

    plain: bool
    """Whether the agent's whole standard output is its answer, because it has no structured one."""
    result: Result | None
    tools: int
    tool_errors: int
    denied: list[PermissionDenied]
    stray: bytes
    """The last line that is not in the agent's format: a program that cannot work prints such lines."""

    @property
    def final(self) -> str:
        """The final message: the result's text, or else the last thing said; for plain output its end."""
        ...


class JsonLines(ABC):
    """One JSON object per line. A subclass defines what the objects of its agent mean."""

    plain = False
    line_type: ClassVar[type[msgspec.Struct]]

    def __init__(self) -> None:
        self.result: Result | None = None
        self.last_text = ""
        self.tools = 0
        self.tool_errors = 0
        self.denied: list[PermissionDenied] = []
        self.stray = b""
        self.watched = True
        self._decoder = _decoder(self.line_type)

    @property
    def final(self) -> str:
        return self.result.text if self.result else self.last_text

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        self.watched = emit is not None
        try:
            objects = self._decoder.decode_lines(lines)
        except UNREADABLE:
            # One of the lines is unexpected: read them one by one, and keep the unexpected ones.
            self._feed_one_by_one(lines, emit)
            return
        events: list[AnyEvent] = []
        for line in objects:
            self._note(self.read(line), events)
        _tell(emit, events)

    def skim(self, lines: bytes, emit: Emit | None) -> bool:  # noqa: ARG002 - a subclass may know how
        return False

    def give_up_line(self, pieces: list[bytes], emit: Emit | None) -> bool:
        _tell(emit, self._note((Unknown(pieces[0][:BEGINNING]),), []))
        return True

    def finish(self, emit: Emit | None) -> None:
        self.watched = emit is not None
        _tell(emit, self._note(self.rest(), []))

    @abstractmethod
    def read(self, line: Any) -> Iterable[AnyEvent]: ...

    def rest(self) -> Iterable[AnyEvent]:
        """The events that are known only once the stream has ended."""
        return ()

    def _feed_one_by_one(self, lines: bytes, emit: Emit | None) -> None:
        events: list[AnyEvent] = []
        for raw in lines.split(b"\n"):
            if line := raw.strip(BLANK):
                objects = self._objects(line) or self._objects(repaired(line))
                for found in objects:
                    self._note(self.read(found), events)
                if not objects:
                    self._note((Unknown(line),), events)
        _tell(emit, events)

    def _objects(self, line: bytes) -> list[Any]:
        try:
            return self._decoder.decode_lines(line)
        except UNREADABLE:
            return []

    def _note(self, found: Iterable[AnyEvent], events: list[AnyEvent]) -> list[AnyEvent]:
        """Remember what the loop needs to know of these, and add them to the events."""
        for event in found:
            # No patterns here: they would cost more than the rest, for each thing that an agent does.
            if isinstance(event, ToolEnd):
                self.tool_errors += event.is_error
            elif isinstance(event, ToolStart):
                self.tools += 1
            elif isinstance(event, Text):
                self.last_text = self.last_text if event.aside else event.text
            elif isinstance(event, Result):
                # If there are several result lines, the last one wins.
                self.result = event
            elif isinstance(event, PermissionDenied):
                self.denied.append(event)
            elif isinstance(event, Unknown) and not event.is_json:
                self.stray = event.raw
            events.append(event)
        return events


@cache
def _decoder(line_type: type[msgspec.Struct]) -> "msgspec.json.Decoder[Any]":
    """The decoder of a format, made once: making it takes longer than decoding a short stream."""
    return msgspec.json.Decoder(line_type)


class PlainText:
    """An agent without a stream format: its standard output is what it says."""

    plain = True

    def __init__(self) -> None:
        self.result: Result | None = None
        self.tools = 0
        self.tool_errors = 0
        self.denied: list[PermissionDenied] = []
        self.stray = b""
        self._end: deque[bytes] = deque()
        self._kept = 0

    @property
    def final(self) -> str:
        return b"".join(self._end)[-KEPT:].decode(errors="replace")

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        self._keep(lines)
        if emit is not None:
            emit([Text(lines.decode(errors="replace"))])

    def skim(self, lines: bytes, emit: Emit | None) -> bool:
        self._keep(lines)
        return _skipped(emit)

    def give_up_line(self, pieces: list[bytes], emit: Emit | None) -> bool:
        """Take everything, because plain output needs no lines."""
        for piece in pieces:
            self.feed(piece, emit)
        return False

    def finish(self, emit: Emit | None) -> None:
        """Do nothing, because nothing was held back."""

    def _keep(self, lines: bytes) -> None:
        self._end.append(lines)
        self._kept += len(lines)
        while self._kept - len(self._end[0]) >= KEPT:
            self._kept -= len(self._end.popleft())


class StderrLines:
    """An agent's standard error, which has no format."""

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        if emit is not None:
            emit([Stderr(lines.decode(errors="replace"))])

    def skim(self, lines: bytes, emit: Emit | None) -> bool:  # noqa: ARG002 - it is recorded, and nothing else
        return _skipped(emit)

    def give_up_line(self, pieces: list[bytes], emit: Emit | None) -> bool:
        for piece in pieces:
            self.feed(piece, emit)
        return False

    def finish(self, emit: Emit | None) -> None:
        """Do nothing, because nothing was held back."""


def _skipped(emit: Emit | None) -> bool:
    if emit is not None:
        emit([Skipped(1)])
    return True


def _tell(emit: Emit | None, events: list[AnyEvent]) -> None:
    if emit is not None and events:
        emit(events)


def repaired(line: bytes) -> bytes:
    """The line with valid UTF-8: a result must not be lost to broken bytes, or to half an emoji as JavaScript cuts
    them.
    """
    import json

    try:
        return json.dumps(json.loads(line.decode(errors="replace")), ensure_ascii=False).encode(errors="replace")
    except (ValueError, RecursionError):
        return line


def decoded(decoder: "msgspec.json.Decoder[T]", raw: msgspec.Raw, otherwise: T) -> T:
    """A part of a line that is decoded only when it is needed."""
    content = bytes(raw)
    try:
        return decoder.decode(content) if content else otherwise
    except msgspec.DecodeError:
        return otherwise
    except UnicodeDecodeError:
        return decoded(decoder, msgspec.Raw(content.decode(errors="replace").encode()), otherwise)


def summary(raw: msgspec.Raw) -> str:
    """The most telling argument of a tool call."""
    fields = decoded(_object, raw, {})
    for key in SUMMARY_KEYS:
        if isinstance(value := fields.get(key), str):
            return short(value)
    return ""


def short(text: str) -> str:
    """The text, shortened to one line."""
    return " ".join(text.split())[:SUMMARY_LENGTH]
