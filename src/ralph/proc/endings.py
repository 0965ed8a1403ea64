"""How a process may end, and why it may not even start."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ralph.model.errors import AgentUnusable

Ending = Literal["exited", "timeout", "idle", "lingering"]
LONGEST_LINE = 256
"""The most bytes of a first line that the system reads."""


def cannot_start(argv: Sequence[str], cwd: Path, path: str | None, error: OSError) -> AgentUnusable:
    """The error that says why it did not start. `path` is the PATH on which it was looked for."""
    if isinstance(error, FileNotFoundError) and not cwd.is_dir():
        return AgentUnusable(f"the directory {cwd} is gone.", "Run ralph where the project is.")
    if isinstance(error, FileNotFoundError):
        return _missing(argv[0], cwd, path)
    if isinstance(error, PermissionError):
        return AgentUnusable(
            f"{argv[0]} is not executable.", f"Make it executable (chmod +x {argv[0]}), or choose another agent."
        )
    return AgentUnusable(f"{argv[0]} cannot be started: {error.strerror}.", "See what this machine has: ralph doctor")


def _missing(program: str, cwd: Path, path: str | None) -> AgentUnusable:
    """A script that is there cannot be started either if the program in its first line is missing."""
    from shutil import which

    found = cwd / program if "/" in program else which(program, path=path or "")
    if found and Path(found).is_file():
        wanted = _interpreter(Path(found))
        return AgentUnusable(
            f"{program} cannot be started: {wanted or 'a program that it needs'} does not exist.",
            f"Install it, or correct the first line of {found}." if wanted else "See: ralph doctor",
        )
    if "/" in program:
        return AgentUnusable(f"{program} does not exist.", "Correct the path, or choose another agent: ralph doctor")
    return AgentUnusable(f"{program} is not on PATH.", "Install it, or choose another agent: ralph doctor")


def _interpreter(script: Path) -> str:
    """The program in the first line of a script; empty if it has none, or if the script cannot be read."""
    try:
        with script.open("rb") as file:
            first = file.readline(LONGEST_LINE)
    except OSError:
        return ""
    words = first[2:].split() if first.startswith(b"#!") else []
    return os.fsdecode(words[0]) if words else ""
