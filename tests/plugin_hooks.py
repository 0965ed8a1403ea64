"""Hook scripts as the agent starts them, in this process: payload on standard input, answer on standard output."""

import importlib
import io
import json
import os
import sys
from pathlib import Path

import ralph.plugin

PLUGIN = Path(ralph.plugin.__file__).parent
SCRIPTS = PLUGIN / "hooks" / "scripts"


def script(name):
    """The module of a script, imported from its own folder as the hook itself does it."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
    return importlib.import_module(name)


class Hooks:
    def __init__(self, monkeypatch, capsys):
        self.monkeypatch, self.capsys = monkeypatch, capsys
        for name in ("RALPH_GUARD", "RALPH_RUN_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR"):
            monkeypatch.delenv(name, raising=False)

    def call(self, name, payload):
        """The decoded answer, or nothing if the hook has nothing to say."""
        text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert script(name).main() == 0
        said = self.capsys.readouterr()
        self.errors = said.err
        return json.loads(said.out) if said.out else None


def marker(project, of=None, **changes):
    """What a loop that lives writes down."""
    given = {
        "timestamp": "2026-01-01T00:00:00Z",
        "pid": os.getpid(),
        "mode": "direct",
        "project": str(of or project),
        **changes,
    }
    (project / ".ralph-active").write_text(json.dumps(given), encoding="utf-8")
