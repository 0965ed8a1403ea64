"""How a process may end, and why it may not even start."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ralph.model.errors import AgentUnusable

Ending = Literal["exited", "timeout", "idle", "lingering"]


def cannot_start(argv: Sequence[str], cwd: Path, error: OSError) -> AgentUnusable:
    if isinstance(error, FileNotFoundError) and not cwd.is_dir():
        return AgentUnusable(f"the directory {cwd} is gone.", "Run ralph where the project is.")
    if isinstance(error, FileNotFoundError):
        return AgentUnusable(f"{argv[0]} is not on PATH.", "Install it, or choose another agent: ralph doctor")
    if isinstance(error, PermissionError):
        return AgentUnusable(
            f"{argv[0]} is not executable.", f"Make it executable (chmod +x {argv[0]}), or choose another agent."
        )
    return AgentUnusable(f"{argv[0]} cannot be started: {error.strerror}.", "See what this machine has: ralph doctor")
