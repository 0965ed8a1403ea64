"""Cancel a run and all that it started: asked first, told twice, killed at last. Nothing of it is left running."""

import signal
import time
from collections.abc import Callable
from itertools import groupby
from typing import Literal

from msgspec import Struct
from sqlalchemy import Connection

from ralph.model.errors import ConfigError, StateError
from ralph.model.runs import Run
from ralph.proc.identity import lives, owner, send
from ralph.proc.tree import end_marked
from ralph.store.database import connect
from ralph.store.run_tree import LIVE, mark_cancelled, with_descendants
from ralph.store.runs import find_run, whole

GRACE = 10.0
STOPPING = 15.0
"""Seconds that a ralph needs at most to end its agents, who are asked politely first in their turn."""
KILLED = 5.0
LOOK_AGAIN = 0.02
ROUNDS = 10
"""A dying agent may start one more run: the tree is looked at again until nothing of it lives."""

How = Literal["asked", "forced", "gone", "over"]
"""It stopped when it was asked; it had to be forced; its process had died without a word; it was over before."""
Levels = list[list[Run]]
"""Runs of a tree by their depth, the deepest first."""


class Outcome(Struct, frozen=True):
    run: Run
    """As it is now."""
    how: How


def cancel(run_id: str, *, grace: float = GRACE, told: Callable[[list[Run]], None]) -> list[Outcome]:
    """The deepest first, the run itself last. `told` hears which runs are asked to stop."""
    connection = connect()
    # A part of a run lives in the process of the whole, and ends with it.
    top = whole(connection, find_run(connection, run_id))
    ends: dict[str, How] = {}
    for _ in range(ROUNDS):
        unfinished = [[run for run in level if _is_unfinished(run)] for level in _levels(connection, top)]
        if not any(unfinished):
            break
        ends |= _end(connection, unfinished, grace, told)
    else:
        raise StateError(f"run {top.id} starts new runs as fast as they are cancelled.", "End its agent by hand.")
    ends.setdefault(top.id, "over")
    return [Outcome(run, ends[run.id]) for level in _levels(connection, top) for run in level if run.id in ends]


def _levels(connection: Connection, top: Run) -> Levels:
    found = {run.id: run for run in with_descendants(connection, [top.id])}

    def depth(run: Run) -> int:
        return 0 if run.id == top.id or run.parent_id is None else 1 + depth(found[run.parent_id])

    by_depth = sorted(found.values(), key=depth, reverse=True)
    return [list(level) for _, level in groupby(by_depth, depth)]


def _is_unfinished(run: Run) -> bool:
    """It lives, or its process died without a word. Where a process wrote the end itself, there is a verdict."""
    return run.status in LIVE or (run.status == "interrupted" and run.verdict is None)


def _end(connection: Connection, levels: Levels, grace: float, told: Callable[[list[Run]], None]) -> dict[str, How]:
    everyone = [run for level in levels for run in level]
    alive = [run for run in everyone if _lives(run)]
    _refuse_foreign(alive)
    if alive:
        told(alive)
    forced = _stop(levels, grace)
    for run in everyone:
        end_marked(f"RALPH_RUN_ID={run.id}")
        mark_cancelled(connection, run)
    return {run.id: "forced" if run in forced else "asked" if run in alive else "gone" for run in everyone}


def _stop(levels: Levels, grace: float) -> list[Run]:
    """Those that did not stop when they were asked. All are asked at once: none begins anything new then."""
    everyone = [run for level in levels for run in level]
    _send(everyone, signal.SIGTERM)
    forced = _left_after(grace, everyone)
    for level in levels:
        # Another signal than the first one: two of a kind that come together are one.
        for number, patience in ((signal.SIGINT, STOPPING), (signal.SIGKILL, KILLED)):
            _send(level, number)
            left = _left_after(patience, level)
        if left:
            raise StateError(f"run {left[0].id} (pid {left[0].pid}) cannot be ended, not even by SIGKILL.")
    return forced


def _send(runs: list[Run], number: signal.Signals) -> None:
    # One process may drive several of them, and a second signal would mean another thing to it than the first.
    for pid, pid_started in {(run.pid, run.pid_started) for run in runs}:
        if send(pid, pid_started, number):
            # One that was stopped (Ctrl-Z) hears only after it goes on.
            send(pid, pid_started, signal.SIGCONT)


def _left_after(seconds: float, runs: list[Run]) -> list[Run]:
    """Who still lives when all are gone or the time is over."""
    deadline = time.monotonic() + seconds
    while (left := [run for run in runs if _lives(run)]) and time.monotonic() < deadline:
        time.sleep(LOOK_AGAIN)
    return left


def _lives(run: Run) -> bool:
    return lives(run.pid, run.pid_started)


def _refuse_foreign(runs: list[Run]) -> None:
    for run in runs:
        try:
            send(run.pid, run.pid_started, 0)
        except PermissionError:
            raise ConfigError(
                f"run {run.id} belongs to another user: {owner(run.pid)} (pid {run.pid}).", "Cancel it as that user."
            ) from None
