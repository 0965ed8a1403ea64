"""From an agent's bytes to events: the part that is the same for all agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from ralph.model.events import AnyEvent, PermissionDenied, Result, Text, ToolEnd, ToolStart, Unknown

Emit = Callable[[AnyEvent], None]
SUMMARY_KEYS = ("file_path", "filePath", "path", "command", "cmd", "pattern", "url", "query", "description", "prompt")
SUMMARY_LENGTH = 200

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


class JsonLines(ABC):
    """One JSON object a line. A subclass says what the objects of its agent mean."""

    plain = False
    line_type: type[msgspec.Struct]

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
        except msgspec.DecodeError:
            # Some line among them is not what we expect: take them one by one and keep what is not.
            self._feed_one_by_one(lines, emit)
            return
        for line in objects:
            self._note(self.read(line), emit)

    @abstractmethod
    def read(self, line: Any) -> Iterable[AnyEvent]: ...

    def _feed_one_by_one(self, lines: bytes, emit: Emit | None) -> None:
        for raw in lines.splitlines():
            if not raw.strip():
                continue
            try:
                found = self.read(self._decoder.decode(raw))
            except msgspec.DecodeError:
                found = (Unknown(raw),)
            self._note(found, emit)

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


def summary(raw: msgspec.Raw) -> str:
    """The one argument of a tool call that tells most."""
    try:
        fields = _object.decode(raw) if bytes(raw) else {}
    except msgspec.DecodeError:
        return ""
    for key in SUMMARY_KEYS:
        if isinstance(value := fields.get(key), str):
            return " ".join(value.split())[:SUMMARY_LENGTH]
    return ""
