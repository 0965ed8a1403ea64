"""From an agent's bytes to events: the part that is the same for all agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from ralph.model.events import AnyEvent, PermissionDenied, Result, Text, ToolEnd, ToolStart, Unknown

T = TypeVar("T")
Emit = Callable[[AnyEvent], None]
SUMMARY_KEYS = ("file_path", "filePath", "path", "command", "cmd", "pattern", "url", "query", "description", "prompt")
SUMMARY_LENGTH = 200
BLANK = b" \t\r\0"
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)

_object = msgspec.json.Decoder(dict[str, Any])


class Parser(Protocol):
    """Reads complete lines and remembers what the loop needs to know at the end."""

    plain: bool
    """Whether the agent's whole standard output is its answer, for want of a structured one."""
    result: Result | None
    last_text: str
    tools: int
    tool_errors: int
    events: int
    denied: list[PermissionDenied]

    def feed(self, lines: bytes, emit: Emit | None) -> None: ...

    def finish(self, emit: Emit | None) -> None:
        """The stream has ended: no line will follow."""
        ...


class JsonLines(ABC):
    """One JSON object a line. A subclass says what the objects of its agent mean."""

    plain = False
    line_type: ClassVar[type[msgspec.Struct]]

    def __init__(self) -> None:
        self.result: Result | None = None
        self.last_text = ""
        self.tools = 0
        self.tool_errors = 0
        self.events = 0
        self.denied: list[PermissionDenied] = []
        self.watched = True
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.line_type)

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        self.watched = emit is not None
        try:
            objects = self._decoder.decode_lines(lines)
        except UNREADABLE:
            # Some line among them is not what we expect: take them one by one and keep what is not.
            self._feed_one_by_one(lines, emit)
            return
        for line in objects:
            self._note(self.read(line), emit)

    def finish(self, emit: Emit | None) -> None:
        self.watched = emit is not None
        self._note(self.rest(), emit)

    @abstractmethod
    def read(self, line: Any) -> Iterable[AnyEvent]: ...

    def rest(self) -> Iterable[AnyEvent]:
        """What can only be said once the stream has ended."""
        return ()

    def _feed_one_by_one(self, lines: bytes, emit: Emit | None) -> None:
        for raw in lines.split(b"\n"):
            if line := raw.strip(BLANK):
                objects = self._objects(line) or self._objects(mended(line))
                for found in objects:
                    self._note(self.read(found), emit)
                if not objects:
                    self._note((Unknown(line),), emit)

    def _objects(self, line: bytes) -> list[Any]:
        try:
            return self._decoder.decode_lines(line)
        except UNREADABLE:
            return []

    def _note(self, found: Iterable[AnyEvent], emit: Emit | None) -> None:
        for event in found:
            self.events += 1
            match event:
                case Text(text, aside=False):
                    self.last_text = text
                case ToolStart():
                    self.tools += 1
                case ToolEnd(is_error=True):
                    self.tool_errors += 1
                case PermissionDenied():
                    self.denied.append(event)
                case Result():
                    # Of several result lines the last one wins.
                    self.result = event
                case _:
                    pass
            if emit is not None:
                emit(event)


class PlainText:
    """An agent without a stream format: its standard output is what it says."""

    plain = True

    def __init__(self) -> None:
        self.result: Result | None = None
        self.last_text = ""
        self.tools = 0
        self.tool_errors = 0
        self.events = 0
        self.denied: list[PermissionDenied] = []

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        self.events += 1
        if emit is not None:
            emit(Text(lines.decode(errors="replace")))

    def finish(self, emit: Emit | None) -> None:
        """Nothing was held back."""


def mended(line: bytes) -> bytes:
    """A line that may be the result must not be lost to broken UTF-8, or to half an emoji as JavaScript cuts them."""
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
    """The one argument of a tool call that tells most."""
    fields = decoded(_object, raw, {})
    for key in SUMMARY_KEYS:
        if isinstance(value := fields.get(key), str):
            return short(value)
    return ""


def short(text: str) -> str:
    """One line of it."""
    return " ".join(text.split())[:SUMMARY_LENGTH]
