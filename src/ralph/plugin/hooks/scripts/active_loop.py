"""The marker of a running loop, `.ralph-active`: where it is, and whether its loop is still alive.

An agent may have written any of it, so a marker that does not fit is ignored.
"""

# Decoded JSON of unknown form is what this file is about.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MARKER = ".ralph-active"
MOST = 64 * 1024 * 1024
"""The most bytes of a file that is read."""


def read_small(path: str, most: int = MOST) -> bytes:
    """The content of a regular file. No link is followed, and nothing that could block is opened."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path} is not a regular file")
        if found.st_size > most:
            raise OSError(f"{path} is larger than {most} bytes")
        return file.read()


def active_loop(folder: str) -> tuple[str, dict[str, Any]] | None:
    """The project's folder and the marker of the loop that runs at or above this folder."""
    here = os.path.realpath(folder)
    while True:
        marker = _marker(here)
        if marker is not None:
            return (here, marker) if _is_alive(marker) else None
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def own_loop(folder: str, environ: Mapping[str, str]) -> tuple[str, dict[str, Any]] | None:
    """The loop that this session works for. A task may run below a project in which another loop runs."""
    if is_persons_own(environ):
        return None
    found = active_loop(folder)
    run, theirs = environ.get("RALPH_RUN_ID"), found and found[1].get("runId")
    is_of_another = bool(run and theirs) and run != theirs and not str(run).startswith(f"{theirs}.")
    return None if is_of_another else found


def is_persons_own(environ: Mapping[str, str]) -> bool:
    """Whether a person opened this session beside a loop, so that it is not the loop's."""
    return environ.get("CLAUDE_CODE_ENTRYPOINT") == "cli" and not environ.get("RALPH_RUN_ID")


def _marker(folder: str) -> dict[str, Any] | None:
    try:
        marker = json.loads(read_small(os.path.join(folder, MARKER)))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(marker, dict):
        return None
    project = marker.get("project")
    # A marker that was copied from elsewhere is not about this folder.
    is_here = project is None or (isinstance(project, str) and os.path.realpath(project) == folder)
    return marker if is_here or marker.get("mode") == "sandbox" else None


def _is_alive(marker: dict[str, Any]) -> bool:
    if marker.get("mode") == "sandbox":
        # The pid of the host does not exist inside the sandbox.
        return True
    pid = marker.get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass
    except (OSError, OverflowError):
        return False
    began = marker.get("pidStarted")
    return began is None or process_start(pid) in (None, began)


def process_start(pid: int) -> int | None:
    """When the process began, in ticks since the machine started; None if the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
