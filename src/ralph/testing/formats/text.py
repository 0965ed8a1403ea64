"""Plain text: an agent without a structured stream, and any agent asked for its final message only."""

from __future__ import annotations

from ralph.testing.formats.base import Ending, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Text(Stream):
    def say(self, text: str) -> bytes:
        return _lines(text)

    def think(self, text: str) -> bytes:
        return _lines(f"({text})")

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        call = " ".join(["> failed:" if error else ">", name, *map(str, list(arguments.values())[:1])])
        return _lines(call) + (_lines(output) if output else b"")

    def todo(self, items: list[dict[str, str]]) -> bytes:
        marks = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
        return b"".join(_lines(f"{marks[item['status']]} {item['text']}") for item in items)

    def end(self, ending: Ending) -> bytes:
        # The last thing it said is already its final message.
        return _lines(f"Error: status {ending.error_status}") if ending.error_status else b""


class FinalText(Text):
    quiet = True

    def end(self, ending: Ending) -> bytes:
        return _lines(ending.text)


def _lines(text: str) -> bytes:
    return (text if text.endswith("\n") else f"{text}\n").encode(errors="replace")
