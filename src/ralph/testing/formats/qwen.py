"""Qwen Code: `--output-format stream-json`, like Claude Code."""

from __future__ import annotations

from ralph.testing.files import working_directory
from ralph.testing.formats.base import Ending, line, new_uuid
from ralph.testing.formats.claude import Claude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODEL = "qwen3-coder"


class Qwen(Claude):
    shell = "run_shell_command"
    writer = ("write_file", "file_path")
    todo_tool = "todo_write"
    tool_id = "call_"

    def begin(self) -> bytes:
        return line(
            {
                "type": "system",
                "subtype": "init",
                "uuid": self.session,
                "session_id": self.session,
                "cwd": working_directory(),
                "tools": ["read_file", "edit", "write_file", "run_shell_command", "todo_write"],
                "mcp_servers": [],
                "model": MODEL,
                "permission_mode": "yolo",
                "slash_commands": ["clear", "compress", "init"],
                "qwen_code_version": "0.15.10",
                "agents": ["general-purpose"],
            }
        )

    def assistant(self, block: dict[str, Any]) -> bytes:
        uuid = new_uuid()
        message = {
            "id": uuid,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return self._line("assistant", uuid, {"parent_tool_use_id": None, "message": message})

    def tool_result(self, call: str, output: str, *, error: bool) -> bytes:
        block = {"type": "tool_result", "tool_use_id": call, "is_error": error, "content": output}
        message = {"role": "user", "content": [block]}
        return self._line("user", new_uuid(), {"parent_tool_use_id": None, "message": message})

    def end(self, ending: Ending) -> bytes:
        milliseconds = self.milliseconds
        usage = {
            "input_tokens": ending.input,
            "output_tokens": ending.output,
            "cache_read_input_tokens": ending.cache_read,
            "total_tokens": ending.input + ending.output,
        }
        result: dict[str, Any] = {
            "subtype": "success",
            "is_error": ending.error_status != 0,
            "duration_ms": milliseconds,
            "duration_api_ms": milliseconds,
            "num_turns": self.turns,
            "result": ending.text,
            "usage": usage,
            "permission_denials": [],
        }
        return self._line("result", new_uuid(), result)

    def _line(self, kind: str, uuid: str, fields: dict[str, Any]) -> bytes:
        return line({"type": kind, "uuid": uuid, "session_id": self.session, **fields})
