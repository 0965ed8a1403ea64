"""From an agent's bytes to events: the part that is the same for all agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from ralph.model.events import AnyEvent, Result, Text, Tokens, ToolEnd, ToolStart, Unknown

Emit = Callable[[AnyEvent], None]


class Parser(Protocol):
    """Reads complete lines and remembers what the loop needs to know at the end."""

    plain: bool
    """Whether the agent's whole standard output is its answer, for want of a structured one."""
    result: Result | None
    last_text: str
    tools: int
    tool_errors: int
    events: int

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
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.line_type)

    def feed(self, lines: bytes, emit: Emit | None) -> None:
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
                case Text(text):
                    self.last_text = text
                case ToolStart():
                    self.tools += 1
                case ToolEnd(is_error=True):
                    self.tool_errors += 1
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

    def feed(self, lines: bytes, emit: Emit | None) -> None:
        self.events += 1
        if emit is not None:
            emit(Text(lines.decode(errors="replace")))


def usage(found: Any) -> Tokens:
    """Token counts as Claude and those that follow it name them."""
    if found is None:
        return Tokens()
    return Tokens(
        found.input_tokens, found.output_tokens, found.cache_read_input_tokens, found.cache_creation_input_tokens
    )
