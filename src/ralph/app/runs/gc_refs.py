"""Removes the refs of undone attempts together with their runs: nothing else keeps these commits in git."""

import os
from collections.abc import Iterable
from pathlib import Path

from ralph.git.checkout import look_if_any
from ralph.git.command import Git
from ralph.git.discarded import discarded, drop
from ralph.git.repository import Repository
from ralph.workbench.bench import Workbench


async def drop_attempts(gone: Iterable[tuple[str, str]]) -> int:
    """Remove the refs of these runs, and return how many there were. Each run comes with the path of its project; a
    project without a directory on this machine is left out.
    """
    total = 0
    for path, runs in _by_project(gone).items():
        bench = Workbench(Path(path), os.environ, "look")
        if await look_if_any(Git(bench)):
            repository = Repository(bench)
            total += await drop(repository, await discarded(repository, runs))
    return total


def _by_project(gone: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, run_id in gone:
        found.setdefault(path, []).append(run_id)
    return {path: runs for path, runs in found.items() if path and Path(path).is_dir()}
