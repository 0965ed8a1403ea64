"""Claude Code: `--output-format stream-json --verbose`."""

from __future__ import annotations

from ralph.testing.files import working_directory
from ralph.testing.formats.base import Ending, Stream, line, new_id, new_uuid, timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODEL = "claude-opus-4-8"
NOTHING_SPENT = {
    "input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 0,
}


class Claude(Stream):
    todo_tool = "TodoWrite"
    tool_id = "toolu_"

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self.session = new_uuid()
        self.message = new_id("msg_")
        self.turns = 1

    def begin(self) -> bytes:
        return line(
            {
                "type": "system",
                "subtype": "init",
                "cwd": working_directory(),
                "session_id": self.session,
                "tools": ["Task", "Bash", "Edit", "Read", "TodoWrite", "Write"],
                "mcp_servers": [],
                "model": MODEL,
                "permissionMode": "bypassPermissions",
                "slash_commands": ["clear", "compact", "context", "init", "review"],
                "apiKeySource": "none",
                "claude_code_version": "2.1.197",
                "output_style": "default",
                "agents": ["general-purpose", "Explore", "Plan"],
                "skills": [],
                "plugins": [],
                "uuid": new_uuid(),
                "fast_mode_state": "off",
            }
        )

    def say(self, text: str) -> bytes:
        return self.assistant({"type": "text", "text": text})

    def think(self, text: str) -> bytes:
        return self.assistant({"type": "thinking", "thinking": text, "signature": "c2ln"})

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        call = new_id(self.tool_id, 22)
        used = self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})
        result = self.tool_result(call, output, error=error)
        self.message = new_id("msg_")
        self.turns += 1
        return used + result

    def todo(self, items: list[dict[str, str]]) -> bytes:
        todos = [{"content": item["text"], "status": item["status"], "activeForm": item["text"]} for item in items]
        return self.tool(self.todo_tool, {"todos": todos}, "Todos have been modified successfully.", error=False)

    def assistant(self, block: dict[str, Any]) -> bytes:
        message = {
            "id": self.message,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": NOTHING_SPENT,
            "context_management": None,
        }
        return line(
            {
                "type": "assistant",
                "message": message,
                "parent_tool_use_id": None,
                "session_id": self.session,
                "uuid": new_uuid(),
                "request_id": new_id("req_", 20),
            }
        )

    def tool_result(self, call: str, output: str, *, error: bool) -> bytes:
        block = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": error}
        details = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        return line(
            {
                "type": "user",
                "message": {"role": "user", "content": [block]},
                "parent_tool_use_id": None,
                "session_id": self.session,
                "uuid": new_uuid(),
                "timestamp": timestamp(),
                "tool_use_result": f"Error: {output}" if error else details,
            }
        )

    def end(self, ending: Ending) -> bytes:
        milliseconds = self.milliseconds
        return line(
            {
                "type": "result",
                # A failed request is also a success in this field; only `is_error` is reliable.
                "subtype": "success",
                "is_error": ending.error_status != 0,
                "api_error_status": ending.error_status or None,
                "duration_ms": milliseconds,
                "duration_api_ms": milliseconds,
                "num_turns": self.turns,
                "result": ending.text,
                "stop_reason": "stop_sequence" if ending.error_status else "end_turn",
                "session_id": self.session,
                "total_cost_usd": ending.cost,
                "usage": claude_usage(ending),
                "modelUsage": {MODEL: _model_usage(ending)},
                "permission_denials": [],
                "terminal_reason": "completed",
                "fast_mode_state": "off",
                "uuid": new_uuid(),
            }
        )


def claude_usage(ending: Ending) -> dict[str, Any]:
    return {
        "input_tokens": ending.input,
        "cache_creation_input_tokens": ending.cache_write,
        "cache_read_input_tokens": ending.cache_read,
        "output_tokens": ending.output,
        "service_tier": "standard",
    }


def _model_usage(ending: Ending) -> dict[str, Any]:
    return {
        "inputTokens": ending.input,
        "outputTokens": ending.output,
        "cacheReadInputTokens": ending.cache_read,
        "cacheCreationInputTokens": ending.cache_write,
        "webSearchRequests": 0,
        "costUSD": ending.cost,
        "contextWindow": 200000,
        "maxOutputTokens": 64000,
    }
