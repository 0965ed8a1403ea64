"""Driving a run from the command line: signals, the screen, the exit code."""

import asyncio
import gc
import os
from pathlib import Path

from ralph.app.runs.starting import stored
from ralph.cli.display.screen import Screen
from ralph.loop.plan import Plan
from ralph.loop.recorded import as_recorded
from ralph.loop.run import Driven, drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.model.errors import StateError
from ralph.model.verdicts import exit_code
from ralph.store.history import delivered_nothing
from ralph.store.projects import folder_of
from ralph.store.runs import get_run
from ralph.store.sql import Store

PARENT = "RALPH_RUN_ID"
OBJECTS_OF_A_RUN = 20_000
"""How many new objects a run may make before garbage is collected."""


def start(store: Store, project: Path, plan: Plan, screen: Screen) -> int:
    """Store the run, and drive it here."""
    with stored(store, project, plan, os.environ.get(PARENT)) as run_id:
        return drive(store, run_id, plan, screen, is_locked=True)


def drive(
    store: Store, run_id: str, plan: Plan, screen: Screen, *, go_on: bool = False, is_locked: bool = False
) -> int:
    """Drive a stored run to its end, and say how it ended."""
    done = driven(store, run_id, plan, screen, go_on=go_on, is_locked=is_locked)
    return end(store, run_id, plan, screen, done)


def driven(
    store: Store, run_id: str, plan: Plan, screen: Screen, *, go_on: bool = False, is_locked: bool = False
) -> Driven:
    """Drive a stored run as far as it goes now."""
    gc.set_threshold(OBJECTS_OF_A_RUN)
    # What a run begins with lives to its end: no collection need look at it.
    gc.freeze()

    async def main() -> Driven:
        stop, streams = Stop(), Streams()
        stop.at_once = plan.kind.stops_at_once
        with stop.on_signals(lambda: screen.signalled(at_once=stop.at_once)):
            async with screen.following(store, run_id, streams):
                return await drive_run(store, run_id, stop, streams, plan=plan, go_on=go_on, is_locked=is_locked)

    return asyncio.run(main())


def end(store: Store, run_id: str, plan: Plan, screen: Screen, done: Driven) -> int:
    """Show the last lines, and return the exit code. Both say what is recorded."""
    run = get_run(store, run_id)
    if run is None:
        raise StateError(f"run {run_id} was removed while it was running.")
    where = plan.kind.delivered_to(plan.loop)
    if where and delivered_nothing(store, run_id):
        where = "Nothing was changed: there is no work to merge."
    hooked = folder_of(store, run.project) if plan.settings.on_end else None
    verdict = as_recorded(store, run_id, done)
    screen.ended(run, verdict, where, done.told)
    if hooked:
        from ralph.app.runs.end_hook import run_end_hook

        if warning := run_end_hook(store, run, verdict, plan.settings, hooked, os.environ):
            screen.warn(warning)
    return exit_code(verdict)
