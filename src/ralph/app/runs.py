"""The use-cases around a run: start, resume, retry, and look at what was."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from ralph.app.plan import Plan, plan_again
from ralph.app.watch import Watcher
from ralph.config.schema import Settings
from ralph.git.scm import Scm
from ralph.kernel.actions import Recipe
from ralph.kernel.limits import Budget, within
from ralph.kernel.quota import Quota, patient
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.prompt import PromptRun
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.loop.drive import drive
from ralph.loop.perform import Performer
from ralph.loop.stop import Stop
from ralph.model.errors import AgentUnusable, Blocked, Cancelled, ConfigError, RalphError, StateError
from ralph.model.runs import Run, RunStatus
from ralph.model.verdicts import AnyVerdict, Stopped, from_error
from ralph.store.database import connect
from ralph.store.journal import Journal
from ralph.store.runs import ALIVE, begin_run, find_run, finish_run, latest_interrupted, take_over
from ralph.store.state_dir import StateDir

FINAL = ("verified", "max_iterations", "budget")
"""Verdicts of the recipe itself: a replay could only come to the same end."""


Watch = Callable[[Settings], Watcher]
"""Who watches a run is asked when its settings are known: they say how it is shown."""


def start(plan: Plan, watcher: Watcher) -> AnyVerdict:
    with StateDir(plan.project).locked(plan.lock):
        connection = connect()
        run = begin_run(
            connection,
            recipe=plan.recipe,
            version=plan.version,
            project=str(plan.project),
            options=plan.options,
            parent=os.environ.get("RALPH_RUN_ID"),
        )
        return asyncio.run(_drive(connection, run, plan, watcher, resumed=False))


def resume(project: Path, run_id: str | None, watch: Watch) -> AnyVerdict:
    connection = connect()
    run = find_run(connection, run_id) if run_id else latest_interrupted(connection, str(project))
    if run.status in ALIVE:
        raise ConfigError(f"run {run.id} is running (pid {run.pid}).", f"Watch it: ralph logs -f {run.id}")
    if run.verdict in FINAL:
        raise ConfigError(
            f"run {run.id} has ended: {run.reason}.", f"Start it again from the beginning: ralph retry {run.id}"
        )
    plan = plan_again(run)
    with StateDir(plan.project).locked(plan.lock):
        run = take_over(connection, run)
        _end_leftovers(run)
        return asyncio.run(_drive(connection, run, plan, watch(plan.settings), resumed=True))


def retry(run_id: str, watch: Watch) -> AnyVerdict:
    plan = plan_again(find_run(connect(), run_id))
    return start(plan, watch(plan.settings))


async def _drive(connection: Connection, run: Run, plan: Plan, watcher: Watcher, *, resumed: bool) -> AnyVerdict:
    journal = Journal(connection, run.id)
    journal.listen(watcher.record)
    # A supervised command knows nothing of us: it is ended at once, not waited for.
    stop = Stop(at_once=plan.recipe == supervise.NAME)
    performer = Performer(
        run,
        settings=plan.settings,
        agent=plan.agent,
        limits=plan.limits,
        journal=journal,
        stop=stop,
        environ={**os.environ, **plan.environment},
        emit=watcher.on_event,
    )
    if isinstance(plan.loop, SuperviseRun):
        from ralph.loop.supervising import Supervising

        performer.table |= Supervising(run, plan.loop, connection, stop).table
    watcher.started(run, resumed=resumed)
    with stop.on_signals(watcher.signalled):
        try:
            await _require_repository(plan, run)
            verdict = await drive(_recipe(plan), journal, performer, stop)
        except RalphError as error:
            verdict = from_error(error)
        except asyncio.CancelledError:
            verdict = from_error(Cancelled(f"stopped at once by {stop.at_once_by}.", "Continue: ralph resume"))
    verdict = _finish(connection, journal, verdict)
    ended = msgspec.structs.replace(
        run, iterations=journal.iterations, cost_usd=journal.cost_usd, tokens=journal.tokens, verdict=verdict.kind
    )
    watcher.ended(ended, verdict)
    return verdict


def _recipe(plan: Plan) -> Recipe:
    budget = msgspec.convert(plan.settings.budget, Budget, from_attributes=True)
    quota = msgspec.convert(plan.settings.quota, Quota, from_attributes=True)
    return within(budget, patient(quota, plan.generator()))


def _finish(connection: Connection, journal: Journal, verdict: AnyVerdict) -> AnyVerdict:
    try:
        finish_run(connection, journal, verdict, status=_status(verdict))
    except StateError as error:
        # Not even the end could be written. The run will be found without one, as interrupted, and can be resumed.
        return verdict if isinstance(verdict, Stopped) else from_error(error)
    return verdict


def _status(verdict: AnyVerdict) -> RunStatus:
    """Whatever ended a run from outside its recipe can be mended, and the run resumed; a missing agent is an end."""
    if not isinstance(verdict, Stopped) or verdict.by == AgentUnusable.verdict:
        return "ended"
    return "stopped" if verdict.by == Blocked.verdict else "interrupted"


async def _require_repository(plan: Plan, run: Run) -> None:
    scm = plan.loop.scm if isinstance(plan.loop, PromptRun) else None
    if scm:
        await Scm(scm.command, plan.project, os.environ, run.id).require_repository()


def _end_leftovers(run: Run) -> None:
    """What a killed ralph left running would work on the same files as the next attempt."""
    from ralph.proc.tree import end_marked

    end_marked(f"RALPH_RUN_ID={run.id}")
