"""Codex: `codex exec --json`."""

from __future__ import annotations

import shlex

from ralph.testing.formats.base import Ending, Stream, line, new_uuid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Codex(Stream):
    shell = "shell"

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self._items = 0

    @classmethod
    def prints_text(cls, args: list[str]) -> bool:
        return "--json" not in args

    def begin(self) -> bytes:
        return line({"type": "thread.started", "thread_id": new_uuid()}) + line({"type": "turn.started"})

    def say(self, text: str) -> bytes:
        return self._item("completed", {"type": "agent_message", "text": text})

    def think(self, text: str) -> bytes:
        return self._item("completed", {"type": "reasoning", "text": text})

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        if isinstance(command := arguments.get("command"), str):
            return self.ran(command, output, int(error))
        call = {"type": "mcp_tool_call", "server": "scripted", "tool": name, "arguments": arguments}
        result = {"content": [{"type": "text", "text": output}], "structured_content": None}
        return self._item("started", {**call, "result": None, "error": None, "status": "in_progress"}) + self._item(
            "completed",
            {
                **call,
                "result": None if error else result,
                "error": {"message": output} if error else None,
                "status": "failed" if error else "completed",
            },
        )

    def ran(self, command: str, output: str, code: int) -> bytes:
        call = {"type": "command_execution", "command": f"/bin/bash -lc {shlex.quote(command)}"}
        status = "failed" if code else "completed"
        return self._item(
            "started", {**call, "aggregated_output": "", "exit_code": None, "status": "in_progress"}
        ) + self._item("completed", {**call, "aggregated_output": output, "exit_code": code, "status": status})

    def changed(self, path: str, content: str, kind: str) -> bytes:  # noqa: ARG002 - Codex names the file only
        change = {"type": "file_change", "changes": [{"path": path, "kind": kind}]}
        return self._item("started", {**change, "status": "in_progress"}) + self._item(
            "completed", {**change, "status": "completed"}
        )

    def todo(self, items: list[dict[str, str]]) -> bytes:
        todos = [{"text": item["text"], "completed": item["status"] == "completed"} for item in items]
        return self._item("started", {"type": "todo_list", "items": todos}) + self._item(
            "completed", {"type": "todo_list", "items": todos}
        )

    def end(self, ending: Ending) -> bytes:
        if ending.error_status:
            problem = {"message": ending.text or f"unexpected status {ending.error_status}"}
            return line({"type": "error", **problem}) + line({"type": "turn.failed", "error": problem})
        usage = {
            # Codex includes cached tokens in the input.
            "input_tokens": ending.input + ending.cache_read,
            "cached_input_tokens": ending.cache_read,
            "cache_write_input_tokens": ending.cache_write,
            "output_tokens": ending.output,
            "reasoning_output_tokens": 0,
        }
        return line({"type": "turn.completed", "usage": usage})

    def _item(self, event: str, fields: dict[str, Any]) -> bytes:
        item = {"id": f"item_{self._items}", **fields}
        if event == "completed":
            self._items += 1
        return line({"type": f"item.{event}", "item": item})
