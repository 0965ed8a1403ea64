"""The messages of the buses in the database too, as far as it can be had: the files alone are the truth."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.dialects import sqlite

from ralph.config.layers import ralph_home
from ralph.model.errors import RalphError
from ralph.store import schema
from ralph.store.bus_format import Message
from ralph.store.database import connect, readable_errors, transaction

PATIENCE_MS = 200
"""A message must not wait long for the database: the next one takes along what is missing."""


def mirror(bus: Path, task_dir: Path | None, messages: list[Message]) -> bool:
    """Whether all of them are in the database now. Never an error."""
    try:
        _mirror(ralph_home(os.environ), os.getpid()).add(bus, task_dir, messages)
    except RalphError:
        return False
    return True


@cache
def _mirror(_home: Path, _pid: int) -> "_Mirror":
    return _Mirror(connect())


class _Mirror:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._through: dict[Path, str] = {}
        """Up to which id each bus is known to be in the database."""
        with readable_errors("use the database"):
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {PATIENCE_MS}")

    def add(self, bus: Path, task_dir: Path | None, messages: list[Message]) -> None:
        through = self._through.get(bus, "")
        new = [message for message in messages if message.id > through]
        if not new:
            return
        known = self._known(bus, new[0].id)
        if rows := [_row(bus, task_dir, message) for message in new if message.id not in known]:
            with transaction(self._connection):
                self._connection.execute(sqlite.insert(schema.messages).on_conflict_do_nothing(), rows)
        self._through[bus] = new[-1].id

    def _known(self, bus: Path, since: str) -> set[str]:
        table = schema.messages.c
        with readable_errors("read the database"):
            found = self._connection.execute(select(table.id).where(table.bus == _text(bus), table.id >= since))
            return set(found.scalars())


def _row(bus: Path, task_dir: Path | None, message: Message) -> dict[str, Any]:
    return {
        "bus": _text(bus),
        "id": message.id,
        "task_dir": _text(task_dir) if task_dir else None,
        "type": message.type,
        "ts": message.ts,
        "run_id": message.run or None,
        "body": message.body,
    }


def _text(path: Path) -> str:
    """A name on disk may be anything; the database takes only text."""
    return os.fsencode(path).decode(errors="replace")
