"""Goose: `goose run`, NDJSON with `--output-format stream-json`."""

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
    Progress,
    Result,
    Text,
    Thinking,
    Tokens,
    ToolEnd,
    ToolStart,
)


class Called(Struct, gc=False):
    name: str = ""
    arguments: Raw = Raw()


class ToolCall(Struct, gc=False):
    value: Called | None = None


class ToolResult(Struct, gc=False):
    status: str = ""
    value: Raw = Raw()
    error: Raw = Raw()


class Action(Struct, gc=False, rename="camel"):
    action_type: str = ""
    tool_name: str = ""
    arguments: Raw = Raw()


class Block(Struct, gc=False, rename="camel"):
    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    tool_call: ToolCall | None = None
    tool_result: ToolResult | None = None
    data: Raw = Raw()
    notification_type: str = ""
    msg: str = ""


class Message(Struct, gc=False):
    id: str | None = None
    role: str = ""
    content: list[Block] = []


class Line(Struct, gc=False):
    type: str = ""
    message: Message | str | None = None
    error: Raw = Raw()
    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Part(Struct, gc=False):
    text: str = ""


class Content(Struct, gc=False):
    content: list[Part] = []


class Outcome(Struct, gc=False, rename="camel"):
    is_error: bool | None = None


_text = json.Decoder(str)
_action = json.Decoder(Action)
_outcome = json.Decoder(Outcome)
_content = json.Decoder(Content)
_parts = json.Decoder(list[Part])


class GooseParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []
        self._message_id: str | None = None
        self._said = ""
        self._problem: Problem | None = None

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "message" if isinstance(line.message, Message):
                return self._message(line.message)
            case "error":
                # It also ends with exit code 0 after an error.
                self._problem = classify(decoded(_text, line.error, "it reported an error"))
                return (*self._whole(), Progress(self._problem.message))
            case "complete":
                return (*self._whole(), self._closing(line))
            case _:
                return ()

    def rest(self) -> Iterable[AnyEvent]:
        yield from self._whole()
        if self._problem and self.result is None:
            yield self._closing(Line())

    def _whole(self) -> Iterable[AnyEvent]:
        """The whole message, joined from its pieces."""
        if self._pieces:
            self._said = "".join(self._pieces)
            self._pieces = []
            yield Text(self._said)

    def _message(self, message: Message) -> Iterable[AnyEvent]:
        # A message arrives in pieces with the same id.
        if message.id is None or message.id != self._message_id:
            yield from self._whole()
        self._message_id = message.id
        for block in message.content:
            if block.type == "text":
                if message.role == "assistant":
                    self._pieces.append(block.text)
            else:
                yield from self._whole()
                yield from self._block(block)

    def _block(self, block: Block) -> Iterable[AnyEvent]:
        match block.type:
            case "thinking":
                yield Thinking(block.thinking)
            case "toolRequest":
                self._said = ""
                called = (block.tool_call and block.tool_call.value) or Called()
                yield ToolStart(block.id, called.name, summary(called.arguments))
            case "toolResponse" if block.tool_result:
                yield self._end(block.id, block.tool_result)
            case "actionRequired":
                action = decoded(_action, block.data, Action())
                if action.action_type == "toolConfirmation":
                    yield PermissionDenied(action.tool_name, summary(action.arguments))
            case "systemNotification" if block.notification_type == "creditsExhausted":
                self._problem = Problem("billing", block.msg)
            case _:
                pass

    def _end(self, id_: str, result: ToolResult) -> ToolEnd:
        failed = result.status == "error" or bool(decoded(_outcome, result.value, Outcome()).is_error)
        return ToolEnd(id_, _output(result) if self.watched else "", failed)

    def _closing(self, line: Line) -> Result:
        # Older versions report only the sum.
        spent = Tokens(line.input_tokens or line.total_tokens or 0, line.output_tokens or 0)
        if self._problem:
            return Result(self._problem.message, is_error=True, tokens=spent, problem=self._problem)
        return Result(self._said, tokens=spent)


class Goose(Adapter):
    name = "goose"
    environment = ("GOOSE_*", "CONTEXT_FILE_NAMES", "RUST_LOG", *PROVIDERS)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--output-format", "stream-json"] if call.stream else ["--quiet"]
        return Invocation([*command, "run", *output, "--no-session", *flags, "-i", "-"], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return GooseParser() if stream else PlainText()


def _output(result: ToolResult) -> str:
    # Older versions give the bare parts.
    parts = decoded(_content, result.value, Content()).content or decoded(_parts, result.value, [])
    return decoded(_text, result.error, "") or "\n".join(part.text for part in parts)
