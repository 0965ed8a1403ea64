"""Open the database, and write to it in transactions that either happen or do not."""

import os
import sqlite3
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import ClauseElement, Connection, Engine, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError

from ralph.config.layers import ralph_home
from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write
from ralph.store.migrations import is_current, migrate

BUSY_SECONDS = 30.0
LOOK_AGAIN = 0.01
PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
SYNC = "PRAGMA synchronous = FULL"
NO_SYNC = "PRAGMA synchronous = NORMAL"


def connect(environ: Mapping[str, str] | None = None) -> Connection:
    """A connection to the up-to-date database in ralph's home."""
    environ = os.environ if environ is None else environ
    if environ.get("RALPH_DATABASE_URL"):
        raise ConfigError(
            "RALPH_DATABASE_URL is set, but this ralph keeps its state in SQLite only.",
            "Unset it; RALPH_HOME moves the database.",
        )
    path = _prepare_file(ralph_home(environ))
    with readable_errors(f"open {path}"):
        connection = _engine(path).connect()
        if not is_current(connection):
            # Only one process migrates; the others wait for the lock and then find the work done.
            with transaction(connection):
                migrate(connection)
    return connection


def compiled(statement: ClauseElement) -> str:
    """For the driver's own connection. To be made once: what is run at each iteration costs most of it otherwise."""
    return str(statement.compile(dialect=sqlite.dialect(paramstyle="named")))


@contextmanager
def transaction(connection: Connection, *, durable: bool = False) -> Generator[Any]:
    """All or nothing. `durable` also survives a loss of power, at the price of a sync.

    Gives the driver's own connection: the journal writes through it, since the way through
    SQLAlchemy costs more than the row itself.
    """
    driver: Any = connection.connection.driver_connection
    with readable_errors("write the database"):
        wanted = SYNC if durable else NO_SYNC
        if driver.sync != wanted:
            driver.execute(wanted)
            driver.sync = wanted
        driver.execute("BEGIN IMMEDIATE")
        try:
            yield driver
            driver.execute("COMMIT")
        except BaseException:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
            raise


@contextmanager
def readable_errors(doing: str) -> Generator[None]:
    """One line instead of a traceback for what a disk or a database can do to us."""
    try:
        yield
    except DBAPIError as error:
        raise _state_error(doing, str(error.orig)) from error
    except sqlite3.Error as error:
        raise _state_error(doing, str(error)) from error


def _state_error(doing: str, cause: str) -> StateError:
    cause = " ".join(cause.split())
    hint = "See ralph doctor."
    if "full" in cause or "disk I/O" in cause:
        hint = "The disk is full or cannot be written: make room, then ralph resume."
    elif "locked" in cause:
        hint = "Another program holds it: try again when that one is done."
    elif "malformed" in cause or "not a database" in cause:
        hint = "It is damaged: move it away, or set RALPH_HOME to another directory."
    return StateError(f"cannot {doing}: {cause}.", hint)


def _prepare_file(home: Path) -> Path:
    path = home / "ralph.db"
    try:
        home.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE))
    except OSError as error:
        raise cannot_write(path, error, "Make it writable, or set RALPH_HOME to another directory.") from error
    return path


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False, "factory": _Connection},
    )
    event.listen(engine, "connect", _prepare_connection)
    return engine


class _Connection(sqlite3.Connection):
    sync = ""
    """How it was last told to sync. To tell it again costs as much as to write a row."""


def _prepare_connection(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            # Of several processes that make a new database at once only one can, and SQLite lets none wait for it.
            if time.monotonic() > deadline:
                raise
            time.sleep(LOOK_AGAIN)
        else:
            return
