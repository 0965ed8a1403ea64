"""Actions that wait for a point in time, ask for a person's decision, or read what was spent."""

import time

import msgspec

from ralph.kernel.actions.waiting import BackOff, GiveUp, Granted, ReadSpent, SpentSoFar, Wait, Waited
from ralph.loop.context import Attempt
from ralph.model.evidence import NOTHING
from ralph.store.control import Word, heard
from ralph.store.runs import get_run, spent_by, whole

RESET_SLACK = 1.0
"""The extra seconds after the reset of a quota, because it may not be available at exactly that time."""


async def wait(action: Wait, attempt: Attempt) -> Waited:
    began = time.monotonic()
    # It is measured from now on: the clock may be set while we wait.
    await attempt.run.stop.sleep(_seconds(action, resumed=attempt.number > 1))
    return Waited(time.monotonic() - began)


async def back_off(action: BackOff, attempt: Attempt) -> Waited:
    return await wait(action, attempt)


async def give_up(action: GiveUp, attempt: Attempt) -> Granted:
    """What a person granted. A run that has just reached its limit asks; one that is continued gets an answer."""
    words = heard(attempt.run.store, attempt.run.run_id, "grant", after=action.seen)
    granted = Granted(seen=words[-1].id if words else action.seen)
    for word in words:
        granted = _with(granted, word)
    raised = bool(action.limit) and getattr(granted, action.limit) is not None
    # A run at a limit continues only with a word that raises it; any other run whenever somebody says so.
    counts = raised if action.limit else bool(words) and attempt.number > 1
    if counts and granted.iterations:
        _raise_limit(attempt, granted.iterations)
    return msgspec.structs.replace(granted, go_on=counts)


async def read_spent(_action: ReadSpent, attempt: Attempt) -> SpentSoFar:
    # Rows that are not written yet count, too.
    attempt.run.journal.flush()
    run = get_run(attempt.run.store, attempt.run.run_id)
    spent = spent_by(attempt.run.store, whole(attempt.run.store, run).id) if run else NOTHING
    return SpentSoFar(spent.usd or 0.0, spent.tokens.total, spent.seconds)


def _raise_limit(attempt: Attempt, total: int) -> None:
    """Let screens show the new total. Runs that only have parts have no limit of their own."""
    run = get_run(attempt.run.store, attempt.run.run_id)
    if run and run.limit and run.limit < total:
        attempt.run.journal.raised_limit = total


def _with(granted: Granted, word: Word) -> Granted:
    # A number of iterations stays an integer: it is read again from the journal.
    limits = msgspec.json.decode(word.text or "{}", type=dict[str, int | float])
    named = {name: value for name, value in limits.items() if name in granted.__struct_fields__}
    return msgspec.structs.replace(granted, **named)


def _seconds(action: Wait, *, resumed: bool) -> float:
    if action.until_moment is None:
        return action.seconds
    ahead = action.until_moment - time.time()
    if ahead > 0:
        return ahead + RESET_SLACK
    # After a resume, the time has come while ralph did not run. Otherwise it was already over, so it is ignored.
    return 0.0 if resumed else action.seconds
