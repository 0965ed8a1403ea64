"""What an active agent said or did last, from the end of its stream."""

from pathlib import Path

from ralph.agents.parser import Parser
from ralph.agents.registry import adapter
from ralph.model.errors import ConfigError
from ralph.model.events import AnyEvent, Text, ToolStart
from ralph.model.words import last_lines
from ralph.store.history import last_row
from ralph.store.sql import Store
from ralph.store.streams import about_stream, open_stream

END = 64 * 1024
"""How many bytes at the end of a stream are searched for the last event."""
AGENT = "run-agent"


def last_said(store: Store, run_id: str, project: Path) -> str:
    """The last tool call or line of text of the agent; empty if nothing is known."""
    begun = last_row(store, run_id, AGENT, "begun")
    about = about_stream(begun) if begun else None
    if about is None:
        return ""
    try:
        parser = adapter(about.format).parser(stream=about.streaming)
    except ConfigError:
        return ""
    data = open_stream(project, about).end(END)
    whole = data if len(data) < END else data.partition(b"\n")[2]
    return _last(parser, whole[: whole.rfind(b"\n") + 1])


def _last(parser: Parser, lines: bytes) -> str:
    found: list[AnyEvent] = []
    parser.feed(lines, found.extend)
    for event in reversed(found):
        match event:
            case ToolStart(_, name, summary):
                return f"{name}({summary})"
            case Text(text) if text.strip():
                return last_lines(text, 1)[0].strip()
            case _:
                pass
    return ""
