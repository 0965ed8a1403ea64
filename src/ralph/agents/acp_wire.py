"""The messages of the Agent Client Protocol, as far as they are read: other fields are ignored."""

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from ralph.model.events import ProblemKind, Tokens


class ClaudeMeta(Struct, gc=False, rename="camel"):
    tool_name: str = ""
    parent_tool_use_id: str | None = None


class Meta(Struct, gc=False, rename="camel"):
    claude_code: ClaudeMeta | None = None


class Cost(Struct, gc=False):
    amount: float = 0.0
    currency: str = ""


class PlanEntry(Struct, gc=False):
    content: str = ""
    status: str = "pending"


class Plan(Struct, gc=False):
    entries: list[PlanEntry] | None = None


class Block(Struct, gc=False):
    text: str = ""


class Content(Struct, gc=False):
    content: Block | None = None
    path: str = ""


class Update(Struct, gc=False, rename="camel"):
    session_update: str = ""
    content: Raw = Raw()
    message_id: str | None = None
    tool_call_id: str = ""
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    raw_input: Raw = Raw()
    raw_output: Raw = Raw()
    entries: list[PlanEntry] | None = None
    plan: Plan | None = None
    cost: Cost | None = None
    meta: Meta | None = field(default=None, name="_meta")

    @property
    def text(self) -> str:
        """The text of a chunk."""
        return decoded(_block, self.content, Block()).text

    @property
    def output(self) -> str:
        """The output of a tool: as text if there is any; otherwise the content for a screen; otherwise the raw
        value.
        """
        if text := decoded(_text, self.raw_output, ""):
            return text
        parts = [part.content.text if part.content else part.path for part in decoded(_contents, self.content, [])]
        return "\n".join(filter(None, parts)) or bytes(self.raw_output).decode(errors="replace")

    @property
    def tool_name(self) -> str:
        return self.meta.claude_code.tool_name if self.meta and self.meta.claude_code else ""

    @property
    def aside(self) -> bool:
        """Whether a subagent says it."""
        return bool(self.meta and self.meta.claude_code and self.meta.claude_code.parent_tool_use_id)


class Params(Struct, gc=False, rename="camel"):
    update: Update | None = None
    tool_call: Update | None = None
    message: str = ""
    kind: ProblemKind = "other"


class Usage(Struct, gc=False, rename="camel"):
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int | None = None
    cached_read_tokens: int | None = None
    cached_write_tokens: int | None = None

    @property
    def tokens(self) -> Tokens:
        # Thoughts are counted separately from the output, at the same price.
        output = self.output_tokens + (self.thought_tokens or 0)
        return Tokens(self.input_tokens, output, self.cached_read_tokens or 0, self.cached_write_tokens or 0)


class AgentInfo(Struct, gc=False):
    name: str = ""
    version: str = ""


class Outcome(Struct, gc=False, rename="camel"):
    """The answer to any request of the client: its fields show which request it was."""

    agent_info: AgentInfo | None = None
    session_id: str = ""
    stop_reason: str = ""
    usage: Usage | None = None


class ErrorData(Struct, gc=False, rename="camel"):
    text: str = field(default="", name="details")
    error_kind: str = ""


class Error(Struct, gc=False):
    code: int = 0
    message: str = ""
    data: Raw = Raw()

    @property
    def details(self) -> ErrorData:
        return decoded(_data, self.data, ErrorData())


class Line(Struct, gc=False):
    method: str = ""
    params: Params | None = None
    result: Outcome | None = None
    error: Error | None = None


_block = msgspec.json.Decoder(Block)
_contents = msgspec.json.Decoder(list[Content])
_text = msgspec.json.Decoder(str)
_data = msgspec.json.Decoder(ErrorData)


def decoded(decoder: "msgspec.json.Decoder[Any]", raw: Raw, otherwise: Any) -> Any:
    try:
        return decoder.decode(raw) if bytes(raw) else otherwise
    except msgspec.DecodeError:
        return otherwise
