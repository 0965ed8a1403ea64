"""An agent for a test: a script, and a program of the agent's name that plays it."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

import ralph
from ralph.testing.script import Script
from ralph.testing.steps import Step

SHEBANG_LIMIT = 127
"""The most bytes of a first line that older kernels read."""


class Start(Struct, frozen=True):
    """One recorded start of the agent."""

    step: int
    """The number of the step that was played, starting at 1; 0 if none was left."""
    prompt: str
    argv: list[str]
    """The arguments, without the program's name."""
    cwd: str
    env: dict[str, str]
    """The variables whose names begin with RALPH_."""
    pid: int
    time: float


class ScriptedAgent:
    """An agent with a script: `ScriptedAgent(edits({"a.txt": "1"}), done(), directory=tmp_path)` plays one step per
    start.
    """

    def __init__(
        self,
        *steps: Step,
        directory: Path,
        format: str = "claude",  # noqa: A002 - the script's word for it
        name: str = "",
        after: str = "repeat",
        advance: str = "start",
    ) -> None:
        source = {"format": format, "advance": advance, "after": after, "steps": list(steps)}
        Script(source)
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._program = directory / (name or ("agent" if format == "text" else format))
        self.script = self._program.with_name(f"{self._program.name}.script.json")
        self.script.write_text(json.dumps(source, ensure_ascii=False, indent=1), encoding="utf-8")
        self._program.write_text(program_text(sys.executable, str(self.script)), encoding="utf-8")
        self._program.chmod(0o755)
        for trace in ("state", "log"):
            self.script.with_name(f"{self.script.name}.{trace}").unlink(missing_ok=True)

    @property
    def command(self) -> str:
        """The path of the program; its name is the agent's, so that ralph infers the format from it."""
        return str(self._program)

    @property
    def starts(self) -> list[Start]:
        log = self.script.with_name(f"{self.script.name}.log")
        lines = log.read_bytes().splitlines() if log.exists() else []
        return [Start(**record) for record in map(_decoded, lines) if record is not None]

    @property
    def prompts(self) -> list[str]:
        return [start.prompt for start in self.starts]


def program_text(python: str, script: str) -> str:
    """The text of a program that starts as fast as Python can: isolated, without site packages, its package found by
    path.
    """
    return f"""{_first_lines(python)}
import sys
sys.path.append({str(Path(ralph.__file__).parents[1])!r})
sys.argv.insert(1, {script!r})
from ralph.testing.scripted_agent import main
main()
"""


def _first_lines(python: str) -> str:
    direct = f"#!{python} -IS"
    if " " not in python and len(os.fsencode(direct)) < SHEBANG_LIMIT:
        return direct
    # The kernel could not read that line. To the shell this is `exec python ...`, to Python a string.
    return f"#!/bin/sh\n'''exec' {shlex.quote(python)} -IS \"$0\" \"$@\"\n' '''"


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        return json.loads(line)
    except ValueError:
        # It is a start that was killed while it was being recorded.
        return None
