"""Claude Code: `claude -p`, NDJSON with `--output-format stream-json --verbose`."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import JsonLines, Parser, PlainText, usage
from ralph.model.events import (
    AnyEvent,
    Progress,
    Result,
    Text,
    Thinking,
    Todo,
    TodoItem,
    ToolEnd,
    ToolStart,
)

SUMMARY_KEYS = ("file_path", "path", "command", "pattern", "url", "query", "description", "prompt")
SUMMARY_LENGTH = 200


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
    input: msgspec.Raw = msgspec.Raw()
    tool_use_id: str = ""
    content: msgspec.Raw = msgspec.Raw()
    is_error: bool | None = None


class Message(Struct, gc=False):
    content: list[Block] | str = ""


class Line(Struct, gc=False):
    type: str = ""
    subtype: str = ""
    message: Message | None = None
    session_id: str = ""
    model: str = ""
    result: str = ""
    error: str = ""
    is_error: bool = False
    total_cost_usd: float | None = None
    usage: Usage | None = None


class Part(Struct, gc=False):
    text: str = ""


class TodoLine(Struct, gc=False):
    content: str = ""
    status: str = "pending"


class Todos(Struct, gc=False):
    todos: list[TodoLine] = []


_content = msgspec.json.Decoder(str | list[Part])
_todos = msgspec.json.Decoder(Todos)
_object = msgspec.json.Decoder(dict[str, Any])


class ClaudeParser(JsonLines):
    line_type = Line

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "assistant" | "user" if isinstance(line.message, Message):
                return self._blocks(line.message.content)
            case "result":
                return (_result(line),)
            case "system" if line.subtype == "init":
                return (Progress(f"session {line.session_id[:8]} {line.model}".strip()),)
            case _:
                return ()

    def _blocks(self, content: list[Block] | str) -> Iterable[AnyEvent]:
        if isinstance(content, str):
            return ()
        return [event for block in content for event in _events(block)]


class Claude(Adapter):
    name = "claude"
    environment = (
        "ANTHROPIC_*",
        "CLAUDE_*",
        "AWS_*",
        "GOOGLE_*",
        "CLOUD_ML_REGION",
        "VERTEX_REGION_*",
        "DISABLE_*",
        "ENABLE_*",
        "BASH_*_TIMEOUT_MS",
        "MAX_*_TOKENS",
        "MCP_*",
        "IS_SANDBOX",
        "USE_BUILTIN_RIPGREP",
    )

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--output-format", "stream-json", "--verbose"] if call.stream else ["--output-format", "text"]
        # The prompt goes in on stdin: it has no length limit there, and cannot be taken for a flag.
        return Invocation([*command, "-p", *flags, *output], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()


def _events(block: Block) -> Iterable[AnyEvent]:
    match block.type:
        case "text":
            yield Text(block.text)
        case "thinking":
            yield Thinking(block.thinking)
        case "tool_use":
            yield ToolStart(block.id, block.name, _summary(block.input))
            if block.name == "TodoWrite":
                yield _todo(block.input)
        case "tool_result":
            yield ToolEnd(block.tool_use_id, _output(block.content), bool(block.is_error))
        case _:
            pass


def _result(line: Line) -> Result:
    # An API error comes as `subtype: success` with `is_error`; other failures as a subtype that begins with error.
    failed = line.is_error or line.subtype.startswith("error")
    text = line.result or line.error or (line.subtype if failed else "")
    return Result(text, is_error=failed, cost_usd=line.total_cost_usd, tokens=usage(line.usage))


def _summary(raw: msgspec.Raw) -> str:
    fields = _fields(raw)
    for key in SUMMARY_KEYS:
        if isinstance(value := fields.get(key), str):
            return " ".join(value.split())[:SUMMARY_LENGTH]
    return ""


def _output(raw: msgspec.Raw) -> str:
    try:
        content = _content.decode(raw)
    except msgspec.DecodeError:
        return ""
    return content if isinstance(content, str) else "\n".join(part.text for part in content)


def _todo(raw: msgspec.Raw) -> Todo:
    try:
        found = _todos.decode(raw).todos
    except msgspec.DecodeError:
        found = []
    return Todo([TodoItem(item.content, item.status) for item in found])


def _fields(raw: msgspec.Raw) -> dict[str, Any]:
    try:
        return _object.decode(raw)
    except msgspec.DecodeError:
        return {}
