"""What the four protocols have in common: a request as it was understood, an answer, a fault, and their wire form."""

import json
import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeGuard

from msgspec import Struct

Json = dict[str, Any]

# What the programs put around the user's own words, in the same message or in one before it.
ADDED = re.compile(
    r"<(system-reminder|system_reminder|session_context|environment_context|current_datetime)>.*?</\1>\s*", re.DOTALL
)
ROLES = {"developer": "system", "model": "assistant"}
PIECE = 24
"""Characters of one piece of streamed text."""


class Tool(Struct, frozen=True):
    """A tool that the request offers to the model."""

    name: str
    schema: Json
    freeform: bool = False
    """Whether it takes plain text in place of arguments."""


class Message(Struct, frozen=True):
    role: str
    """As the provider calls it."""
    text: str = ""
    results: list[str] = []


class ModelRequest(Struct, frozen=True, kw_only=True):
    """One request to the server, as it was recorded."""

    path: str
    """Without what follows a question mark."""
    turn: int = 0
    """The number of the turn that answered it, from 1; 0 if none did."""
    model: str = ""
    prompt: str = ""
    """What the user said last, without what the program wrote around it."""
    tool_results: list[str] = []
    """What the tools gave back since the model last spoke."""
    tools: list[Tool] = []
    system: str = ""
    """The instructions that came with the request."""
    max_tokens: int = 0
    """The longest answer wanted; 0 if any length will do."""
    answer_schema: Json | None = None
    """The JSON schema that the text of the answer must follow."""
    streams: bool = False
    body: Json = {}


class Usage(Struct, frozen=True):
    input: int = 100
    """Tokens that came from no cache."""
    output: int = 10
    cache_read: int = 0
    cache_write: int = 0

    @property
    def all_input(self) -> int:
        return self.input + self.cache_read + self.cache_write


class ToolCall(Struct, frozen=True):
    name: str
    input: Json
    freeform: bool = False

    @property
    def arguments(self) -> str:
        """As text: JSON, or the only argument of a tool that takes plain text."""
        return str(next(iter(self.input.values()), "")) if self.freeform else dumps(self.input)


class Reply(Struct, frozen=True):
    text: str = ""
    call: ToolCall | None = None
    usage: Usage = Usage()


class Fault(Struct, frozen=True):
    status: int
    message: str = ""
    """In place of the provider's own words."""
    retry_after: float | None = None


class Protocol(ABC):
    """One provider's way of asking and answering."""

    overloaded: ClassVar[int] = 503
    """The status with which this provider says that it is overloaded."""

    @abstractmethod
    def read(self, path: str, body: Json) -> ModelRequest: ...

    @abstractmethod
    def document(self, request: ModelRequest, reply: Reply) -> Any:
        """The whole answer at once."""

    @abstractmethod
    def events(self, request: ModelRequest, reply: Reply) -> list[bytes]:
        """The answer as a stream of server-sent events."""

    @abstractmethod
    def error(self, request: ModelRequest, fault: Fault) -> Json:
        """The body of a refusal."""

    @abstractmethod
    def failing_events(self, request: ModelRequest, fault: Fault) -> list[bytes]:
        """A stream that begins well and then tells of the fault."""

    def status(self, fault: Fault) -> int:
        return self.overloaded if is_overload(fault) else fault.status


def is_overload(fault: Fault) -> bool:
    return fault.status in (503, 529)


def understood(path: str, body: Json, messages: list[Message], **more: Any) -> ModelRequest:
    """A request, with what the conversation in it says."""
    roles = [ROLES.get(message.role, message.role) for message in messages]
    spoken = [number for number, role in enumerate(roles, 1) if role == "assistant"]
    new = messages[spoken[-1] :] if spoken else messages
    by_role = list(zip(roles, messages, strict=True))
    words = [ADDED.sub("", message.text).strip() for role, message in by_role if role == "user"]
    return ModelRequest(
        path=path.partition("?")[0],
        body=body,
        prompt=next((text for text in reversed(words) if text), ""),
        tool_results=[result for message in new for result in message.results],
        system="\n".join(message.text for role, message in by_role if role == "system"),
        **more,
    )


def text_of(content: Any) -> str:
    """The text of a message's content, which is text already or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in objects(content) if "text" in part)


def sse(data: Any, event: str = "") -> bytes:
    head = f"event: {event}\n" if event else ""
    return encoded(f"{head}data: {data if isinstance(data, str) else dumps(data)}\n\n")


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(document: str) -> bytes:
    # Half of a surrogate pair is no UTF-8; it goes out as JSON writes it.
    return document.encode(errors="backslashreplace")


def inner(value: Any, *keys: str) -> Json:
    """The object at the end of this path; an empty one if there is none."""
    for key in keys:
        value = value.get(key) if is_object(value) else None
    return value if is_object(value) else {}


def objects(value: Any) -> list[Json]:
    """The objects of a list; none if it is no list."""
    return [item for item in value if is_object(item)] if is_list(value) else []


def is_object(value: object) -> TypeGuard[Json]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
