"""Claude's stream-json in a hurry: what the loop must know of lines that nobody can watch.

It reads only the usual lines, tools at work and what is said between them. Anything else needs the whole parser.
"""

from msgspec import Struct, json

from ralph.agents.parser import UNREADABLE

PLANNING = frozenset({"TodoWrite", "todo_write", "TaskCreate", "TaskUpdate"})
"""Tools whose input the parser remembers."""

UNUSUAL = b'"subtype"'
"""A key that is in lines about the session and its end, and never in usual ones: in a text, its quotes would be
escaped."""
FLOOD = 1 << 16
"""The size of a piece of a flood. Such a piece hardly ever holds an unusual line, so no search for one is made."""


class SkimmedBlock(Struct, gc=False):
    type: str = ""
    text: str = ""
    name: str = ""
    is_error: bool | None = None


class SkimmedMessage(Struct, gc=False):
    id: str = ""
    content: list[SkimmedBlock] | str = ""


class SkimmedLine(Struct, gc=False):
    type: str = ""
    message: SkimmedMessage | None = None
    parent_tool_use_id: str | None = None


class Saying(Struct, gc=False):
    """Texts of the agent in one of its messages."""

    message: str
    texts: list[str]


class Skimmed(Struct, gc=False):
    tools: int = 0
    pieces: int = 0
    """How many things it said and did."""
    said: list[Saying] = []


_lines = json.Decoder(SkimmedLine)


def skimmed(data: bytes) -> Skimmed | None:
    """What these lines hold; None if one of them needs the whole parser, or is not in the format."""
    if len(data) < FLOOD and UNUSUAL in data:
        return None
    try:
        lines = _lines.decode_lines(data)
    except UNREADABLE:
        return None
    found = Skimmed()
    for line in lines:
        if line.message is None or not _is_noted(line.type, line.message, found, aside=bool(line.parent_tool_use_id)):
            return None
    return found


def _is_noted(kind: str, message: SkimmedMessage, found: Skimmed, *, aside: bool) -> bool:
    """Add the line to what was found. Returns False if it needs the whole parser."""
    texts: list[str] = []
    for block in message.content:
        if isinstance(block, str) or block.is_error or block.name in PLANNING:
            return False
        found.pieces += 1
        if kind == "assistant":
            if block.type == "tool_use":
                found.tools += 1
            elif block.type == "text" and not aside:
                texts.append(block.text)
    if texts:
        found.said.append(Saying(message.id, texts))
    return kind in {"assistant", "user"}
