"""A session of an agent under the stop guard: its hooks call the command as Claude Code and Codex do."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from ralph.cli.guard.group import command

CASSETTES = Path(__file__).parent / "cassettes/hooks"
FILES = {"check.sh": "grep -q right work.txt\n", "work.txt": "wrong\n"}
CHECK = "sh check.sh"
CHEAT = {"check.sh": "true\n"}
RIGHT = {"work.txt": "right\n"}
ID = "9722b70f-004e-475a-8e58-e03a9a4afe35"


@dataclass(frozen=True)
class Said:
    """What a hook printed. An exit code other than 0 is an error already."""

    out: str
    err: str

    @property
    def reason(self):
        """Why the agent may not stop; None if it may."""
        answer = json.loads(self.out or "{}")
        assert answer.get("decision") in (None, "block")
        return answer.get("reason")

    @property
    def is_quiet(self):
        return (self.out, self.err) == ("", "")


class Guarded:
    def __init__(self, repo, monkeypatch, capsys):
        self.repo = repo
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        for name in ("RALPH_RUN_ID", "CLAUDE_PROJECT_DIR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in repo.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(repo.path)
        self.settings()

    def settings(self, *, guardrails=({"command": CHECK},), **more):
        file = self.repo.home / ".ralph/config.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"guardrails": list(guardrails), **more}))

    def write(self, files):
        for name, text in files.items():
            self.repo.write(name, text)

    def begins(self, session=ID, **more):
        return self.call(hook_event_name="SessionStart", session_id=session, source="startup", **more)

    def stops(self, *, again=False, session=ID, **more):
        """`again`: the agent has worked on since it was last refused."""
        return self.call(hook_event_name="Stop", session_id=session, stop_hook_active=again, **more)

    def call(self, **payload):
        return self.call_with(json.dumps({"cwd": str(self.repo.path), **payload}).encode())

    def call_with(self, data):
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        self._capsys.readouterr()
        assert command.main([], standalone_mode=False) in (None, 0)
        printed = self._capsys.readouterr()
        return Said(printed.out, printed.err)


def recorded(name, *events, cwd):
    """What the real agent told its hooks at these events, in another folder."""
    lines = (CASSETTES / f"{name}.stdin.ndjson").read_text().splitlines()
    calls = [json.loads(line) for line in lines]
    return [json.dumps({**call, "cwd": str(cwd)}).encode() for call in calls if call["hook_event_name"] in events]
