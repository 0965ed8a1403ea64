"""Gemini CLI: `--output-format stream-json`."""

from __future__ import annotations

from ralph.testing.formats.base import Ending, Stream, line, new_id, new_uuid, timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODEL = "gemini-2.5-pro"


class Gemini(Stream):
    shell = "run_shell_command"
    writer = ("write_file", "file_path")

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self._calls = 0

    def begin(self) -> bytes:
        return _line("init", {"session_id": new_uuid(), "model": MODEL}) + _line(
            "message", {"role": "user", "content": self.prompt}
        )

    def say(self, text: str) -> bytes:
        return _line("message", {"role": "assistant", "content": text, "delta": True})

    def think(self, text: str) -> bytes:  # noqa: ARG002 - its stream has no thoughts
        return b""

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        self._calls += 1
        call = new_id(f"{name}__", 12)
        outcome: dict[str, Any] = {"status": "success", "output": output}
        if error:
            outcome = {"status": "error", "output": output, "error": {"type": "TOOL_ERROR", "message": output}}
        return _line("tool_use", {"tool_name": name, "tool_id": call, "parameters": arguments}) + _line(
            "tool_result", {"tool_id": call, **outcome}
        )

    def todo(self, items: list[dict[str, str]]) -> bytes:
        todos = [{"description": item["text"], "status": item["status"]} for item in items]
        return self.tool("write_todos", {"todos": todos}, "Successfully updated the todo list.", error=False)

    def end(self, ending: Ending) -> bytes:
        spent = {
            "total_tokens": ending.input + ending.cache_read + ending.output,
            # Cached tokens are included in the input; `input` is the rest.
            "input_tokens": ending.input + ending.cache_read,
            "output_tokens": ending.output,
            "cached": ending.cache_read,
            "input": ending.input,
        }
        times = {"duration_ms": self.milliseconds, "tool_calls": self._calls}
        stats = {"stats": {**spent, **times, "models": {MODEL: spent}}}
        if not ending.error_status:
            return _line("result", {"status": "success", **stats})
        error = {"type": "Error", "message": ending.text or f"status {ending.error_status}"}
        return _line("result", {"status": "error", "error": error, **stats})


def _line(kind: str, fields: dict[str, Any]) -> bytes:
    return line({"type": kind, "timestamp": timestamp(), **fields})
