"""OpenCode's messages about its work, as `opencode run` prints them and as its server sends them."""

from msgspec import Raw, Struct, json

from ralph.agents.parser import decoded
from ralph.agents.problems import classify
from ralph.model.events import Problem, ProblemKind, Todo, TodoItem, Tokens, ToolEnd

BY_NAME: dict[str, ProblemKind] = {
    "ContextOverflowError": "prompt_too_long",
    "ProviderAuthError": "auth",
    "ProviderModelNotFoundError": "model",
}
NOBODY_TO_ASK = "The user rejected permission"
"""Its words when it would have asked. A user's own rule that forbids a tool is only a failed tool."""


class Metadata(Struct, gc=False):
    exit: int | None = None


class State(Struct, gc=False):
    status: str = ""
    input: Raw = Raw()
    output: Raw = Raw()
    error: Raw = Raw()
    metadata: Metadata | None = None


class Cache(Struct, frozen=True, gc=False):
    read: int = 0
    write: int = 0


class Spent(Struct, gc=False):
    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache: Cache = Cache()


class Part(Struct, gc=False):
    text: str = ""
    tool: str = ""
    callID: str = ""  # noqa: N815 - OpenCode's word
    state: State | None = None
    reason: str = ""
    tokens: Raw = Raw()
    cost: float = 0.0


class FaultData(Struct, gc=False, rename="camel"):
    message: str = ""
    status_code: int | None = None


class Fault(Struct, gc=False):
    name: str = ""
    data: FaultData | None = None


class TodoLine(Struct, gc=False):
    content: str = ""
    status: str = "pending"


class Todos(Struct, gc=False):
    todos: list[TodoLine] = []


_text = json.Decoder(str)
_spent = json.Decoder(Spent)
_fault = json.Decoder(Fault)
_todos = json.Decoder(Todos)


def tokens_of(part: Part) -> Tokens:
    used = decoded(_spent, part.tokens, Spent())
    return Tokens(used.input, used.output + used.reasoning, used.cache.read, used.cache.write)


def problem_of(raw: Raw) -> Problem:
    fault = decoded(_fault, raw, Fault())
    data = fault.data or FaultData()
    words = data.message or fault.name or "it reported an error"
    if fault.name in BY_NAME:
        return Problem(BY_NAME[fault.name], words)
    return classify(words, data.status_code)


def todo_of(given: Raw) -> Todo:
    return Todo([TodoItem(item.content, item.status) for item in decoded(_todos, given, Todos()).todos])


def error_of(state: State) -> str:
    return decoded(_text, state.error, "") if state.status == "error" else ""


def tool_end(part: Part, state: State, *, watched: bool) -> ToolEnd:
    # A command that fails is still completed.
    failed = state.status == "error" or bool(state.metadata and state.metadata.exit)
    # Tool output is most of a stream: it is decoded only if somebody needs it.
    output = (error_of(state) or decoded(_text, state.output, "")) if watched else ""
    return ToolEnd(part.callID, output, failed)
