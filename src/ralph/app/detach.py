"""The same command again, in the background."""

import os
import sys
import time
from typing import NamedTuple

from ralph.app.plan import Plan
from ralph.model.errors import ConfigError
from ralph.proc.detached import start_detached_process
from ralph.store.database import connect
from ralph.store.files import create
from ralph.store.runs import exists, new_run_id
from ralph.store.state_dir import StateDir

PATIENCE = 20.0
LOOK_AGAIN = 0.02
LAST_WORDS = 2000
# -P: a file ralph.py in the project must not be taken for ralph.
PROGRAM = (sys.executable, "-P", "-c", "from ralph.cli.main import main; main()")


class StartedAway(NamedTuple):
    run_id: str
    pid: int


def start_detached(argv: list[str], plan: Plan) -> StartedAway:
    """Wait until it has begun, so that whatever keeps it from beginning is said here."""
    state = StateDir(plan.project)
    state.create()
    run_id = new_run_id()
    log = state.root / "runs" / f"{run_id}.log"
    output = create(log)
    try:
        command = [*PROGRAM, *argv, "--run-id", run_id]
        process = start_detached_process(command, cwd=plan.project, output=output)
    finally:
        os.close(output)
    connection = connect()
    deadline = time.monotonic() + PATIENCE
    while not exists(connection, run_id):
        if process.poll() is not None:
            said = log.read_text(errors="replace").strip()[-LAST_WORDS:]
            raise ConfigError(f"it ended before it began (exit code {process.returncode}).", said)
        if time.monotonic() > deadline:
            raise ConfigError(f"it did not begin within {PATIENCE:g} s (pid {process.pid}).", f"See {log}")
        time.sleep(LOOK_AGAIN)
    return StartedAway(run_id, process.pid)
