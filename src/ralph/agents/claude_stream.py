"""Claude's stream-json, which Amp and Qwen follow: NDJSON, one content block per line."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct

from ralph.agents.claude_hooks import Forbidden
from ralph.agents.claude_skim import skimmed
from ralph.agents.parser import Emit, JsonLines, decoded, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    Progress,
    RateLimited,
    Result,
    Retry,
    Skipped,
    Subagent,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

BACKGROUND = ("local_bash",)
"""Claude's names for a task that is a shell command, and not an agent."""
RETRY_REASONS = {"rate_limit": "rate limit", "overloaded": "overloaded"}


class Usage(Struct, gc=False):
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0


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
    id: str = ""
    content: list[Block] | str = ""


class Denial(Struct, gc=False):
    tool_name: str = ""
    tool_use_id: str = ""
    tool_input: Raw = Raw()


class LimitInfo(Struct, gc=False, rename="camel"):
    status: str = ""
    resets_at: float | None = None


class Line(Struct, frozen=True, gc=False):
    """A line. An unexpected type in one field must not lose the rest, so the parts of a result are decoded one by
    one.
    """

    type: str = ""
    subtype: str | None = ""
    message: Message | str | None = None
    parent_tool_use_id: str | None = None
    session_id: str | None = ""
    model: str | None = ""
    result: Raw = Raw()
    error: Raw = Raw()
    errors: Raw = Raw()
    is_error: bool | None = False
    api_error_status: int | None = None
    terminal_reason: str | None = ""
    total_cost_usd: float | None = None
    usage: Raw = Raw()
    structured_output: Raw = Raw()
    permission_denials: Raw = Raw()
    rate_limit_info: Raw = Raw()
    attempt: int = 0
    max_retries: int = 0
    task_id: str = ""
    task_type: str | None = ""
    description: str = ""
    status: str | None = ""
    text: str = ""
    original_model: str | None = ""
    fallback_model: str | None = ""
    hook_event: str | None = ""
    exit_code: int | None = None
    stdout: Raw = Raw()
    stderr: Raw = Raw()
    tool_use_result: Raw = Raw()


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


class Wrapped(Struct, gc=False):
    error: Raw = Raw()


_wrapped = msgspec.json.Decoder(Wrapped)
_text = msgspec.json.Decoder(str)
_texts = msgspec.json.Decoder(list[str])
_error = msgspec.json.Decoder(str | ErrorObject)
_content = msgspec.json.Decoder(str | list[Part])
_todos = msgspec.json.Decoder(Todos)
_task = msgspec.json.Decoder(TaskInput)
_usage = msgspec.json.Decoder(Usage)
_denials = msgspec.json.Decoder(list[Denial])
_limit = msgspec.json.Decoder(LimitInfo)


class ClaudeParser(JsonLines):
    line_type: ClassVar[type[Struct]] = Line

    def __init__(self) -> None:
        super().__init__()
        self._tasks: dict[str, TodoItem] = {}
        self._made_tasks = 0
        self._limited_until: float | None = None
        self._background: set[str] = set()
        """The ids of shell commands that the agent left running."""
        self._forbidden = Forbidden()
        self._said_in = ""
        """The id of the agent's last message. Its parts come on separate lines."""
        self._said: list[str] = []

    @property
    def final(self) -> str:
        """The result's text, or else the whole last message with all its parts."""
        return self.result.text if self.result else "\n\n".join(self._said)

    def skim(self, lines: bytes, emit: Emit | None) -> bool:
        found = skimmed(lines)
        if found is None:
            return False
        self.tools += found.tools
        for each in found.said:
            self._say(each.message, each.texts)
            self.last_text = each.texts[-1]
        if emit is not None:
            emit([Skipped(found.pieces, found.tools)])
        return True

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "assistant" | "user" if isinstance(line.message, Message):
                self._hear(line, line.message)
                return self._message(line, line.message.content)
            case "result":
                return self._closing(line)
            case "system":
                if line.subtype == "hook_response" and line.hook_event == "PreToolUse":
                    self._forbidden.hear(line.exit_code, line.stdout, line.stderr)
                return self._system(line)
            case "rate_limit_event":
                return self._limit(decoded(_limit, line.rate_limit_info, LimitInfo()))
            case _:
                return ()

    def _system(self, line: Line) -> Iterable[AnyEvent]:
        match line.subtype:
            case "init":
                yield Progress(f"session {(line.session_id or '')[:8]} {line.model or ''}".strip())
            case "api_retry":
                reason = _error_text(line.error)
                yield Retry(line.attempt, line.max_retries, RETRY_REASONS.get(reason, reason))
            case "task_started" if line.task_type in BACKGROUND:
                self._background.add(line.task_id)
                yield Progress(f"in the background: {line.description}")
            case "task_notification" if line.task_id in self._background:
                yield Progress(f"the background command {line.status or 'ended'}")
            case "task_started":
                yield Subagent(line.task_id, line.description, "started")
            case "task_notification":
                yield Subagent(line.task_id, line.status or "", "ended")
            case "notification":
                yield Progress(line.text)
            case "model_fallback":
                yield Progress(f"model {line.original_model} is replaced by {line.fallback_model}")
            case _:
                pass

    def failed(self, line: Line) -> bool:
        # An API error is `subtype: success` with `is_error`; other failures are a subtype that begins with error.
        return bool(line.is_error) or (line.subtype or "").startswith("error")

    def spent(self, line: Line) -> Tokens:
        usage = decoded(_usage, line.usage, Usage())
        return Tokens(
            usage.input_tokens or 0,
            usage.output_tokens or 0,
            usage.cache_read_input_tokens or 0,
            usage.cache_creation_input_tokens or 0,
        )

    def _limit(self, info: LimitInfo) -> Iterable[AnyEvent]:
        if info.status == "rejected":
            self._limited_until = info.resets_at
            yield RateLimited("the usage limit is reached", info.resets_at)

    def _hear(self, line: Line, message: Message) -> None:
        if line.type != "assistant" or line.parent_tool_use_id or isinstance(message.content, str):
            return
        if said := [block.text for block in message.content if block.type == "text"]:
            self._say(message.id, said)

    def _say(self, message: str, texts: list[str]) -> None:
        goes_on = bool(message) and message == self._said_in
        self._said = [*self._said, *texts] if goes_on else texts
        self._said_in = message

    def _message(self, line: Line, content: list[Block] | str) -> Iterable[AnyEvent]:
        if isinstance(content, str):
            return ()
        # A text on the user's side is a prompt or a hook's message, not what the agent says.
        blocks = content if line.type == "assistant" else [block for block in content if block.type != "text"]
        if len(blocks) == 1:
            return self._block(line, blocks[0])
        return [event for block in blocks for event in self._block(line, block)]

    def _block(self, line: Line, block: Block) -> tuple[AnyEvent, ...]:
        aside = bool(line.parent_tool_use_id)
        match block.type:
            case "text":
                return (Text(block.text, aside),)
            case "thinking":
                return (Thinking(block.thinking),)
            case "tool_use":
                # Input and output of tools are most of a stream: they are decoded only if somebody needs them.
                start = ToolStart(block.id, block.name, summary(block.input) if self.watched else "")
                return (start,) if aside else (start, *self._todo(block))
            case "tool_result":
                if block.is_error and self._forbidden.may_be_in(block.content):
                    self._forbidden.match(block.tool_use_id, _output(block.content))
                output = _tool_output(line, block) if self.watched else ""
                return (ToolEnd(block.tool_use_id, output, bool(block.is_error)),)
            case _:
                return ()

    def _todo(self, block: Block) -> tuple[Todo, ...]:
        match block.name:
            case "TodoWrite" | "todo_write":
                todos = decoded(_todos, block.input, Todos()).todos
                # Amp writes `in-progress`.
                return (Todo([TodoItem(item.content, item.status.replace("-", "_")) for item in todos]),)
            case "TaskCreate":
                self._made_tasks += 1
                subject = decoded(_task, block.input, TaskInput()).subject
                self._tasks[str(self._made_tasks)] = TodoItem(subject, "pending")
            case "TaskUpdate":
                change = decoded(_task, block.input, TaskInput())
                if change.taskId not in self._tasks:
                    return ()
                self._update(change)
            case _:
                return ()
        return (Todo(list(self._tasks.values())),)

    def _update(self, change: TaskInput) -> None:
        known = self._tasks[change.taskId]
        if change.status == "deleted":
            del self._tasks[change.taskId]
        else:
            self._tasks[change.taskId] = TodoItem(change.subject or known.text, change.status or known.status)

    def _closing(self, line: Line) -> Iterable[AnyEvent]:
        for denial in decoded(_denials, line.permission_denials, []):
            if denial.tool_use_id not in self._forbidden:
                yield PermissionDenied(denial.tool_name, summary(denial.tool_input))
        failed = self.failed(line)
        words = _final_words(line) or (_error_words(line) if failed else "")
        problem = self._problem(line, words) if failed else None
        yield Result(problem.message if problem else words, failed, line.total_cost_usd, self.spent(line), problem)

    def _problem(self, line: Line, words: str) -> Problem:
        if line.terminal_reason == "prompt_too_long":
            return Problem("prompt_too_long", words)
        return classify(words, line.api_error_status, self._limited_until)


def _final_words(line: Line) -> str:
    return decoded(_text, line.result, "") or _json_text(line.structured_output)


def _error_words(line: Line) -> str:
    """Why there is no final message: an error, or a subtype such as error_max_turns with its meaning."""
    if error := _error_text(line.error):
        return error
    details = [error for error in decoded(_texts, line.errors, []) if not error.startswith("[")]
    return ": ".join([line.subtype or "", *details])


def _tool_output(line: Line, block: Block) -> str:
    """The tool's output. If it failed without output, the error from elsewhere in the line."""
    output = _output(block.content)
    if output or not block.is_error:
        return output
    return _error_text(decoded(_wrapped, block.content, Wrapped()).error) or _error_text(line.tool_use_result)


def _output(raw: Raw) -> str:
    content = decoded(_content, raw, "")
    return content if isinstance(content, str) else "\n".join(part.text for part in content)


def _error_text(raw: Raw) -> str:
    """The error as text, from a text or from an object with a message."""
    found = decoded(_error, raw, "")
    return found if isinstance(found, str) else found.message


def _json_text(raw: Raw) -> str:
    text = bytes(raw).decode(errors="replace")
    return "" if text == "null" else text
