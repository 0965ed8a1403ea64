"""One thing that an agent said or did, in one form for all agents."""

from typing import Literal

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
    aside: bool = False
    """Said by a subagent, not in the agent's own name."""


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


class Retry(Event, frozen=True, tag="retry"):
    """The agent tries a request to its model again, on its own."""

    attempt: int
    of: int
    reason: str


class RateLimited(Event, frozen=True, tag="rate-limited"):
    """The model's service refuses for now. `until` is a moment in seconds since the epoch, if it was named."""

    reason: str
    until: float | None = None


class PermissionDenied(Event, frozen=True, tag="permission-denied"):
    """A tool that the agent may not use without asking, and nobody was there to ask."""

    tool: str
    reason: str = ""


class Subagent(Event, frozen=True, tag="subagent"):
    id: str
    text: str
    state: Literal["started", "ended"]


ProblemKind = Literal["quota", "auth", "billing", "model", "prompt_too_long", "permission", "other"]


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why an agent could not work, as far as it said so in its structured output."""

    kind: ProblemKind
    message: str
    until: float | None = None


class Result(Event, frozen=True, tag="result"):
    """The agent's closing word; `text` is its final message."""

    text: str
    is_error: bool = False
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    problem: Problem | None = None


class Unknown(Event, frozen=True, tag="unknown"):
    """A line that no parser case knows: kept, never fatal."""

    raw: bytes


AnyEvent = (
    Text
    | Thinking
    | ToolStart
    | ToolEnd
    | Todo
    | Progress
    | Retry
    | RateLimited
    | PermissionDenied
    | Subagent
    | Result
    | Unknown
)
