"""OpenCode: `opencode run`, NDJSON with `--format json`."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, json

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import JsonLines, Parser, PlainText, decoded, summary
from ralph.agents.problems import classify
from ralph.agents.providers import PROVIDERS
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    ProblemKind,
    Progress,
    Result,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

BY_NAME: dict[str, ProblemKind] = {
    "ContextOverflowError": "prompt_too_long",
    "ProviderAuthError": "auth",
    "ProviderModelNotFoundError": "model",
}
NOBODY_TO_ASK = "The user rejected permission"
"""How it puts that it would have asked. A rule of the user's own that forbids a tool is no more than a failed tool."""


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


class Line(Struct, gc=False):
    type: str = ""
    part: Part | None = None
    error: Raw = Raw()


class TodoLine(Struct, gc=False):
    content: str = ""
    status: str = "pending"


class Todos(Struct, gc=False):
    todos: list[TodoLine] = []


_text = json.Decoder(str)
_spent = json.Decoder(Spent)
_fault = json.Decoder(Fault)
_todos = json.Decoder(Todos)


class OpenCodeParser(JsonLines):
    """It has no closing line, and after a step that stops it may go on to shorten its context: the end is the end."""

    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._said = ""
        self._stopped = False
        self._problem: Problem | None = None
        self._tokens = Tokens()
        self._cost = 0.0

    def read(self, line: Any) -> Iterable[AnyEvent]:
        part: Part | None = line.part
        match line.type:
            case "error":
                self._problem = _problem(decoded(_fault, line.error, Fault()))
                return (Progress(self._problem.message),)
            case "step_start":
                self._said, self._stopped, self._problem = "", False, None
            case "step_finish" if part:
                self._finish_step(part)
            case _ if part:
                return self._event(line.type, part)
            case _:
                pass
        return ()

    def rest(self) -> Iterable[AnyEvent]:
        if self._problem or self._stopped:
            words = self._problem.message if self._problem else self._said
            # Of a model that has no price here the cost is not known.
            yield Result(words, self._problem is not None, self._cost or None, self._tokens, self._problem)

    def _finish_step(self, part: Part) -> None:
        self._stopped = part.reason == "stop"
        self._cost += part.cost
        spent = decoded(_spent, part.tokens, Spent())
        self._tokens += Tokens(spent.input, spent.output + spent.reasoning, spent.cache.read, spent.cache.write)

    def _event(self, kind: str, part: Part) -> Iterable[AnyEvent]:
        match kind:
            case "text":
                self._said = part.text
                return (Text(part.text),)
            case "reasoning":
                return (Thinking(part.text),)
            case "tool_use" if part.state:
                return self._tool(part, part.state)
            case _:
                return ()

    def _tool(self, part: Part, state: State) -> Iterable[AnyEvent]:
        """A tool is told of when it has ended."""
        started = ToolStart(part.callID, part.tool, summary(state.input))
        yield started
        if part.tool == "todowrite":
            yield _todo(state.input)
        error = decoded(_text, state.error, "") if state.status == "error" else ""
        if error.startswith(NOBODY_TO_ASK):
            yield PermissionDenied(started.name, started.summary)
        # A command that fails is completed all the same.
        failed = state.status == "error" or bool(state.metadata and state.metadata.exit)
        yield ToolEnd(part.callID, (error or decoded(_text, state.output, "")) if self.watched else "", failed)


class OpenCode(Adapter):
    name = "opencode"
    environment = ("OPENCODE_*", *PROVIDERS)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        # Without a message among its arguments it reads all of stdin as the message.
        output = "json" if call.stream else "default"
        return Invocation([*command, "run", "--format", output, *flags], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return OpenCodeParser() if stream else PlainText()


def _problem(fault: Fault) -> Problem:
    data = fault.data or FaultData()
    words = data.message or fault.name or "it reported an error"
    if fault.name in BY_NAME:
        return Problem(BY_NAME[fault.name], words)
    return classify(words, data.status_code)


def _todo(given: Raw) -> Todo:
    return Todo([TodoItem(item.content, item.status) for item in decoded(_todos, given, Todos()).todos])
