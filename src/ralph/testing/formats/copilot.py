"""GitHub Copilot CLI: `--output-format json`. Each line names the one before it."""

from __future__ import annotations

from ralph.testing.formats.base import Ending, Stream, line, new_id, new_uuid, timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODEL = "gpt-5"


class Copilot(Stream):
    shell = "bash"
    writer = ("create", "path")

    def __init__(self, args: list[str], prompt: str) -> None:
        super().__init__(args, prompt)
        self._parent = new_uuid()
        self._interaction = new_uuid()
        self._turn = 0

    def begin(self) -> bytes:
        content = {"content": self.prompt, "transformedContent": self.prompt, "messageId": new_uuid()}
        asked = {**content, "interactionId": self._interaction, "turnId": "0"}
        return self._line("user.message", asked) + self._turn_start()

    def say(self, text: str) -> bytes:
        return self._message(text, [])

    def think(self, text: str) -> bytes:
        return self._line("assistant.reasoning", {"reasoningId": new_uuid(), "content": text})

    def tool(self, name: str, arguments: dict[str, Any], output: str, *, error: bool) -> bytes:
        call = new_id("call_", 20)
        request = {"toolCallId": call, "name": name, "arguments": arguments, "type": "function"}
        started = {
            "toolCallId": call,
            "toolName": name,
            "arguments": arguments,
            "turnId": str(self._turn),
            "model": MODEL,
        }
        ended: dict[str, Any] = {
            "toolCallId": call,
            "model": MODEL,
            "interactionId": self._interaction,
            "turnId": str(self._turn),
            "success": not error,
        }
        ended |= {"error": {"message": output}} if error else {"result": {"content": output, "detailedContent": output}}
        lines = self._message("", [request])
        lines += self._line("tool.execution_start", started) + self._line("tool.execution_complete", ended)
        lines += self._line("assistant.turn_end", {"turnId": str(self._turn)})
        self._turn += 1
        return lines + self._turn_start()

    def todo(self, items: list[dict[str, str]]) -> bytes:
        boxes = [f"- [{'x' if item['status'] == 'completed' else ' '}] {item['text']}" for item in items]
        return self.tool("update_todo", {"todos": "\n".join(boxes)}, "TODO list updated", error=False)

    def end(self, ending: Ending) -> bytes:
        lines = b""
        if ending.error_status:
            lines += self._line("session.error", {"errorType": "query", "message": ending.text})
        lines += self._line("assistant.turn_end", {"turnId": str(self._turn)})
        milliseconds = self.milliseconds
        usage: dict[str, Any] = {
            "premiumRequests": 0,
            "totalApiDurationMs": milliseconds,
            "sessionDurationMs": milliseconds,
            "codeChanges": {"linesAdded": 0, "linesRemoved": 0, "filesModified": []},
        }
        code = int(ending.error_status != 0)
        result: dict[str, Any] = {"timestamp": timestamp(), "sessionId": new_uuid(), "exitCode": code, "usage": usage}
        return lines + line({"type": "result", **result})

    def _turn_start(self) -> bytes:
        turn = {"turnId": str(self._turn), "interactionId": self._interaction}
        return self._line("assistant.turn_start", turn)

    def _message(self, text: str, requests: list[dict[str, Any]]) -> bytes:
        message = new_uuid()
        data = {
            "messageId": message,
            "model": MODEL,
            "content": text,
            "toolRequests": requests,
            "interactionId": self._interaction,
            "turnId": str(self._turn),
        }
        return (
            self._line("assistant.message_start", {"messageId": message}, ephemeral=True)
            + self._line("assistant.message_delta", {"messageId": message, "deltaContent": text}, ephemeral=True)
            + self._line("assistant.message", data)
        )

    def _line(self, kind: str, data: dict[str, Any], *, ephemeral: bool = False) -> bytes:
        parent, this = self._parent, new_uuid()
        mark = {"ephemeral": True} if ephemeral else {}
        if not ephemeral:
            self._parent = this
        return line({"type": kind, "data": data, **mark, "id": this, "timestamp": timestamp(), "parentId": parent})
