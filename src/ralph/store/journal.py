"""The journal of one run: append-only, and the single source of truth about it.

The start of an action that has effects is on disk before it is performed; its end, and all reads after it, are on
disk before the next such action starts. A kill in between repeats the last one, as a new attempt.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects import sqlite

from ralph.kernel.actions import AnyAction, ChildEnd, RunAgent, RunChild, Verify, Wait
from ralph.model.errors import StateError
from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.runs import Entry
from ralph.store import schema
from ralph.store.database import compiled, transaction

INLINE = 4096
BATCH = 50
BLOB_MARK = b"blob:"


class Begun(Struct, frozen=True):
    seq: int
    attempt: int
    action: AnyAction


class Ended(Struct, frozen=True):
    seq: int
    attempt: int
    action: AnyAction
    result: Any
    replayed: bool = False


Record = Begun | Ended
Listener = Callable[[Record], None]


_insert_entry = compiled(schema.journal.insert())
_end_entry = compiled(
    schema.journal.update()
    .where(schema.journal.c.run_id == bindparam("of_run"))
    .where(schema.journal.c.seq == bindparam("of_seq"))
    .where(schema.journal.c.attempt == bindparam("of_attempt"))
    .values(ended_at=bindparam("ended"), result=bindparam("outcome"), error=bindparam("problem"))
)
_insert_mark = compiled(sqlite.insert(schema.stream_marks).on_conflict_do_nothing())
_insert_blob = compiled(sqlite.insert(schema.blobs).on_conflict_do_nothing())
_set_status = compiled(
    schema.runs.update().where(schema.runs.c.id == bindparam("of_run")).values(status=bindparam("now"))
)
_update_run = compiled(
    schema.runs.update()
    .where(schema.runs.c.id == bindparam("of_run"))
    .values(iterations=bindparam("done"), cost_usd=bindparam("cost"), tokens=bindparam("used"))
)


class Journal:
    def __init__(self, connection: Connection, run_id: str) -> None:
        self.run_id = run_id
        self.iterations = 0
        self.cost_usd: float | None = None
        self.tokens = Tokens()
        self._connection = connection
        self._listeners: list[Listener] = []
        self._next_seq = 0
        self._pending: list[tuple[str, dict[str, Any]]] = []
        self._no_hurry: list[tuple[str, dict[str, Any]]] = []
        self._iteration_ended = False
        self._past: dict[int, list[Entry]] = defaultdict(list)
        for entry in entries(connection, run_id):
            self._past[entry.seq].append(entry)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def take_seq(self) -> int:
        self._next_seq += 1
        return self._next_seq

    def past(self, seq: int) -> list[Entry]:
        """The attempts at this action that an earlier process made."""
        return self._past.get(seq, [])

    def replayed(self, record: Ended) -> None:
        self._count(record)
        self._tell(record)

    def begin(self, seq: int, attempt: int, action: AnyAction) -> None:
        if action.effect:
            before = len(self._pending)
            self._pending.append((_insert_entry, self._row(seq, attempt, action)))
            if isinstance(action, Wait):
                self._pending.append((_set_status, {"of_run": self.run_id, "now": "waiting"}))
            try:
                self.flush()
            except StateError:
                # It will not be performed. What ended before it may still find its way to the disk.
                del self._pending[before:]
                raise
        self._tell(Begun(seq, attempt, action))

    def end(self, record: Ended) -> None:
        outcome = self._packed(msgspec.json.encode(record.result))
        if record.action.effect:
            self._close(record.seq, record.attempt, outcome, None)
            if isinstance(record.action, Wait):
                self._pending.append((_set_status, {"of_run": self.run_id, "now": "running"}))
        else:
            row = self._row(record.seq, record.attempt, record.action)
            self._pending.append((_insert_entry, {**row, "ended_at": row["started_at"], "result": outcome}))
        self._count(record)
        self._tell(record)

    def fail(self, seq: int, attempt: int, action: AnyAction, problem: str) -> None:
        """The action could not be performed at all: its attempt ends without a result, and may be made again."""
        if action.effect:
            self._close(seq, attempt, None, problem)

    def mark(self, seq: int, attempt: int, *, size: int, events: int) -> None:
        """Note how far an agent's stream has come. Batched: it reaches the disk with the next flush."""
        row = {
            "run_id": self.run_id,
            "seq": seq,
            "attempt": attempt,
            "at": time.time(),
            "bytes": size,
            "events": events,
        }
        self._pending.append((_insert_mark, row))

    def also(self, statement: str, row: dict[str, Any]) -> None:
        """Write something of this run that can be had elsewhere, too: in batches, at the latest when the run ends."""
        self._no_hurry.append((statement, row))

    def flush(self, *, last: bool = False) -> None:
        if last or len(self._no_hurry) >= BATCH:
            self._pending += self._no_hurry
            self._no_hurry.clear()
        if not self._pending:
            return
        with transaction(self._connection, durable=self._iteration_ended) as driver:
            for statement, row in self._pending:
                driver.execute(statement, row)
            if self._iteration_ended:
                driver.execute(_update_run, self._totals())
        self._pending.clear()
        self._iteration_ended = False

    def _totals(self) -> dict[str, Any]:
        used = msgspec.json.encode(self.tokens).decode()
        return {"of_run": self.run_id, "done": self.iterations, "cost": self.cost_usd, "used": used}

    def _count(self, record: Ended) -> None:
        action = record.action
        if isinstance(action, RunAgent):
            self.iterations = max(self.iterations, action.iteration)
        elif isinstance(action, RunChild):
            self.iterations += record.result.iterations
        elif not isinstance(action, Verify):
            return
        spent: AgentReport | ChildEnd | Evidence = record.result
        self.tokens += spent.tokens
        if spent.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + spent.cost_usd
        self._iteration_ended = not record.replayed

    def _close(self, seq: int, attempt: int, outcome: bytes | None, problem: str | None) -> None:
        key = {"of_run": self.run_id, "of_seq": seq, "of_attempt": attempt}
        self._pending.append((_end_entry, {**key, "ended": time.time(), "outcome": outcome, "problem": problem}))

    def _row(self, seq: int, attempt: int, action: AnyAction) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "seq": seq,
            "attempt": attempt,
            "iteration": action.iteration,
            "kind": action.__struct_config__.tag,
            "action": self._packed(msgspec.json.encode(action)),
            "started_at": time.time(),
            "ended_at": None,
            "result": None,
            "error": None,
        }

    def _packed(self, data: bytes) -> bytes:
        if len(data) <= INLINE:
            return data
        digest = blake2b(data, digest_size=20).hexdigest()
        self._pending.append((_insert_blob, {"hash": digest, "data": data}))
        return BLOB_MARK + digest.encode()

    def _tell(self, record: Record) -> None:
        for listener in self._listeners:
            listener(record)


def entries(connection: Connection, run_id: str) -> list[Entry]:
    table = schema.journal
    query = select(table).where(table.c.run_id == run_id).order_by(table.c.seq, table.c.attempt)
    return [
        Entry(**{**row, "action": unpacked(connection, row["action"]), "result": unpacked(connection, row["result"])})
        for row in connection.execute(query).mappings()
    ]


def unpacked(connection: Connection, data: bytes | None) -> Any:
    if data is None or not data.startswith(BLOB_MARK):
        return data
    digest = data.removeprefix(BLOB_MARK).decode()
    return connection.execute(select(schema.blobs.c.data).where(schema.blobs.c.hash == digest)).scalar_one()
