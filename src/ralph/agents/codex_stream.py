"""The output of Codex with `--json`: a thread of turns, with items that start and complete."""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, json

from ralph.agents.parser import JsonLines, decoded, short, summary
from ralph.agents.problems import classify, plain_words
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Progress,
    Result,
    Retry,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

RECONNECTING = re.compile(r"Reconnecting\.\.\. (\d+)/(\d+)(?: \((.*)\))?", re.DOTALL)
SHELL = re.compile(r"""\S*sh -l?c (['"]?)(.*)\1$""", re.DOTALL)
TOOLS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search"})


class Usage(Struct, gc=False):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0


class Item(Struct, gc=False):
    id: str = ""
    type: str = ""
    text: str = ""
    status: str | None = ""
    command: str = ""
    aggregated_output: Raw = Raw()
    exit_code: int | None = None
    changes: Raw = Raw()
    server: str = ""
    tool: str = ""
    arguments: Raw = Raw()
    result: Raw = Raw()
    error: Raw = Raw()
    query: str = ""
    items: Raw = Raw()
    message: str = ""


class Fault(Struct, gc=False):
    message: str = ""


class Line(Struct, gc=False):
    type: str = ""
    thread_id: str = ""
    item: Item | None = None
    usage: Raw = Raw()
    error: Raw = Raw()
    message: str = ""


class Change(Struct, gc=False):
    path: str = ""
    kind: str = ""


class TodoLine(Struct, gc=False):
    text: str = ""
    completed: bool = False


class Part(Struct, gc=False):
    text: str = ""


class McpResult(Struct, gc=False):
    content: list[Part] = []


_text = json.Decoder(str)
_usage = json.Decoder(Usage)
_fault = json.Decoder(Fault)
_changes = json.Decoder(list[Change])
_todos = json.Decoder(list[TodoLine])
_mcp_result = json.Decoder(McpResult)


class CodexParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._open: set[str] = set()
        self._error = ""

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "item.completed" if line.item:
                return self._completed(line.item)
            case "item.started" if line.item:
                return self._started(line.item)
            case "item.updated" if line.item and line.item.type == "todo_list":
                return (_todo(line.item),)
            case "turn.completed":
                # After a stream error a message is repeated from its beginning: the last one is complete. The usage of
                # a resumed thread is the sum of all its turns, so only that of the last turn is counted.
                return (Result(self.last_text, tokens=_tokens(line.usage)),)
            case "turn.failed":
                return (_failure(decoded(_fault, line.error, Fault()).message),)
            case _:
                return self._about(line)

    def rest(self) -> Iterable[AnyEvent]:
        if self._error and self.result is None:
            yield _failure(self._error)

    def _about(self, line: Line) -> Iterable[AnyEvent]:
        match line.type:
            case "thread.started":
                yield Progress(f"thread {line.thread_id}")
            case "error" if found := RECONNECTING.match(line.message):
                yield Retry(int(found[1]), int(found[2]), short(found[3] or "the connection was lost"))
            case "error":
                self._error = line.message
                yield Progress(plain_words(line.message))
            case _:
                pass

    def _started(self, item: Item) -> Iterable[AnyEvent]:
        if item.type == "todo_list":
            yield _todo(item)
        elif item.type in TOOLS:
            self._open.add(item.id)
            yield _start(item)

    def _completed(self, item: Item) -> Iterable[AnyEvent]:
        self._error = ""
        match item.type:
            case "agent_message":
                yield Text(item.text)
            case "reasoning":
                yield Thinking(item.text)
            case "todo_list":
                yield _todo(item)
            case "error":
                # It is a warning of Codex itself; a turn that really fails says so.
                yield Progress(item.message)
            case _:
                yield from self._ended(item)

    def _ended(self, item: Item) -> Iterable[AnyEvent]:
        if item.type not in TOOLS:
            return
        if item.id in self._open:
            self._open.remove(item.id)
        else:
            yield _start(item)
        if item.status == "declined":
            denied = _start(item)
            yield PermissionDenied(denied.name, denied.summary)
        failed = item.status in ("failed", "declined") or bool(item.exit_code)
        yield ToolEnd(item.id, _output(item) if self.watched else "", failed)


def _start(item: Item) -> ToolStart:
    match item.type:
        case "file_change":
            changes = decoded(_changes, item.changes, [])
            return ToolStart(item.id, "edit", short(", ".join(f"{change.kind} {change.path}" for change in changes)))
        case "mcp_tool_call":
            return ToolStart(item.id, f"{item.server}.{item.tool}", summary(item.arguments))
        case "web_search":
            return ToolStart(item.id, "web_search", short(item.query))
        case _:
            return ToolStart(item.id, "shell", _command(item.command))


def _output(item: Item) -> str:
    if item.type == "mcp_tool_call":
        failure = decoded(_fault, item.error, Fault()).message
        return failure or "\n".join(part.text for part in decoded(_mcp_result, item.result, McpResult()).content)
    return decoded(_text, item.aggregated_output, "")


def _todo(item: Item) -> Todo:
    todos = decoded(_todos, item.items, [])
    return Todo([TodoItem(todo.text, "completed" if todo.completed else "pending") for todo in todos])


def _failure(message: str) -> Result:
    problem = classify(message or "the turn failed")
    return Result(problem.message, is_error=True, problem=problem)


def _command(line: str) -> str:
    """The command, without the shell that runs it."""
    found = SHELL.match(line)
    return short(found[2] if found else line)


def _tokens(raw: Raw) -> Tokens:
    usage = decoded(_usage, raw, Usage())
    # Codex includes cached tokens in the input.
    fresh = max(0, usage.input_tokens - usage.cached_input_tokens)
    return Tokens(fresh, usage.output_tokens, usage.cached_input_tokens, usage.cache_write_input_tokens)
