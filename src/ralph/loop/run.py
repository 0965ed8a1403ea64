"""Drives a stored run to its end: one that a person started, or a part of such a run."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import NamedTuple

import msgspec

from ralph.kernel.actions.base import Recipe
from ralph.kernel.budget import Budget, within
from ralph.kernel.quota import Quota, patient
from ralph.kernel.stalling import stalling
from ralph.loop.context import RunContext
from ralph.loop.drive import Driver, StopSaid
from ralph.loop.perform import performing
from ralph.loop.plan import Plan, plan_to_drive
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.loop.trust import abandoned_at, note_before, note_end
from ralph.model.errors import AgentUnusable, Blocked, Cancelled, RalphError, StateError
from ralph.model.runs import RunStatus
from ralph.model.verdicts import AnyVerdict, CancelledRun, Stopped, from_error
from ralph.store.control import latest
from ralph.store.journal import Journal, Tampered
from ralph.store.projects import standing_folder
from ralph.store.runs import get_run
from ralph.store.sql import Lost, Store
from ralph.store.state_tree import StateTree
from ralph.workbench.redact import mask_bytes

STATE_EVERY = 0.2
"""The seconds between two looks at the journal for what must be written into files."""


class Driven(NamedTuple):
    verdict: AnyVerdict
    error: RalphError | None
    """The error that ended it from outside its recipe."""
    told: str = ""
    """What else to say at the end."""
    head: bytes = b""
    """The last hash of its journal."""


async def drive_run(
    store: Store,
    run_id: str,
    stop: Stop,
    streams: Streams,
    *,
    plan: Plan | None = None,
    go_on: bool = False,
    is_locked: bool = False,
) -> Driven:
    """Drive the run. It raises `Lost` if another process has it.

    `plan` is what the caller stored: it need not be read back, unless the run was stored before with another one.
    `go_on`: drive it although it has ended. `is_locked`: the caller has its lock.
    """
    run = get_run(store, run_id)
    if run is None:
        raise StateError(f"there is no run {run_id}.", "See the list: ralph runs --all")
    project = standing_folder(store, run.project)
    left_at = abandoned_at(store, run_id)
    journal = Journal.take(store, run_id, go_on=go_on)
    with _given_up_on_error(journal):
        plan = plan_to_drive(run_id, journal.recipe, journal.options, plan)
        context = RunContext(store, journal, plan, run.project, project, stop, streams)
        journal.hide(mask_bytes(context.secrets))
        journal.about = context.stream_of
        if journal.was_begun:
            from ralph.proc.tree import end_marked

            # Processes that a killed ralph left would work on the same files as the next attempt.
            end_marked(f"RALPH_RUN_ID={run_id}")
            note_before(context.watched, left_at)
        lock = "" if is_locked else plan.kind.lock(plan.loop)
        with context.state.locked(lock) if lock else nullcontext():
            try:
                driven = await _driven(context)
                return driven._replace(told=await plan.kind.left(context))
            finally:
                await context.close()


@contextmanager
def _given_up_on_error(journal: Journal) -> Generator[None]:
    """Release a run that could not begin, or whose driver failed, although the process that took it may live on."""
    try:
        yield
    except Lost:
        raise
    except Exception as error:
        if not journal.is_closed:
            problem = error if isinstance(error, RalphError) else StateError(f"ralph failed: {error!r}.")
            with suppress(StateError):
                journal.close(from_error(problem), "interrupted")
        raise


async def _driven(context: RunContext) -> Driven:
    store, journal, plan, stop = context.store, context.journal, context.plan, context.stop
    plan.kind.begun(context)
    error: RalphError | None = None
    verdict: AnyVerdict
    try:
        await plan.kind.require(context)
        driver = Driver(store, journal, performing(context), stop)
        async with _state_written(context):
            verdict = await driver.drive(_recipe(plan))
    except Lost:
        raise
    except RalphError as raised:
        error = raised
        verdict = from_error(raised)
    except StopSaid as said:
        verdict = CancelledRun(str(said))
    except asyncio.CancelledError:
        word = latest(store, journal.run_id)
        if word and word.said == "stop":
            # The parent run heard it before this one did.
            _finish(context, CancelledRun(word.said_by))
            raise
        if not stop.at_once_by:
            _finish(context, from_error(Cancelled("its parent was stopped.", "Continue: ralph resume")))
            raise
        error = Cancelled(f"stopped at once by {stop.at_once_by}.", "Continue: ralph resume")
        verdict = from_error(error)
    verdict, problem = _finish(context, verdict)
    return Driven(verdict, error or problem, head=journal.head)


@asynccontextmanager
async def _state_written(context: RunContext) -> AsyncGenerator[None]:
    """Write the files of the state directory by following the journal, for kinds that have some."""
    if not context.plan.kind.has_state_files:
        yield
        return
    tree = StateTree(context.store, context.run_id, context.project)

    async def follow() -> None:
        async for _ in context.store.rings(at_least=STATE_EVERY):
            tree.look()

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # What cannot be written there is still in the journal.
        with suppress(OSError, RalphError):
            context.journal.flush()
            tree.look()


def _recipe(plan: Plan) -> Recipe:
    budget = msgspec.convert(plan.settings.budget, Budget, from_attributes=True)
    quota = msgspec.convert(plan.settings.quota, Quota, from_attributes=True)
    recipe = patient(quota, plan.kind.generator(plan.loop))
    stalled_after = plan.settings.stall.after if plan.kind.has_checks(plan.loop) else None
    return within(budget, stalling(stalled_after, recipe))


def _finish(context: RunContext, verdict: AnyVerdict) -> tuple[AnyVerdict, RalphError | None]:
    try:
        context.journal.close(verdict, _status(verdict))
        context.plan.kind.ended(context, verdict)
        note_end(context.watched)
    except Lost:
        raise
    except StateError as error:
        # Not even the end could be written. The run will be found as interrupted, and can be resumed.
        return (verdict if isinstance(verdict, Stopped) else from_error(error)), error
    return verdict, None


def _status(verdict: AnyVerdict) -> RunStatus:
    """The status after a verdict. An error outside the recipe can be fixed, and the run resumed; a missing agent is an
    end.
    """
    if not isinstance(verdict, Stopped) or verdict.by in (AgentUnusable.verdict, Tampered.verdict):
        return "ended"
    return "stopped" if verdict.by == Blocked.verdict else "interrupted"
