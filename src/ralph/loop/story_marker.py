"""The file `.ralph-active`: it tells the hooks in an agent's session that a story loop runs, and how it began."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ralph.git.own_commits import write_file
from ralph.plugin.hooks.scripts.active_loop import MARKER, active_loop, process_start

MODE = "direct"


def write_marker(project: Path, run_id: str, **facts: Any) -> None:
    pid = os.getpid()
    marker = {
        "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "pid": pid,
        "pidStarted": process_start(pid),
        "mode": MODE,
        "project": str(project),
        "runId": run_id,
        **facts,
    }
    write_file(project, MARKER, json.dumps(marker, indent=2).encode())


def remove_marker(project: Path) -> None:
    path = project / MARKER
    if path.is_dir() and not path.is_symlink():
        return
    path.unlink(missing_ok=True)


def living_loop(project: Path) -> int | None:
    """The pid of another loop whose marker is here, if that process is alive."""
    found = active_loop(str(project))
    if found is None or found[0] != os.path.realpath(project):
        return None
    pid = found[1].get("pid")
    return pid if isinstance(pid, int) and pid != os.getpid() else None
