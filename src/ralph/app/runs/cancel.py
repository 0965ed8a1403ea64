"""Cancels a run and all below it: it is asked first, and killed only if it does not answer. Nothing is left running."""

import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from ralph.app.inside_run import require_own_child
from ralph.loop.trust import note_dead
from ralph.model.errors import ConfigError, StateError
from ralph.model.runs import Owner, Run, family
from ralph.model.verdicts import CancelledRun
from ralph.proc.identity import lives, send
from ralph.proc.identity import owner as user_of
from ralph.store.control import latest, say
from ralph.store.journal import Journal, Tampered
from ralph.store.owner import is_here, me
from ralph.store.runs import find_run, runs_under_way, tree_of, whole
from ralph.store.sql import Lost, Store
from ralph.store.tasks import get_task, set_status

GRACE = 10.0
TERMINATED = 2.0
"""How many seconds a process that ignored the request to stop may take to end after SIGTERM."""
KILLED = 5.0
LOOK_AGAIN = 0.05
"""The seconds between two looks, because nothing reports the end of a process."""

How = Literal["asked", "forced", "gone", "over", "unheard"]
"""How a run ended: it stopped when it was asked; its process was ended; nobody drove it; it had already ended; or it is
driven where no signal reaches it and has not answered, so it is not cancelled yet."""


class Outcome(Struct, frozen=True):
    run: Run
    """The run as it is now."""
    how: How


def cancel(
    store: Store, run_id: str, *, grace: float = GRACE, told: Callable[[list[Run]], None] | None = None
) -> list[Outcome]:
    """Cancel the run and all runs below it. Return the outcomes, the deepest run first, the run itself last.

    `told` gets the runs that are asked to stop.
    """
    # A part of a run lives in the process of the whole, and ends with it.
    top = whole(store, find_run(store, run_id))
    require_own_child(top.id, or_itself=True)
    unfinished = [run for run in tree_of(store, top.id) if run.status != "ended"]
    cancelling = Cancelling(store, top.id, grace)
    if unfinished:
        # A run that answers at once may have ended before the next look.
        for run in unfinished:
            cancelling.see(run)
        alive = [run for run in unfinished if run.is_alive]
        _send(_processes(alive), 0)
        if told and alive:
            told(alive)
        say(store, top.id, "stop")
        # A suspended process (Ctrl-Z) reads the request only after it continues.
        _send(_processes(alive), signal.SIGCONT)
        cancelling.end_all()
    return cancelling.outcomes()


class Cancelling:
    """Ends a tree of runs that was told to stop. All runs stop at the same time; each has its own grace period."""

    def __init__(self, store: Store, top: str, grace: float) -> None:
        self._store = store
        self._top = top
        self._grace = grace
        self._last_newcomer = time.monotonic() + 2 * (grace + TERMINATED + KILLED)
        self._seen: dict[str, float] = {}
        self._owners: dict[str, Owner] = {}
        self._how: dict[str, How] = {}
        self._sent: set[tuple[Owner, signal.Signals]] = set()
        self._problems: dict[str, Tampered] = {}

    def end_all(self) -> None:
        while left := self._left():
            above = {each for run in left for each in family(run.id)[1:]}
            for run in left:
                self.see(run)
                if run.is_alive:
                    self._press(run)
                elif run.id not in above:
                    # This comes last: cleaning up after a run kills what its agents started, including runs.
                    self._close(run)
            self._store.wait(LOOK_AGAIN)
        self._let_go(self._top)
        for problem in self._problems.values():
            raise problem

    def outcomes(self) -> list[Outcome]:
        self._how.setdefault(self._top, "over")
        found = [run for run in tree_of(self._store, self._top) if run.id in self._how]
        return [Outcome(run, self._how[run.id]) for run in sorted(found, key=_depth, reverse=True)]

    def _left(self) -> list[Run]:
        """The runs that have not ended. A dying agent may have started one more."""
        given_up = {run_id for run_id, how in self._how.items() if how == "unheard"} | self._problems.keys()
        return [run for run in tree_of(self._store, self._top) if run.status != "ended" and run.id not in given_up]

    def see(self, run: Run) -> None:
        """Note a run that must end, and the process that drives it. Its grace period begins now."""
        now = time.monotonic()
        if run.id not in self._seen and now > self._last_newcomer:
            raise StateError(
                f"run {self._top} starts new runs as fast as they are cancelled.", "End its agent by hand."
            )
        self._seen.setdefault(run.id, now)
        self._how.setdefault(run.id, "asked" if run.is_alive else "gone")
        if run.is_alive and run.owner and _is_reached(run.owner):
            self._owners[run.id] = run.owner

    def _press(self, run: Run) -> None:
        """Send SIGTERM, then SIGKILL, to the process of a run that does not answer in time."""
        late = time.monotonic() - self._seen[run.id] - self._grace
        owner = run.owner
        if owner is None or late < 0:
            return
        if not _is_reached(owner):
            if late >= TERMINATED:
                self._how[run.id] = "unheard"
            return
        self._how[run.id] = "forced"
        self._send_once(owner, signal.SIGTERM)
        if late >= TERMINATED:
            self._send_once(owner, signal.SIGKILL)
        if late >= TERMINATED + KILLED:
            raise StateError(f"run {run.id} (pid {owner.pid}) cannot be ended, not even by SIGKILL.")

    def _send_once(self, owner: Owner, number: signal.Signals) -> None:
        """Send a signal once: one process may drive several runs of the tree, and a second signal has another
        meaning.
        """
        if (owner, number) not in self._sent:
            self._sent.add((owner, number))
            _send([owner], number)

    def _close(self, run: Run) -> None:
        """Record the end of a run that has no process: it was not begun or was interrupted, or its process is gone."""
        if run.owner:
            from ralph.proc.tree import end_marked

            self._let_go(run.id)
            end_marked(f"RALPH_RUN_ID={run.id}")
        word = latest(self._store, run.id)
        note_dead(self._store, run.id)
        try:
            journal = Journal.take(self._store, run.id)
            # A replay would give the same values, but needs the recipe.
            journal.iterations, journal.last_reason = run.iterations, run.last_reason
            journal.close(CancelledRun(word.said_by if word else ""))
        except Lost:
            return  # Another process has just taken the run, and reads the request to stop.
        except Tampered as problem:
            self._problems[run.id] = problem
            return
        _release_task(self._store, run)

    def _let_go(self, top: str) -> None:
        """Wait until processes that answered have ended: they print their last lines and hold their locks until then.

        The wait has a limit, because a process that also drives other runs does not end.
        """
        until = time.monotonic() + TERMINATED
        below = {owner for run_id, owner in self._owners.items() if top in family(run_id)}
        while any(lives(owner.pid, owner.since) for owner in below) and time.monotonic() < until:
            time.sleep(LOOK_AGAIN)


def _depth(run: Run) -> int:
    return run.id.count(".")


def _processes(runs: Iterable[Run]) -> set[Owner]:
    return {run.owner for run in runs if run.owner and _is_reached(run.owner)}


def _is_reached(owner: Owner) -> bool:
    """Whether ralph can send the process a signal: it is on this machine, and it is not this process itself."""
    return is_here(owner) and owner != me()


def _send(processes: Iterable[Owner], number: int) -> None:
    for process in processes:
        try:
            send(process.pid, process.since, number)
        except PermissionError:
            raise ConfigError(
                f"the run belongs to another user: {user_of(process.pid)} (pid {process.pid}).",
                "Cancel it as that user.",
            ) from None


def _release_task(store: Store, run: Run) -> None:
    """Set the task to pending, as the run's own process would."""
    if run.task_id is None or run.task_id in runs_under_way(store, run.project):
        return
    with suppress(ConfigError):  # It was deleted.
        if get_task(store, run.project, run.task_id).status == "running":
            set_status(store, run.project, run.task_id, "pending")
