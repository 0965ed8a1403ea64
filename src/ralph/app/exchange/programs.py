"""The external programs that know a source: gh, glab, bd and openspec."""

import os
import shutil
from pathlib import Path

from ralph.model.errors import ConfigError
from ralph.model.words import visible
from ralph.workbench.bench import Workbench

PATIENCE = 120.0
LARGEST = 10_000_000
LONGEST = 200
DATABASE = "RALPH_DATABASE_URL"
"""The variable for ralph's own database, which may hold a password."""
QUIET = {
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GLAB_CHECK_UPDATE": "false",
    "NO_COLOR": "1",
    "NO_PROMPT": "1",
    "OPENSPEC_TELEMETRY": "0",
}
"""The variables that keep them from asking, colouring and looking for updates."""


class Programs:
    """External programs. They run in the project with the user's environment, because they need the user's login."""

    def __init__(self, project: Path) -> None:
        self.project = project
        seen = {name: value for name, value in os.environ.items() if name != DATABASE}
        self._bench = Workbench(project, {**seen, **QUIET}, f"exchange.{os.getpid()}")

    def has(self, name: str) -> bool:
        return shutil.which(name) is not None

    async def ask(self, *argv: str, stdin: str | None = None) -> str:
        """The output of a program. A ConfigError says in one line why it fails."""
        name = argv[0]
        if not self.has(name):
            raise ConfigError(f"{name} is not on PATH.", f"Install {name} and log in with it.")
        said = bytearray()

        def take(data: bytes) -> None:
            said.extend(data[: LARGEST + 1 - len(said)])

        given = None if stdin is None else stdin.encode()
        ended = await self._bench.run(argv, stdin=given, sink=take, limit=PATIENCE)
        shown = " ".join(argv[:3])
        if ended.timed_out:
            raise ConfigError(f"{shown} gave no answer in {PATIENCE:g} seconds.", "Try again.")
        if ended.code != 0:
            line = _first_line(ended.err) or _first_line(said.decode(errors="replace")) or "it said nothing"
            raise ConfigError(f"{shown} failed: {line.rstrip('.')}.", f"Try it yourself, or log in: {name} --help")
        if len(said) > LARGEST:
            raise ConfigError(f"{shown} printed more than {LARGEST // 1_000_000} MB.", "Import a smaller part of it.")
        return said.decode(errors="replace")


def _first_line(text: str) -> str:
    return next((line.strip()[:LONGEST] for line in visible(text).splitlines() if line.strip()), "")
