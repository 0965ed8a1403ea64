"""Postgres behind `Store`: the same statements, one connection to read and write, one to listen.

psycopg imports asyncio, so a command that only reads imports it, too. With SQLite it does not.
"""

import re
import select
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import psycopg
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row, tuple_row

from ralph.model.errors import ConfigError, StateError
from ralph.store.schema import MIGRATIONS, newer
from ralph.store.sql import Found, Lost, Sql

if TYPE_CHECKING:
    import asyncio

CONNECT_SECONDS = 10
# Ids are given at the INSERT and visible at the COMMIT: without one lock for all writes, a follower could miss a row
# forever. The number is "ralph" in ASCII, so that nobody else uses it in a shared database.
LOCK = b"SELECT pg_advisory_xact_lock(491260768360)"
BEGIN = b"BEGIN; " + LOCK
COMMIT = b"NOTIFY ralph; COMMIT"
LISTEN = b"LISTEN ralph"
# to_regclass would not work: in a transaction that waited for the lock, it misses tables that were created meanwhile.
KNOWN = b"SELECT 1 AS one FROM pg_class WHERE relname = 'schema_version' AND pg_table_is_visible(oid)"
VERSION = b"SELECT coalesce(max(version), 0) AS version FROM schema_version"
LOST = (psycopg.errors.UniqueViolation, psycopg.errors.ForeignKeyViolation)
URL = "RALPH_DATABASE_URL"
_NAMED = re.compile(r"'[^']*'|(?<![:\w]):([a-z_]\w*)")
# Ids are found by ranges, so text is ordered by its bytes, as in SQLite, whatever the server's locale.
_WORDS = {
    "INTEGER PRIMARY KEY AUTOINCREMENT": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "INTEGER": "BIGINT",
    "REAL": "DOUBLE PRECISION",
    "BLOB": "BYTEA",
    "TEXT": 'TEXT COLLATE "C"',
    ") STRICT": ")",
}
_DIALECT = re.compile("|".join(re.escape(word) for word in _WORDS))


class PostgresStore:
    def __init__(self, url: str) -> None:
        self._url = url
        self._own_commits = self._others = 0
        self._waited_for = 0
        self._ear: psycopg.Connection[Any] | None = None
        self._listening: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._db = _connected(url)
        try:
            with _readable_errors(url, "open the database"):
                _migrate(self._db)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, text: str, **values: Any) -> list[Found]:
        with _readable_errors(self._url, "read the database"):
            return self._db.execute(translated(text), values).fetchall()

    def tuples(self, text: str, **values: Any) -> list[tuple[Any, ...]]:
        with _readable_errors(self._url, "read the database"), self._db.cursor(row_factory=tuple_row) as cursor:
            return cursor.execute(translated(text), values).fetchall()

    def write(self, *statements: Sql, sync: bool = False) -> None:  # noqa: ARG002 - the server's own settings decide
        with _readable_errors(self._url, "write the database"), self._transaction():
            for each in statements:
                if self._changed_by(each) != each.must and each.must is not None:
                    raise Lost("another process changed it first.")
        self._own_commits += 1
        self._wake()

    def version(self) -> int:
        with _readable_errors(self._url, "listen to the database"):
            # Everything that was committed before this query arrives with its answer, or before it.
            self._listen().execute(b"")
            self._hear()
        return self._others

    async def rings(self, at_most: float = 1.0, at_least: float = 0.0) -> AsyncIterator[None]:
        import asyncio

        from ralph.store.ringing import ringing

        rung = asyncio.Event()
        with self._rung_in(asyncio.get_running_loop(), rung):
            async for _ in ringing(rung, self._state, at_most, at_least):
                yield

    def wait(self, at_most: float) -> None:
        if self._ear is None:
            # Commits before this connection listened are not reported: the caller looks again.
            self._listen()
            return
        with _readable_errors(self._url, "listen to the database"):
            self._hear()
            if self._waited_for == self._own_commits + self._others:
                select.select([self._ear.fileno()], [], [], max(0.0, at_most))
                self._hear()
        self._waited_for = self._own_commits + self._others

    def reopen(self) -> None:
        self.close()
        self._db = _connected(self._url)

    def close(self) -> None:
        if self._ear:
            self._ear.close()
            self._ear = None
        self._db.close()

    def _changed_by(self, statement: Sql) -> int:
        """Run the statement, and return the number of rows that it changed."""
        text = translated(statement.text)
        if not statement.rows:
            return self._db.execute(text, statement.values).rowcount
        with self._db.cursor() as cursor:
            cursor.executemany(text, statement.rows)
            return cursor.rowcount

    @contextmanager
    def _transaction(self) -> Generator[None]:
        try:
            self._db.execute(BEGIN)
            yield
            self._db.execute(COMMIT)
        except BaseException:
            with suppress(psycopg.Error):
                self._db.execute(b"ROLLBACK")
            raise

    def _state(self) -> tuple[int, int]:
        """A value that changes with each commit, including our own."""
        with _readable_errors(self._url, "listen to the database"):
            self._hear()
        return self._own_commits, self._others

    def _listen(self) -> psycopg.Connection[Any]:
        """The one connection of this process for all that listen."""
        if self._ear is None:
            self._ear = _connected(self._url)
            self._ear.add_notify_handler(lambda note: self._count(note.pid))
            self._ear.execute(LISTEN)
        return self._ear

    @contextmanager
    def _rung_in(self, loop: "asyncio.AbstractEventLoop", rung: "asyncio.Event") -> Generator[None]:
        ear = self._listen().fileno()
        mine = loop, rung
        self._listening.append(mine)
        loop.add_reader(ear, self._heard_in, loop, ear)
        try:
            yield
        finally:
            self._listening.remove(mine)
            if all(other is not loop for other, _ in self._listening):
                loop.remove_reader(ear)

    def _heard_in(self, loop: "asyncio.AbstractEventLoop", ear: int) -> None:
        try:
            self._hear()
        except psycopg.Error:
            # The connection is gone, and its descriptor would stay readable. `_state` tells the listeners.
            loop.remove_reader(ear)
            self._wake()

    def _hear(self) -> None:
        """Read all notifications that have arrived, without waiting."""
        if self._ear is None:
            return
        self._ear.pgconn.consume_input()
        while note := self._ear.pgconn.notifies():
            self._count(note.be_pid)

    def _count(self, pid: int) -> None:
        """Count a commit of another process. Our own commits were counted when they were made."""
        if pid != self._db.info.backend_pid:
            self._others += 1
            self._wake()

    def _wake(self) -> None:
        for _, rung in self._listening:
            rung.set()


@cache
def translated(text: str) -> bytes:
    """The statement with `:name` in psycopg's notation. Quoted text and casts stay as they are."""
    return _NAMED.sub(lambda found: f"%({found[1]})s" if found[1] else found[0], text.replace("%", "%%")).encode()


def translated_ddl(text: str) -> bytes:
    return _DIALECT.sub(lambda found: _WORDS[found[0]], text).encode()


class _Whole(Loader):
    """Loads a sum of integers, which arrives as `numeric`."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text or "N" in text else int(text)


def _connected(url: str) -> psycopg.Connection[dict[str, Any]]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        # Its text repeats the URL, including the password.
        raise ConfigError(f"{URL} is not an address that Postgres understands.", "See docs/settings.md.") from None
    wanted = {"connect_timeout": CONNECT_SECONDS, "application_name": "ralph", "client_encoding": "utf8"}
    address = make_conninfo(url, **{name: value for name, value in wanted.items() if name not in given})
    with _readable_errors(url, "connect to the database"):
        db = psycopg.Connection[dict[str, Any]].connect(address, autocommit=True, row_factory=dict_row)
    db.adapters.register_loader("numeric", _Whole)
    return db


def _migrate(db: psycopg.Connection[dict[str, Any]]) -> None:
    # It is checked first: CREATE takes locks in another order than a write does.
    if _version(db) == len(MIGRATIONS):
        return
    with db.transaction():
        # Only one process migrates; the others wait for the lock and then find the work done.
        db.execute(LOCK)
        version = _version(db)
        if version > len(MIGRATIONS):
            raise newer(version, URL)
        for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in statements:
                db.execute(translated_ddl(statement))
            db.execute(b"INSERT INTO schema_version (version) VALUES (%s)", (number,))


def _version(db: psycopg.Connection[dict[str, Any]]) -> int:
    return db.execute(VERSION).fetchall()[0]["version"] if db.execute(KNOWN).fetchall() else 0


@contextmanager
def _readable_errors(url: str, doing: str) -> Generator[None]:
    """Raise one line instead of a traceback, without the password."""
    try:
        yield
    except LOST as error:
        raise Lost(f"another process changed it first: {error.diag.message_primary}.") from error
    except psycopg.Error as error:
        cause = _without_password(url, error.diag.message_primary or str(error)).rstrip(".")
        raise StateError(f"cannot {doing}: {cause}.", _hint(error)) from None


def _hint(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.DiskFull):
        return "The disk of the server is full: free some space, then ralph resume."
    if isinstance(error, psycopg.OperationalError | psycopg.errors.InsufficientPrivilege):
        return f"Is Postgres running, and may ralph use it? {URL} names it."
    return "See ralph doctor."


def _without_password(url: str, text: str) -> str:
    password = conninfo_to_dict(url).get("password")
    shown = text.replace(str(password), "***") if password else text
    return " ".join(shown.split())
