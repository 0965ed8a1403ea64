"""What an ACP agent does in a test, as steps for `agents/acp_agent_stub.py`."""

import json
import shlex
import sys
from pathlib import Path

STUB = Path(__file__).with_name("agents") / "acp_agent_stub.py"
DONE = "<response>DONE</response>"


def says(text, message_id=None, kind="agent_message_chunk", **meta):
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return {"update": update | ({"messageId": message_id} if message_id else {}) | meta}


def thinks(text):
    return says(text, kind="agent_thought_chunk")


def calls(tool_id, title="Terminal", **more):
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": tool_id, "title": title, **more}}


def updates(tool_id, **more):
    return {"update": {"sessionUpdate": "tool_call_update", "toolCallId": tool_id, **more}}


def shows(text):
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def asks(kind=None, **more):
    tool = {"toolCallId": "t", "title": "touch it", "rawInput": {"command": "touch it"}}
    return {"ask": {"toolCall": tool | ({"kind": kind} if kind else {}), **more}}


def stops(reason, **usage):
    return {"stop": {"stopReason": reason} | ({"usage": usage} if usage else {})}


def by(subagent):
    return {"_meta": {"claudeCode": {"parentToolUseId": subagent}}}


class Agent:
    """The stub with its script."""

    def __init__(self, directory, *starts, **script):
        directory.mkdir(exist_ok=True)
        self.script = directory / "script.json"
        self.script.write_text(json.dumps({"starts": starts, **script}))
        self.argv = [sys.executable, str(STUB), str(self.script)]

    @property
    def heard(self):
        log = self.script.with_name("script.json.log")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def all_of(self, what):
        return [each["params"] for each in self.heard if each["heard"] == what]

    def executor(self, *flags, **more):
        """The settings that choose it."""
        entry = {"id": "stub", "type": "acp", "command": shlex.join(self.argv), "flags": list(flags), **more}
        return {"tools": {"executors": [entry]}, "agent": {"command": "stub"}}
