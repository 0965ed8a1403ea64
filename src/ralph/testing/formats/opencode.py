"""OpenCode: `opencode run --format json`. It has no first and no last line: steps begin and finish."""

from __future__ import annotations

import time

from ralph.testing.formats.base import Ending, Stream, line, new_id, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class OpenCode(Stream):
    shell = "bash"
    writer = ("write", "filePath")

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self._session = new_id("ses_")
        self._message = new_id("msg_")

    @classmethod
    def prints_text(cls, args: list[str]) -> bool:
        return option(args, "--format") == "default"

    def begin(self) -> bytes:
        return self._part("step_start", {"type": "step-start"})

    def say(self, text: str) -> bytes:
        return self._part("text", {"type": "text", "text": text, "time": _span()})

    def think(self, text: str) -> bytes:
        return self._part("reasoning", {"type": "reasoning", "text": text, "time": _span()})

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        state: dict[str, Any] = {"status": "error" if error else "completed", "input": arguments}
        if error:
            state |= {"error": output, "time": _span()}
        else:
            metadata = {"output": output, "exit": 0, "truncated": False}
            state |= {"output": output, "metadata": metadata, "title": name, "time": _span()}
        return self._tool(name, state)

    def ran(self, command: str, output: str, code: int) -> bytes:
        # A command that fails is still a completed tool call.
        state = {
            "status": "completed",
            "input": {"command": command},
            "output": output,
            "metadata": {"output": output, "exit": code, "truncated": False},
            "title": command,
            "time": _span(),
        }
        return self._tool(self.shell, state)

    def todo(self, items: list[dict[str, str]]) -> bytes:
        todos = [{"content": item["text"], "status": item["status"], "priority": "medium"} for item in items]
        return self.tool("todowrite", {"todos": todos}, f"{len(todos)} todos", error=False)

    def end(self, ending: Ending) -> bytes:
        if not ending.error_status:
            return self._finish("stop", ending)
        data = {"message": ending.text, "statusCode": ending.error_status, "isRetryable": False}
        error = {"name": "APIError", "data": data}
        return line({"type": "error", "timestamp": _now(), "sessionID": self._session, "error": error})

    def _tool(self, name: str, state: dict[str, Any]) -> bytes:
        used = self._part("tool_use", {"type": "tool", "tool": name, "callID": new_id("call_", 20), "state": state})
        finished = self._finish("tool-calls", Ending({}, ""))
        self._message = new_id("msg_")
        return used + finished + self.begin()

    def _finish(self, reason: str, ending: Ending) -> bytes:
        tokens = {
            "total": ending.input + ending.output + ending.cache_read + ending.cache_write,
            "input": ending.input,
            "output": ending.output,
            "reasoning": 0,
            "cache": {"write": ending.cache_write, "read": ending.cache_read},
        }
        return self._part(
            "step_finish", {"type": "step-finish", "reason": reason, "tokens": tokens, "cost": ending.cost}
        )

    def _part(self, kind: str, fields: dict[str, Any]) -> bytes:
        part = {"id": new_id("prt_"), "messageID": self._message, "sessionID": self._session, **fields}
        return line({"type": kind, "timestamp": _now(), "sessionID": self._session, "part": part})


def _now() -> int:
    return int(time.time() * 1000)


def _span() -> dict[str, int]:
    now = _now()
    return {"start": now, "end": now}
