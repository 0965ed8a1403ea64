"""What this machine and this project already have: agents on PATH, and the commands that test and lint the project."""

import shutil
from pathlib import Path

from ralph.agents.registry import PROGRAMS
from ralph.app.setup.detect_tests import test_commands
from ralph.plan import commands

KNOWN_AGENTS = PROGRAMS
LONGEST_FILE = 1 << 20
"""The most bytes of a build file that are read."""


def installed_agents(path: str | None = None) -> list[str]:
    """The known agents on PATH, the most common first."""
    return [name for name in KNOWN_AGENTS if shutil.which(name, path=path)]


def guardrails(project: Path) -> list[str]:
    """The commands that lint and test this project, linters first. If its files name no test command, the test files
    themselves decide.
    """
    found = commands.judging_commands(FolderFiles(project))
    lines = list(dict.fromkeys(command.line for command in found))
    return lines if any(command.kind == "test" for command in found) else [*lines, *test_commands(project)]


def builds(project: Path) -> list[str]:
    """The commands that build this project: its agent needs them, but they prove nothing."""
    return commands.builds(FolderFiles(project))


class FolderFiles:
    """The files in a project's folder. A file that cannot be read detects nothing: a missing default is no reason to
    stop.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, *names: str) -> bool:
        return any(_is_file(self._folder / name) for name in names)

    def has_ending(self, *endings: str) -> bool:
        return any(any(self._folder.glob(f"*{ending}")) for ending in endings)

    def text(self, name: str) -> str:
        path = self._folder / name
        try:
            # Opening a pipe of that name would wait for its writer.
            if not _is_file(path):
                return ""
            with path.open("rb") as file:
                return file.read(LONGEST_FILE).decode(errors="replace")
        except OSError:
            return ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
