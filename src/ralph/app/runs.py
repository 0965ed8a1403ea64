"""The use-cases around a run: start, resume, retry, and look at what was."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection

from ralph.app.drive_run import drive_run
from ralph.app.plan import Plan, plan_again
from ralph.app.watch import Watcher
from ralph.config.schema import Settings
from ralph.loop.stop import Stop
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.model.verdicts import AnyVerdict
from ralph.store.database import connect
from ralph.store.runs import ALIVE, begin_run, find_run, latest_interrupted, take_over, whole
from ralph.store.state_dir import StateDir

FINAL = ("verified", "max_iterations", "budget")
"""Verdicts of the recipe itself: a replay could only come to the same end."""


Watch = Callable[[Settings], Watcher]
"""Who watches a run is asked when its settings are known: they say how it is shown."""


def start(plan: Plan, watcher: Watcher, *, run_id: str | None = None) -> AnyVerdict:
    with StateDir(plan.project).locked(plan.kind.lock(plan.loop)):
        connection = connect()
        run = begin_run(
            connection,
            recipe=plan.recipe,
            version=plan.kind.version,
            project=str(plan.project),
            options=plan.options,
            parent=os.environ.get("RALPH_RUN_ID"),
            task=plan.kind.task(plan.loop),
            run_id=run_id,
        )
        return asyncio.run(_drive(connection, run, plan, watcher, resumed=False))


def resume(project: Path, run_id: str | None, watch: Watch) -> AnyVerdict:
    from ralph.proc.tree import end_marked

    connection = connect()
    run = find_run(connection, run_id) if run_id else latest_interrupted(connection, str(project))
    run = whole(connection, run)
    if run.status in ALIVE:
        raise ConfigError(f"run {run.id} is running (pid {run.pid}).", f"Watch it: ralph logs -f {run.id}")
    if run.verdict in FINAL:
        raise ConfigError(
            f"run {run.id} has ended: {run.reason}.", f"Start it again from the beginning: ralph retry {run.id}"
        )
    plan = plan_again(run)
    with StateDir(plan.project).locked(plan.kind.lock(plan.loop)):
        run = take_over(connection, run)
        # What a killed ralph left running would work on the same files as the next attempt.
        end_marked(f"RALPH_RUN_ID={run.id}")
        return asyncio.run(_drive(connection, run, plan, watch(plan.settings), resumed=True))


def retry(run_id: str, watch: Watch) -> AnyVerdict:
    connection = connect()
    plan = plan_again(whole(connection, find_run(connection, run_id)))
    return start(plan, watch(plan.settings))


async def _drive(connection: Connection, run: Run, plan: Plan, watcher: Watcher, *, resumed: bool) -> AnyVerdict:
    stop = Stop(at_once=plan.kind.stops_at_once)
    with stop.on_signals(watcher.signalled):
        return (await drive_run(connection, run, plan, watcher, stop, resumed=resumed)).verdict
