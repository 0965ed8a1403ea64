"""Amp: `--stream-json`, like Claude Code but with fewer fields, and with the prompt repeated."""

from __future__ import annotations

from ralph.testing.files import working_directory
from ralph.testing.formats.base import Ending, line, new_uuid
from ralph.testing.formats.claude import NOTHING_SPENT, Claude, claude_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Amp(Claude):
    writer = ("create_file", "path")
    todo_tool = "todo_write"

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self.session = f"T-{new_uuid()}"

    @classmethod
    def prints_text(cls, args: list[str]) -> bool:
        return not any(arg in ("--stream-json", "--stream-json-thinking") for arg in args)

    def begin(self) -> bytes:
        init = {
            "type": "system",
            "subtype": "init",
            "cwd": working_directory(),
            "session_id": self.session,
            "tools": ["Bash", "create_file", "edit_file", "Read", "todo_write"],
            "mcp_servers": [],
        }
        return line(init) + self._message("user", {"content": [{"type": "text", "text": self.prompt}]})

    def think(self, text: str) -> bytes:
        return super().think(text) if "--stream-json-thinking" in self.args else b""

    def assistant(self, block: dict[str, Any]) -> bytes:
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        return self._message(
            "assistant", {"type": "message", "content": [block], "stop_reason": stop, "usage": NOTHING_SPENT}
        )

    def tool_result(self, call: str, output: str, *, error: bool) -> bytes:
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": error}
        return self._message("user", {"content": [block]})

    def end(self, ending: Ending) -> bytes:
        outcome = (
            {"subtype": "error_during_execution", "is_error": True, "error": ending.text}
            if ending.error_status
            else {"subtype": "success", "is_error": False, "result": ending.text}
        )
        return line(
            {
                "type": "result",
                **outcome,
                "duration_ms": self.milliseconds,
                "num_turns": self.turns,
                "session_id": self.session,
                "usage": claude_usage(ending),
            }
        )

    def _message(self, role: str, message: dict[str, Any]) -> bytes:
        return line(
            {
                "type": role,
                "message": {"role": role, **message},
                "parent_tool_use_id": None,
                "session_id": self.session,
            }
        )
