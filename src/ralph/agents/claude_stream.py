"""Claude's stream-json, which Amp and Qwen follow: NDJSON, one content block a line."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw, Struct

from ralph.agents.parser import JsonLines, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    Progress,
    RateLimited,
    Result,
    Retry,
    Subagent,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

RETRY_REASONS = {"rate_limit": "rate limit", "overloaded": "overloaded"}


class Usage(Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class Block(Struct, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Raw = Raw()
    tool_use_id: str = ""
    content: Raw = Raw()
    is_error: bool | None = None


class Message(Struct, gc=False):
    content: list[Block] | str = ""


class Denial(Struct, gc=False):
    tool_name: str = ""
    tool_input: Raw = Raw()


class LimitInfo(Struct, gc=False, rename="camel"):
    status: str = ""
    resets_at: float | None = None


class Line(Struct, gc=False):
    type: str = ""
    subtype: str | None = ""
    message: Message | str | None = None
    parent_tool_use_id: str | None = None
    session_id: str = ""
    model: str = ""
    result: str | None = ""
    error: Raw = Raw()
    is_error: bool = False
    api_error_status: int | None = None
    terminal_reason: str | None = ""
    total_cost_usd: float | None = None
    usage: Usage | None = None
    structured_output: Raw = Raw()
    permission_denials: list[Denial] = []
    rate_limit_info: LimitInfo | None = None
    attempt: int = 0
    max_retries: int = 0
    task_id: str = ""
    description: str = ""
    status: str | None = ""
    text: str = ""


class Part(Struct, gc=False):
    text: str = ""


class TodoLine(Struct, gc=False):
    content: str = ""
    status: str = "pending"


class Todos(Struct, gc=False):
    todos: list[TodoLine] = []


class TaskInput(Struct, gc=False):
    subject: str = ""
    taskId: str = ""  # noqa: N815 - Claude's word
    status: str = ""


class ErrorObject(Struct, gc=False):
    message: str = ""


_error = msgspec.json.Decoder(str | ErrorObject)
_content = msgspec.json.Decoder(str | list[Part])
_todos = msgspec.json.Decoder(Todos)
_task = msgspec.json.Decoder(TaskInput)


class ClaudeParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._tasks: dict[str, TodoItem] = {}
        self._limited_until: float | None = None

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "assistant" | "user" if isinstance(line.message, Message):
                return self._message(line, line.message.content)
            case "result":
                return self._closing(line)
            case "system":
                return _system(line)
            case "rate_limit_event" if line.rate_limit_info and line.rate_limit_info.status == "rejected":
                self._limited_until = line.rate_limit_info.resets_at
                return (RateLimited("the usage limit is reached", self._limited_until),)
            case _:
                return ()

    def _message(self, line: Line, content: list[Block] | str) -> Iterable[AnyEvent]:
        if isinstance(content, str):
            return ()
        # A text on the user's side is a prompt or the words of a hook: not what the agent says.
        blocks = content if line.type == "assistant" else [block for block in content if block.type != "text"]
        return [event for block in blocks for event in self._block(block, aside=bool(line.parent_tool_use_id))]

    def _block(self, block: Block, *, aside: bool) -> Iterable[AnyEvent]:
        match block.type:
            case "text":
                yield Text(block.text, aside)
            case "thinking":
                yield Thinking(block.thinking)
            case "tool_use":
                yield ToolStart(block.id, block.name, summary(block.input))
                yield from self._todo(block)
            case "tool_result":
                # Tool output is most of a stream: decoded only if somebody looks.
                yield ToolEnd(block.tool_use_id, _output(block.content) if self.watched else "", bool(block.is_error))
            case _:
                pass

    def _todo(self, block: Block) -> Iterable[AnyEvent]:
        match block.name:
            case "TodoWrite":
                yield Todo(
                    [TodoItem(item.content, item.status) for item in _decoded(_todos, block.input, Todos()).todos]
                )
            case "TaskCreate":
                made = _decoded(_task, block.input, TaskInput())
                self._tasks[str(len(self._tasks) + 1)] = TodoItem(made.subject, "pending")
                yield Todo(list(self._tasks.values()))
            case "TaskUpdate":
                change = _decoded(_task, block.input, TaskInput())
                if (known := self._tasks.get(change.taskId)) and change.status:
                    self._tasks[change.taskId] = TodoItem(change.subject or known.text, change.status)
                    yield Todo(list(self._tasks.values()))
            case _:
                pass

    def _closing(self, line: Line) -> Iterable[AnyEvent]:
        for denial in line.permission_denials:
            yield PermissionDenied(denial.tool_name, summary(denial.tool_input))
        # An API error comes as `subtype: success` with `is_error`; other failures as a subtype that begins with error.
        failed = line.is_error or (line.subtype or "").startswith("error")
        words = line.result or _error_text(line.error) or (line.subtype or "" if failed else "")
        if not failed and bytes(line.structured_output) not in (b"", b"null"):
            # It was asked for an answer of this form: nothing else that it says is one.
            words = bytes(line.structured_output).decode(errors="replace")
        problem = self._problem(line, words) if failed else None
        yield Result(words, failed, line.total_cost_usd, tokens(line.usage), problem)

    def _problem(self, line: Line, words: str) -> Problem:
        if line.terminal_reason == "prompt_too_long":
            return Problem("prompt_too_long", words)
        return classify(words, line.api_error_status, self._limited_until)


def tokens(usage: Usage | None) -> Tokens:
    if usage is None:
        return Tokens()
    return Tokens(
        usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    )


def _system(line: Line) -> Iterable[AnyEvent]:
    match line.subtype:
        case "init":
            yield Progress(f"session {line.session_id[:8]} {line.model}".strip())
        case "api_retry":
            reason = _error_text(line.error)
            yield Retry(line.attempt, line.max_retries, RETRY_REASONS.get(reason, reason))
        case "task_started":
            yield Subagent(line.task_id, line.description, "started")
        case "task_notification":
            yield Subagent(line.task_id, line.status or "", "ended")
        case "notification":
            yield Progress(line.text)
        case _:
            pass


def _output(raw: Raw) -> str:
    content = _decoded(_content, raw, "")
    return content if isinstance(content, str) else "\n".join(part.text for part in content)


def _error_text(raw: Raw) -> str:
    """An error as text, or as an object with a message in it."""
    found: str | ErrorObject = _decoded(_error, raw, "")
    return found if isinstance(found, str) else found.message


def _decoded(decoder: "msgspec.json.Decoder[Any]", raw: Raw, otherwise: Any) -> Any:
    try:
        return decoder.decode(raw) if bytes(raw) else otherwise
    except msgspec.DecodeError:
        return otherwise
