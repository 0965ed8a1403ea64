"""Gemini CLI: `gemini`, NDJSON with `--output-format stream-json`."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from msgspec import Raw, Struct, json

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import JsonLines, Parser, PlainText, decoded, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Progress,
    Result,
    Text,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)


class Fault(Struct, gc=False):
    type: str = ""
    message: str = ""


class Stats(Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cached: int = 0


class Line(Struct, gc=False):
    type: str = ""
    session_id: str = ""
    model: str = ""
    role: str = ""
    content: str = ""
    delta: bool = False
    tool_name: str = ""
    tool_id: str = ""
    parameters: Raw = Raw()
    status: str = ""
    output: Raw = Raw()
    error: Raw = Raw()
    stats: Raw = Raw()
    severity: str = ""
    message: str = ""


class TodoLine(Struct, gc=False):
    description: str = ""
    status: str = "pending"


class Todos(Struct, gc=False):
    todos: list[TodoLine] = []


_text = json.Decoder(str)
_fault = json.Decoder(Fault)
_stats = json.Decoder(Stats)
_todos = json.Decoder(Todos)


class GeminiParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._said = ""
        self._severe = ""
        self._open: dict[str, ToolStart] = {}

    def read(self, line: Any) -> Iterable[AnyEvent]:
        # A message arrives in pieces, and ends where something else begins.
        if line.type == "message" and line.role == "assistant":
            before = () if line.delta else list(self.rest())
            self._pieces.append(line.content)
            self._severe = ""
            return before
        return [*self.rest(), *self._event(line)]

    def rest(self) -> Iterable[AnyEvent]:
        if self._pieces:
            self._said = "".join(self._pieces)
            self._pieces = []
            yield Text(self._said)

    def _event(self, line: Line) -> Iterable[AnyEvent]:
        match line.type:
            case "tool_use":
                yield self._start(line)
                if line.tool_name == "write_todos":
                    yield _todo(line.parameters)
            case "tool_result":
                yield from self._end(line)
            case "result":
                yield self._closing(line)
            case "error":
                if line.severity == "error":
                    self._severe = line.message
                yield Progress(line.message)
            case "init":
                yield Progress(f"session {line.session_id[:8]} {line.model}".strip())
            case _:
                pass

    def _start(self, line: Line) -> ToolStart:
        self._said = self._severe = ""
        self._open[line.tool_id] = started = ToolStart(line.tool_id, line.tool_name, summary(line.parameters))
        return started

    def _end(self, line: Line) -> Iterable[AnyEvent]:
        started = self._open.pop(line.tool_id, None)
        failed = line.status == "error"
        fault = decoded(_fault, line.error, Fault()) if failed else Fault()
        if started and fault.type == "policy_violation":
            yield PermissionDenied(started.name, started.summary)
        output = decoded(_text, line.output, "") or fault.message if self.watched else ""
        yield ToolEnd(line.tool_id, output, failed)

    def _closing(self, line: Line) -> Result:
        stats = decoded(_stats, line.stats, Stats())
        # Cached tokens are included in the input.
        spent = Tokens(max(0, stats.input_tokens - stats.cached), stats.output_tokens, stats.cached)
        # It also ends with success after it gave up, such as at its limit of turns.
        if line.status != "error" and not self._severe:
            return Result(self._said, tokens=spent)
        words = decoded(_fault, line.error, Fault()).message or self._severe or "it reported an error"
        problem = classify(words)
        return Result(problem.message, is_error=True, tokens=spent, problem=problem)


class Gemini(Adapter):
    name = "gemini"
    endpoint_variable = "GOOGLE_GEMINI_BASE_URL"
    environment = (
        *("GEMINI_*", "GOOGLE_*", "GCLOUD_PROJECT", "CODE_ASSIST_ENDPOINT", "CLOUD_SHELL"),
        *("SANDBOX_*", "SEATBELT_PROFILE"),
    )
    # The effect of its flag `--skip-trust`: without it, a version that knows it refuses to work; an older one ignores
    # it.
    variables: ClassVar[Mapping[str, str]] = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        # Without a prompt among its arguments it reads all of stdin as the prompt.
        output = "stream-json" if call.stream else "text"
        return Invocation([*command, *flags, "--output-format", output], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return GeminiParser() if stream else PlainText()


def _todo(parameters: Raw) -> Todo:
    todos = decoded(_todos, parameters, Todos()).todos
    return Todo([TodoItem(item.description, item.status) for item in todos])
