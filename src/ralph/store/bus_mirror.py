"""The messages of the buses in the database too, as far as it can be had: the files alone are the truth."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects import sqlite

from ralph.config.layers import ralph_home
from ralph.model.errors import RalphError
from ralph.store import schema
from ralph.store.bus_format import Message
from ralph.store.database import compiled, connect, readable_errors, transaction

if TYPE_CHECKING:
    from ralph.store.journal import Journal

PATIENCE_MS = 200
"""A message must not wait long for the database: the next one takes along what is missing."""


_table = schema.messages.c
_select_ids = compiled(select(_table.id).where(_table.bus == bindparam("of_bus"), _table.id >= bindparam("since")))
_insert = compiled(sqlite.insert(schema.messages).on_conflict_do_nothing())


class Mirror:
    """Writes through a connection that somebody has anyway: two of one process would have to be kept in step.

    With the journal of a run the rows wait for one of its transactions. Should that never come, the file has them, and
    the next who reads it takes them along.
    """

    def __init__(self, connection: Connection, journal: "Journal | None" = None) -> None:
        self._connection = connection
        self._journal = journal
        self._through: dict[str, str] = {}
        """Up to which id each bus is known to be in the database."""

    def add(self, bus: str, task_dir: str | None, messages: list[Message]) -> None:
        through = self._through.get(bus, "")
        new = [message for message in messages if message.id > through]
        if not new:
            return
        # A message alone has most likely been posted just now.
        known = self._known(bus, new[0].id) if len(new) > 1 else ()
        if rows := [_row(bus, task_dir, message) for message in new if message.id not in known]:
            self._write(rows)
        self._through[bus] = new[-1].id

    def _write(self, rows: list[dict[str, Any]]) -> None:
        if self._journal:
            for row in rows:
                self._journal.also(_insert, row)
            return
        with transaction(self._connection) as driver:
            driver.executemany(_insert, rows)

    def _known(self, bus: str, since: str) -> set[str]:
        driver: Any = self._connection.connection.driver_connection
        with readable_errors("read the database"):
            return {row[0] for row in driver.execute(_select_ids, {"of_bus": bus, "since": since})}


def mirror(bus: str, task_dir: str | None, messages: list[Message], by: Mirror | None) -> bool:
    """Whether all of them are in the database now. Never an error."""
    try:
        (by or _own(ralph_home(os.environ), os.getpid())).add(bus, task_dir, messages)
    except RalphError:
        return False
    return True


@cache
def _own(_home: Path, _pid: int) -> Mirror:
    connection = connect()
    with readable_errors("use the database"):
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    return Mirror(connection)


def _row(bus: str, task_dir: str | None, message: Message) -> dict[str, Any]:
    return {
        "bus": bus,
        "id": message.id,
        "task_dir": task_dir,
        "type": message.type,
        "ts": message.ts,
        "run_id": message.run or None,
        "body": message.body,
    }
