"""Drive one run to its end, and write that end down: a run that a person started, or a part of such a run."""

import asyncio
import os
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection

from ralph.app.kinds.base import Crew
from ralph.app.plan import Plan
from ralph.app.watch import Watcher
from ralph.kernel.actions import Recipe
from ralph.kernel.limits import Budget, within
from ralph.kernel.quota import Quota, patient
from ralph.loop.drive import drive
from ralph.loop.equipment import Equipment
from ralph.loop.perform import Performer
from ralph.loop.stop import Stop
from ralph.model.errors import AgentUnusable, Blocked, Cancelled, RalphError, StateError
from ralph.model.runs import Run, RunStatus
from ralph.model.verdicts import AnyVerdict, Failed, Stopped, from_error
from ralph.store.journal import Journal
from ralph.store.runs import finish_run


class Driven(NamedTuple):
    verdict: AnyVerdict
    run: Run
    """With what was counted."""
    error: RalphError | None
    """What ended it from outside its recipe."""


async def drive_run(
    connection: Connection, run: Run, plan: Plan, watcher: Watcher, stop: Stop, *, resumed: bool
) -> Driven:
    journal = Journal(connection, run.id)
    journal.listen(watcher.record)
    crew = _crew(connection, run, plan, watcher, stop, journal)
    performer = Performer(
        crew.equipment, agent=plan.agent, limits=crew.limits, journal=journal, stop=stop, emit=watcher.on_event
    )
    performer.table |= plan.kind.actions(crew)
    plan.kind.begun(crew)
    watcher.started(run, resumed=resumed)
    verdict: AnyVerdict = Failed("it was not driven")
    error: RalphError | None = None
    try:
        await plan.kind.require(crew)
        verdict = await drive(_recipe(plan), journal, performer, stop)
    except RalphError as raised:
        error = raised
    except asyncio.CancelledError:
        error = Cancelled(f"stopped at once by {stop.at_once_by}.", "Continue: ralph resume")
    verdict = _finish(connection, journal, from_error(error) if error else verdict)
    plan.kind.ended(crew, verdict)
    counted = msgspec.structs.replace(
        run, iterations=journal.iterations, cost_usd=journal.cost_usd, tokens=journal.tokens, verdict=verdict.kind
    )
    watcher.ended(counted, verdict)
    return Driven(verdict, counted, error)


def _crew(connection: Connection, run: Run, plan: Plan, watcher: Watcher, stop: Stop, journal: Journal) -> Crew:
    environ = {**os.environ, **plan.kind.environment(plan.loop)}
    return Crew(
        run=run,
        loop=plan.loop,
        merged=plan.merged,
        equipment=Equipment(run, plan.settings, environ, plan.kind.workdir(plan.loop)),
        agent=plan.agent,
        limits=plan.kind.limits(plan.settings, plan.loop),
        journal=journal,
        connection=connection,
        stop=stop,
        watcher=watcher,
    )


def _recipe(plan: Plan) -> Recipe:
    budget = msgspec.convert(plan.settings.budget, Budget, from_attributes=True)
    quota = msgspec.convert(plan.settings.quota, Quota, from_attributes=True)
    return within(budget, patient(quota, plan.kind.generator(plan.loop)))


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
