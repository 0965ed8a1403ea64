"""An agent that speaks ACP, for tests: the protocol's own Python library around a script. `acp_agent_stub.py SCRIPT`.

The script is JSON: `{"starts": [[step, ...], ...], "session": {...}, "version": 1}`. Each start plays the next list,
the last one again and again. What the client sends is checked by the library and kept in `SCRIPT.log`.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path

import acp
from acp.agent.router import build_agent_router
from acp.connection import Connection
from acp.schema import (
    PromptResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    SessionNotification,
    SetSessionConfigOptionResponse,
)
from acp.stdio import stdio_streams
from acp.utils import serialize_params

SESSION = "session-of-the-stub"
LONGEST_LINE = 50_000_000
YES_OR_NO = [
    {"optionId": "for-ever", "kind": "allow_always", "name": "Always"},
    {"optionId": "yes", "kind": "allow_once", "name": "Yes"},
    {"optionId": "no", "kind": "reject_once", "name": "No"},
]


class Stub:
    def __init__(self, script):
        self.script = json.loads(script.read_text())
        self.log = script.with_name(f"{script.name}.log")
        self.cancelled = asyncio.Event()
        self.connection = None
        starts = self.script["starts"]
        begun = self.log.read_text().count('"start"') if self.log.exists() else 0
        self.steps = starts[min(begun, len(starts) - 1)]
        self.note("start", {})

    def note(self, what, params):
        with self.log.open("a") as log:
            log.write(json.dumps({"heard": what, "params": params}) + "\n")

    async def initialize(self, **_):
        version = self.script.get("version", acp.PROTOCOL_VERSION)
        return {"protocolVersion": version, "agentInfo": {"name": "stub", "version": "1.2"}}

    async def new_session(self, **_):
        return {"sessionId": SESSION, **self.script.get("session", {})}

    async def set_config_option(self, *, config_id, value, **_):
        if value == "unknown":
            raise acp.RequestError.invalid_params({"details": f"no {value} for {config_id}"})
        return SetSessionConfigOptionResponse(config_options=[])

    async def cancel(self, **_):
        self.cancelled.set()

    async def prompt(self, **_):
        for step in self.steps:
            (kind, value) = next(iter(step.items()))
            done = await getattr(self, f"do_{kind}")(value)
            if done is not None:
                return done
        return {"stopReason": "end_turn"}

    async def do_update(self, value):
        notification = SessionNotification.model_validate({"sessionId": SESSION, "update": value})
        await self.connection.send_notification("session/update", serialize_params(notification))

    async def do_ask(self, value):
        asked = {"sessionId": SESSION, "options": YES_OR_NO, **value}
        request = serialize_params(RequestPermissionRequest.model_validate(asked))
        answer = await self.connection.send_request("session/request_permission", request)
        RequestPermissionResponse.model_validate(answer)
        self.note("permission", answer["outcome"])

    async def do_request(self, value):
        try:
            await self.connection.send_request(value, {"sessionId": SESSION, "path": "/etc/passwd"})
        except acp.RequestError as error:
            self.note(value, {"code": error.code})

    async def do_stop(self, value):
        return PromptResponse.model_validate(value)

    async def do_error(self, value):
        raise acp.RequestError(value["code"], value["message"], value.get("data"))

    async def do_exit(self, value):
        sys.exit(value)

    async def do_raw(self, value):
        sys.stdout.buffer.write(value.encode())
        sys.stdout.buffer.flush()

    async def do_stderr(self, value):
        sys.stderr.write(value)

    async def do_shell(self, value):
        shell = await asyncio.create_subprocess_shell(value)
        await shell.wait()

    async def do_until_cancelled(self, _):
        await self.cancelled.wait()
        return PromptResponse(stop_reason="cancelled")

    async def do_deaf(self, _):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.note("deaf", {})
        while True:
            signal.pause()


async def main():
    stub = Stub(Path(sys.argv[1]))
    routed = build_agent_router(stub)

    async def handle(method, params, is_notification):
        stub.note(method, params)
        # The library forgot this one when the protocol got options; older agents have it.
        return {} if method == "session/set_model" else await routed(method, params, is_notification)

    reader, writer = await stdio_streams(limit=LONGEST_LINE)
    stub.connection = Connection(handle, writer, reader, listening=False)
    await stub.connection.main_loop()


if __name__ == "__main__":
    asyncio.run(main())
