"""Qwen Code: `qwen`, whose stream-json follows Claude's format."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, json

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.claude_stream import ClaudeParser, Line, Message
from ralph.agents.parser import Emit, Parser, PlainText, decoded
from ralph.model.events import AnyEvent, Tokens


class Output(Struct, gc=False):
    output_tokens: int | None = 0


class QwenMessage(Message, gc=False):
    usage: Raw = Raw()


class QwenLine(Line, frozen=True, gc=False):
    message: QwenMessage | str | None = None


_output = json.Decoder(Output)


class QwenParser(ClaudeParser):
    line_type = QwenLine

    def __init__(self) -> None:
        super().__init__()
        self._by_model = False

    def skim(self, lines: bytes, emit: Emit | None) -> bool:  # noqa: ARG002 - the protocol has them
        """Refuse, because each line says whether a model spoke, and `read` must see that."""
        return False

    def read(self, line: Any) -> Iterable[AnyEvent]:
        if line.type == "assistant" and isinstance(line.message, QwenMessage):
            self._by_model = bool(decoded(_output, line.message.usage, Output()).output_tokens)
        return super().read(line)

    def failed(self, line: Line) -> bool:
        # An API error ends with exit code 0 as a success, with words for which no model spent a token.
        return super().failed(line) or (not self._by_model and self.last_text.startswith("[API Error: "))

    def spent(self, line: Line) -> Tokens:
        # Cached tokens are included in the input, unlike Claude's.
        found = super().spent(line)
        return Tokens(max(0, found.input - found.cache_read), found.output, found.cache_read, found.cache_write)


class Qwen(Adapter):
    name = "qwen"
    endpoint_variable = "OPENAI_BASE_URL"
    environment = (
        *("QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*", "MODELSCOPE_*", "OPENROUTER_*"),
        *("ANTHROPIC_*", "GEMINI_*", "GOOGLE_*", "SANDBOX_*", "SEATBELT_PROFILE"),
    )

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        # Without a prompt among its arguments it reads all of stdin as the prompt.
        output = "stream-json" if call.stream else "text"
        return Invocation([*command, *flags, "--output-format", output], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return QwenParser() if stream else PlainText()
