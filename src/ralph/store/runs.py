"""Runs in the store: begin, end, list, find."""

import os
import secrets
import time
from typing import Any

import msgspec
from sqlalchemy import Connection, or_, select

from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.events import Tokens
from ralph.model.runs import Run, RunStatus
from ralph.model.verdicts import AnyVerdict, exit_code
from ralph.proc.identity import lives, started
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.journal import Journal

ALIVE: tuple[RunStatus, ...] = ("running", "waiting", "paused")
STEP = "step"
"""In the options of a run that is a part of another one: the step of that one's journal that it is."""
LAST_LETTER = "\U0010ffff"


def new_run_id() -> str:
    return secrets.token_hex(4)


def begin_run(
    connection: Connection,
    *,
    recipe: str,
    version: int,
    project: str,
    options: dict[str, Any],
    parent: str | None = None,
    task: str | None = None,
    run_id: str | None = None,
) -> Run:
    run = Run(
        id=run_id or new_run_id(),
        recipe=recipe,
        recipe_version=version,
        project=project,
        status="running",
        started_at=time.time(),
        options=options,
        parent_id=parent if parent and exists(connection, parent) else None,
        task_id=task,
        pid=os.getpid(),
        pid_started=started(),
    )
    row = {name: getattr(run, name) for name in run.__struct_fields__}
    row |= {"options": msgspec.json.encode(options), "tokens": msgspec.json.encode(run.tokens).decode()}
    with transaction(connection, durable=True):
        connection.execute(schema.runs.insert(), row)
    return run


def take_over(connection: Connection, run: Run) -> Run:
    """This process goes on with the run."""
    change = {"status": "running", "verdict": None, "reason": "", "exit_code": None, "ended_at": None}
    change |= {"pid": os.getpid(), "pid_started": started()}
    _update(connection, run.id, change)
    return msgspec.structs.replace(run, **change)


def finish_run(connection: Connection, journal: Journal, verdict: AnyVerdict, *, status: RunStatus = "ended") -> None:
    journal.flush(last=True)
    change: dict[str, Any] = {
        "status": status,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "exit_code": exit_code(verdict),
        "ended_at": time.time(),
    }
    _update(connection, journal.run_id, change)


def list_runs(
    connection: Connection,
    *,
    project: str | None = None,
    limit: int | None = None,
) -> list[Run]:
    """The newest first."""
    query = select(schema.runs).order_by(schema.runs.c.started_at.desc())
    if project is not None:
        # A directory whose name is not UTF-8 is refused by every loop, so nothing has run there.
        query = query.where(schema.runs.c.project == project.encode(errors="replace").decode())
    return [from_row(row) for row in connection.execute(query.limit(limit)).mappings()]


def find_run(connection: Connection, prefix: str) -> Run:
    first = prefix.lower()
    # A range of the index; LIKE would look at every run.
    query = select(schema.runs).where(schema.runs.c.id.between(first, f"{first}{LAST_LETTER}")).limit(2)
    found = [from_row(row) for row in connection.execute(query).mappings()] if first.isascii() and first else []
    if len(found) == 1:
        return found[0]
    problem = "several runs begin with" if found else "there is no run"
    raise ConfigError(f"{problem} {prefix!r}.", "See the list: ralph runs --all")


def latest_interrupted(connection: Connection, project: str) -> Run:
    """Or the latest one that ended because its agent could not work: that can be mended, too."""
    table = schema.runs
    resumable = or_(table.c.status.in_(("interrupted", "stopped", *ALIVE)), table.c.verdict == AgentUnusable.verdict)
    query = select(table).where(table.c.project == project, resumable).order_by(table.c.started_at.desc())
    for row in connection.execute(query).mappings():
        run = from_row(row)
        if run.status not in ALIVE:
            return run
    raise ConfigError("no interrupted run in this project.", "See what ran: ralph runs")


def exists(connection: Connection, run_id: str) -> bool:
    return connection.execute(select(schema.runs.c.id).where(schema.runs.c.id == run_id)).first() is not None


def _update(connection: Connection, run_id: str, change: dict[str, Any]) -> None:
    with transaction(connection, durable=True):
        connection.execute(schema.runs.update().where(schema.runs.c.id == run_id).values(change))


def from_row(row: Any) -> Run:
    fields = dict(row)
    fields["options"] = msgspec.json.decode(fields["options"])
    fields["tokens"] = msgspec.json.decode(fields["tokens"], type=Tokens)
    fields["status"] = status_now(fields["status"], fields["pid"], fields["pid_started"])
    return Run(**fields)


def status_now(stored: RunStatus, pid: int, pid_started: float) -> RunStatus:
    """A run whose process died without a word can be resumed, and is never shown as running for ever."""
    return "interrupted" if stored in ALIVE and not lives(pid, pid_started) else stored


def whole(connection: Connection, run: Run) -> Run:
    """The run that this one is a part of, or itself. One process drives a run with all its parts."""
    while STEP in run.options and run.parent_id:
        run = find_run(connection, run.parent_id)
    return run


def children(connection: Connection, run_id: str) -> list[Run]:
    """The runs right below this one, the oldest first."""
    query = select(schema.runs).where(schema.runs.c.parent_id == run_id).order_by(schema.runs.c.started_at)
    return [from_row(row) for row in connection.execute(query).mappings()]


def live_children(connection: Connection, run_id: str) -> int:
    """How many runs that this one's agents started are still under way."""
    query = select(schema.runs).where(schema.runs.c.parent_id == run_id, schema.runs.c.status.in_(ALIVE))
    return sum(from_row(row).status in ALIVE for row in connection.execute(query).mappings())
