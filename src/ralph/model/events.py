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
    """Whether a subagent said it, and not the agent itself."""


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
    """The agent retries a request to its model on its own."""

    attempt: int
    of: int
    reason: str


class RateLimited(Event, frozen=True, tag="rate-limited"):
    """The model's service refuses requests for now. `until` is in seconds since the epoch, if the service named a
    time.
    """

    reason: str
    until: float | None = None


class PermissionDenied(Event, frozen=True, tag="permission-denied"):
    """The agent needed permission for a tool, and nobody was there to grant it."""

    tool: str
    reason: str = ""


class Subagent(Event, frozen=True, tag="subagent"):
    id: str
    text: str
    state: Literal["started", "ended"]


ProblemKind = Literal["quota", "auth", "billing", "model", "missing", "prompt_too_long", "permission", "other"]


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why an agent could not work, as far as its structured output says."""

    kind: ProblemKind
    message: str
    until: float | None = None
    allowed_by: str = ""
    """The flag that allows what was denied; only for a denied permission."""


class Result(Event, frozen=True, tag="result"):
    """The agent's last event; `text` is its final message."""

    text: str
    is_error: bool = False
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    problem: Problem | None = None


class Stderr(Event, frozen=True, tag="stderr"):
    """Complete lines of the agent's standard error."""

    text: str


class Skipped(Event, frozen=True, tag="skipped"):
    """One event that stands for everything that the agent said and did while nobody could watch."""

    pieces: int
    tools: int = 0


class Unknown(Event, frozen=True, tag="unknown"):
    """A line that the parser does not know. It is kept and is never fatal."""

    raw: bytes

    @property
    def is_json(self) -> bool:
        """Whether the line looks like a message in the agent's format; otherwise it was printed for a person."""
        return self.raw.startswith((b"{", b"["))


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
    | Stderr
    | Skipped
    | Result
    | Unknown
)
