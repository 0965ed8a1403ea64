"""A run in the background: stored here, driven by a process of its own."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ralph.app.runs.starting import refuse_second, store_run
from ralph.loop.plan import Plan
from ralph.model.errors import ConfigError
from ralph.model.verdicts import from_error
from ralph.proc.detached import start_detached_process
from ralph.proc.own_python import own_program
from ralph.store.files import create
from ralph.store.journal import Journal
from ralph.store.runs import get_run
from ralph.store.sql import Lost, Store
from ralph.store.state_dir import StateDir

PATIENCE = 20.0
LAST_WORDS = 2000
PROGRAM = "from ralph.cli.main import main; main()"


class StartedAway(NamedTuple):
    run_id: str
    pid: int


def start_detached(store: Store, project: Path, plan: Plan, parent: str | None = None) -> StartedAway:
    """Start the run, and wait until it is driven, so that every problem is reported here."""
    refuse_second(project, plan)
    run_id = store_run(store, project, plan, parent)
    log = StateDir(project).root / "runs" / f"{run_id}.log"
    output = create(log)
    try:
        process = start_detached_process([*own_program(PROGRAM), "drive", run_id], cwd=project, output=output)
    finally:
        os.close(output)
    deadline = time.monotonic() + PATIENCE
    while _is_queued(store, run_id):
        if process.poll() is not None and _is_queued(store, run_id):
            said = log.read_text(errors="replace").strip()[-LAST_WORDS:]
            problem = ConfigError(f"it ended before it began (exit code {process.returncode}).", said)
            _close(store, run_id, problem)
            raise problem
        if time.monotonic() > deadline:
            raise ConfigError(f"it did not begin within {PATIENCE:g} s (pid {process.pid}).", f"See {log}")
        store.wait(0.1)
    return StartedAway(run_id, process.pid)


def _is_queued(store: Store, run_id: str) -> bool:
    run = get_run(store, run_id)
    return run is not None and run.status == "queued"


def _close(store: Store, run_id: str, problem: ConfigError) -> None:
    """Close the run, so that nobody takes it later as if nothing had happened."""
    with suppress(Lost):
        Journal.take(store, run_id).close(from_error(problem), "interrupted")
