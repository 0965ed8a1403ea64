"""The one driver: a recipe asks, the driver performs, the journal remembers.

Resume is replay: a new generator is fed the journaled results until it asks for something new.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from ralph.kernel.actions import AnyAction, ChildEnd, Recipe
from ralph.kernel.problems import hopeless
from ralph.loop.stop import Stop
from ralph.model.errors import AgentUnusable, RalphError, StateError
from ralph.model.evidence import AgentReport
from ralph.model.runs import Entry
from ralph.model.verdicts import AnyVerdict
from ralph.store.journal import Ended, Journal

Perform = Callable[[AnyAction, int, int], Awaitable[Any]]
"""Perform an action; the numbers are its place in the journal and the attempt at it."""


async def drive(recipe: Recipe, journal: Journal, perform: Perform, stop: Stop) -> AnyVerdict:
    result: Any = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = await _once(action, journal, perform, stop)


async def _once(action: AnyAction, journal: Journal, perform: Perform, stop: Stop) -> Any:
    """Perform the action, or take its result from the journal if it has one already."""
    seq = journal.take_seq()
    past = journal.past(seq)
    if past:
        _same(action, past[-1])
        if past[-1].result is not None:
            result: Any = msgspec.json.decode(past[-1].result, type=action.result)
            if not _may_work_now(result):
                journal.replayed(Ended(seq, past[-1].attempt, action, result, replayed=True))
                return result
    stop.check()
    attempt = len(past) + 1
    journal.begin(seq, attempt, action)
    try:
        result = await perform(action, seq, attempt)
    except RalphError as error:
        journal.fail(seq, attempt, action, str(error))
        raise
    journal.end(Ended(seq, attempt, action, result))
    return result


def _may_work_now(result: Any) -> bool:
    """The run ended because the agent could not work at all. Somebody may have mended that, so it is asked again."""
    if isinstance(result, ChildEnd):
        return result.verdict == AgentUnusable.verdict
    return isinstance(result, AgentReport) and hopeless(result) is not None


def _same(action: AnyAction, entry: Entry) -> None:
    if msgspec.json.encode(action) != entry.action:
        raise StateError(
            f"the journal of run {entry.run_id} does not fit: at step {entry.seq} it holds {entry.kind},"
            f" and the recipe asks for another {action.__struct_config__.tag}.",
            f"Start it anew: ralph retry {entry.run_id}",
        )
