"""GitHub Copilot CLI: `copilot`, NDJSON with `--output-format json`."""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, json

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import JsonLines, Parser, PlainText, decoded, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    Progress,
    Result,
    Subagent,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

KINDS = frozenset(
    {
        "assistant.message",
        "assistant.reasoning",
        "assistant.usage",
        "session.error",
        "session.info",
        "session.warning",
        "subagent.started",
        "subagent.completed",
        "subagent.failed",
        "tool.execution_start",
        "tool.execution_complete",
    }
)
"""The kinds of lines that are read: a message after its pieces, a tool's start and end."""
BOX = re.compile(r"^\s*[-*] \[([ xX])\] (.*)$", re.MULTILINE)
BY_A_RULE = "due to the following rules"
"""Its words when the user's own rules forbid a tool: that is only a failed tool."""


class Fault(Struct, gc=False):
    message: str = ""
    code: str = ""


class Shell(Struct, gc=False, rename="camel"):
    exit_code: int | None = None


class Data(Struct, gc=False, rename="camel"):
    content: str = ""
    tool_requests: list[Raw] = []
    parent_tool_call_id: str | None = None
    tool_call_id: str = ""
    tool_name: str = ""
    arguments: Raw = Raw()
    success: bool = True
    result: Raw = Raw()
    error: Raw = Raw()
    shell_execution: Shell | None = None
    message: str = ""
    status_code: int | None = None
    agent_display_name: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Line(Struct, gc=False, rename="camel"):
    type: str = ""
    data: Raw = Raw()
    exit_code: int = 0


class Content(Struct, gc=False):
    content: str = ""


class Todos(Struct, gc=False):
    todos: str = ""


_data = json.Decoder(Data)
_fault = json.Decoder(Fault)
_content = json.Decoder(Content)
_todos = json.Decoder(Todos)


class CopilotParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._said = ""
        self._problem: Problem | None = None
        self._tokens = Tokens()
        self._open: dict[str, ToolStart] = {}

    def read(self, line: Any) -> Iterable[AnyEvent]:
        if line.type == "result":
            return (self._closing(line.exit_code),)
        if line.type not in KINDS:
            return ()
        return self._event(line.type, decoded(_data, line.data, Data()))

    def _event(self, kind: str, data: Data) -> Iterable[AnyEvent]:
        match kind:
            case "assistant.message":
                return self._message(data)
            case "assistant.reasoning":
                return (Thinking(data.content),)
            case "tool.execution_start":
                return self._start(data)
            case "tool.execution_complete":
                return self._end(data)
            case _:
                return self._about(kind, data)

    def _about(self, kind: str, data: Data) -> Iterable[AnyEvent]:
        """The events about the work, and not of the work itself."""
        match kind:
            case "session.error":
                self._problem = classify(data.message, data.status_code)
                yield Progress(data.message)
            case "session.warning" | "session.info":
                yield Progress(data.message)
            case "subagent.started":
                yield Subagent(data.tool_call_id, data.agent_display_name, "started")
            case "subagent.completed" | "subagent.failed":
                yield Subagent(data.tool_call_id, data.agent_display_name, "ended")
            case "assistant.usage":
                # Cached tokens are included in the input.
                fresh = max(0, data.input_tokens - data.cache_read_tokens)
                self._tokens += Tokens(fresh, data.output_tokens, data.cache_read_tokens, data.cache_write_tokens)
            case _:
                pass

    def _message(self, data: Data) -> Iterable[AnyEvent]:
        if not data.parent_tool_call_id:
            # A message that calls tools is not the last one.
            self._said = "" if data.tool_requests else data.content
            self._problem = None
        if data.content:
            yield Text(data.content, aside=bool(data.parent_tool_call_id))

    def _start(self, data: Data) -> Iterable[AnyEvent]:
        started = ToolStart(data.tool_call_id, data.tool_name, summary(data.arguments))
        self._open[data.tool_call_id] = started
        yield started
        if data.tool_name == "update_todo":
            yield _todo(decoded(_todos, data.arguments, Todos()).todos)

    def _end(self, data: Data) -> Iterable[AnyEvent]:
        started = self._open.pop(data.tool_call_id, None)
        fault = Fault() if data.success else decoded(_fault, data.error, Fault())
        if started and fault.code == "denied" and BY_A_RULE not in fault.message:
            yield PermissionDenied(started.name, started.summary)
        # A command that fails is still a success.
        failed = not data.success or bool(data.shell_execution and data.shell_execution.exit_code)
        output = fault.message or decoded(_content, data.result, Content()).content if self.watched else ""
        yield ToolEnd(data.tool_call_id, output, failed)

    def _closing(self, exit_code: int) -> Result:
        if not exit_code and not self._problem:
            return Result(self._said, tokens=self._tokens)
        problem = self._problem or Problem("other", f"it reported exit code {exit_code}")
        return Result(problem.message, is_error=True, tokens=self._tokens, problem=problem)


class Copilot(Adapter):
    name = "copilot"
    endpoint_variable = "COPILOT_PROVIDER_BASE_URL"
    environment = ("COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "USE_BUILTIN_RIPGREP")

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        # Without a prompt among its arguments it reads all of stdin as the prompt. With text output it must be silent,
        # or the output of its tools would be between its words, where a marker must not be found.
        output = ["json"] if call.stream else ["text", "--silent"]
        return Invocation([*command, "--output-format", *output, *flags], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return CopilotParser() if stream else PlainText()


def _todo(boxes: str) -> Todo:
    return Todo([TodoItem(text, "pending" if box == " " else "completed") for box, text in BOX.findall(boxes)])
