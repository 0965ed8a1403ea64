"""One thing that an agent said or did, in one form for all agents."""

from msgspec import Struct


class Tokens(Struct, frozen=True, omit_defaults=True):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


class Event(Struct, frozen=True, tag=True, gc=False):
    pass


class Text(Event, frozen=True, tag="text"):
    text: str


class Thinking(Event, frozen=True, tag="thinking"):
    text: str


class ToolStart(Event, frozen=True, tag="tool-start"):
    id: str
    name: str
    summary: str


class ToolEnd(Event, frozen=True, tag="tool-end"):
    id: str
    output: str
    is_error: bool = False


class TodoItem(Struct, frozen=True, gc=False):
    text: str
    status: str


class Todo(Event, frozen=True, tag="todo"):
    items: list[TodoItem]


class Progress(Event, frozen=True, tag="progress"):
    text: str


class Result(Event, frozen=True, tag="result"):
    """The agent's closing word; `text` is its final message."""

    text: str
    is_error: bool = False
    cost_usd: float | None = None
    tokens: Tokens = Tokens()


class Unknown(Event, frozen=True, tag="unknown"):
    """A line that no parser case knows: kept, never fatal."""

    raw: bytes


AnyEvent = Text | Thinking | ToolStart | ToolEnd | Todo | Progress | Result | Unknown
