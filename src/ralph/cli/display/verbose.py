"""What `--verbose` adds: one line for each thing that begins or ends, with its time."""

from typing import Any

import msgspec

from ralph.cli.display.terminal import Terminal
from ralph.model.rows import Key, Row
from ralph.model.runs import Run

PROMPT_SHOWN = 200


class Verbose:
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._completion = ""

    def say(self, line: str) -> None:
        self._terminal.insist(f"[ralph] {line}")

    def show(self, row: Row, run: Run) -> None:
        if row.what not in ("opened", "begun", "ended"):
            return
        body = msgspec.json.decode(row.body, type=dict[str, Any])
        if row.what == "opened":
            self._completion = body.get("loop", {}).get("completion", "")
        for line in self._lines(row, run, body):
            self.say(line)

    def _lines(self, row: Row, run: Run, body: dict[str, Any]) -> list[str]:
        key = row.name
        match row.what, key.kind:
            case "begun", "run-agent":
                return [f"Iteration {key.iteration}/{run.limit} starting", f"Prompt: {body['prompt'][:PROMPT_SHOWN]}"]
            case "begun", "ask-model" if key.name.startswith("commit-message"):
                return [f"Asking for a commit message: {body['prompt'][:PROMPT_SHOWN]}"]
            case "begun", "run-command":
                return [f"Running guardrail: {body['command']}"]
            case "ended", _:
                return [line] if (line := self._ended(key, body)) else []
            case _:
                return []

    def _ended(self, key: Key, body: dict[str, Any]) -> str:
        took = f"({body.get('duration', 0.0):.1f}s)"
        match key.kind:
            case "run-command":
                return f"Guardrail exited with code {body['exitCode']} {took}"
            case "ask-model" if key.name.startswith("commit-message"):
                return f"Commit message: {body['reason'] or body['text'].strip()[:PROMPT_SHOWN]} {took}"
            case "run-agent":
                return f"Agent {body['reason']} {took}"
            case "read-response":
                return f"Completion: expected {self._completion}; {body['reason']}"
            case "run-scm-task":
                return f"Ran {body['check']} {took}"
            case _:
                return ""
