"""Runs as a tree: which live, who started whom, what each is doing, and the mark of one that was cancelled."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Select, or_, select

from ralph.model.errors import Cancelled
from ralph.model.runs import Entry, Run, RunStatus
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.journal import unpacked
from ralph.store.runs import ALIVE, from_row

LIVE: tuple[RunStatus, ...] = ("queued", *ALIVE)
LOOKED_THROUGH = 50
"""How many of a run's latest results are looked through: what is older says nothing about now."""

_runs = schema.runs
_journal = schema.journal


def live_runs(connection: Connection, project: str | None) -> list[Run]:
    # Sorted here: for an order in the query SQLite would rather walk through all runs of the project.
    query = select(_runs).where(_runs.c.status.in_(LIVE))
    if project is not None:
        query = query.where(_runs.c.project == project)
    found = sorted(_found(connection, query), key=lambda run: run.started_at)
    return [run for run in found if run.status in LIVE]


def last_over(connection: Connection, project: str | None, *, live: int) -> Run | None:
    """The newest run that does not live, apart from those that other runs of the project started."""
    query = select(_runs).order_by(_runs.c.started_at.desc()).limit(live + 1)
    if project is None:
        query = query.where(_runs.c.parent_id.is_(None))
    else:
        parent = _runs.alias("parent")
        query = query.outerjoin(parent, parent.c.id == _runs.c.parent_id)
        query = query.where(_runs.c.project == project, or_(parent.c.id.is_(None), parent.c.project != project))
    return next((run for run in _found(connection, query) if run.status not in LIVE), None)


def with_descendants(connection: Connection, ids: Iterable[str]) -> list[Run]:
    """These runs and all below them, the oldest first."""
    tree = select(_runs.c.id).where(_runs.c.id.in_(list(ids))).cte("tree", recursive=True)
    tree = tree.union(select(_runs.c.id).where(_runs.c.parent_id == tree.c.id))
    return list(_found(connection, select(_runs).join(tree, tree.c.id == _runs.c.id).order_by(_runs.c.started_at)))


def open_entry(connection: Connection, run_id: str) -> Entry | None:
    """The latest action that was begun and has not ended. An attempt that was made again is over."""
    again = _journal.alias("again")
    made_again = select(again.c.seq).where(
        again.c.run_id == _journal.c.run_id, again.c.seq == _journal.c.seq, again.c.attempt > _journal.c.attempt
    )
    query = (
        select(_journal)
        .where(_journal.c.run_id == run_id, _journal.c.ended_at.is_(None), ~made_again.exists())
        .order_by(_journal.c.seq.desc(), _journal.c.attempt.desc())
        .limit(1)
    )
    row = connection.execute(query).mappings().first()
    return Entry(**{**row, "action": unpacked(connection, row["action"])}) if row else None


def latest_results(connection: Connection, run_id: str) -> Iterator[tuple[bytes, bytes | None, str | None]]:
    """Of the latest actions that ended, the newest first: the action, its result, and why there is none."""
    query = (
        select(_journal.c.action, _journal.c.result, _journal.c.error)
        .where(_journal.c.run_id == run_id, _journal.c.ended_at.is_not(None))
        .order_by(_journal.c.seq.desc(), _journal.c.attempt.desc())
        .limit(LOOKED_THROUGH)
    )
    for action, result, error in connection.execute(query).all():
        yield unpacked(connection, action), unpacked(connection, result), error


def mark_cancelled(connection: Connection, run: Run) -> None:
    """Write the end that the run's own process could not write; one that it did write, or a new start, stays."""
    change = {
        "status": "interrupted",
        "verdict": Cancelled.verdict,
        "reason": f"stopped by ralph cancel. Continue: ralph resume {run.id}",
        "exit_code": Cancelled.exit_code,
        "ended_at": time.time(),
    }
    same = (_runs.c.id == run.id, _runs.c.pid == run.pid, _runs.c.pid_started == run.pid_started)
    with transaction(connection, durable=True):
        connection.execute(_runs.update().where(*same, _runs.c.status.in_(LIVE)).values(change))


def _found(connection: Connection, query: Select[Any]) -> Iterator[Run]:
    return map(from_row, connection.execute(query).mappings().all())
