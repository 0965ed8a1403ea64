"""SQLite behind `Store`: one connection per process, and a bell that other processes hear."""

import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ralph.model.errors import StateError
from ralph.store.bell import DEAF, LOOK_AGAIN, Bell, silence, wait_readable
from ralph.store.files import cannot_write
from ralph.store.schema import MIGRATIONS, OLD_LAYOUT, newer
from ralph.store.sql import Found, Lost, Sql
from ralph.store.standing import StandingFiles

if TYPE_CHECKING:
    import asyncio

NAME = "ralph.db"
BUSY_SECONDS = 30.0
TRY_AGAIN = 0.01
LOST = ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_FOREIGNKEY")
"""The errors that mean that another process changed it first. Any other conflict is a bug in ralph."""
ROWS_AT_ONCE = 16
"""How many rows one statement inserts. The text for each number is kept, and an iteration has about five."""
PRIVATE = 0o077
"""The permissions that others must not have on the database's files."""
ELSEWHERE = "Make it writable, or set RALPH_HOME to another directory."


class SqliteStore:
    def __init__(self, home: Path, *, say: Callable[[str], None] | None = None) -> None:
        self._path = home / NAME
        self._sync = False
        self._listening: list[asyncio.Event] = []
        self._own_commits = 0
        self._ear = DEAF
        self._bell = _bell(home, self._path)
        with ExitStack() as undone:
            undone.callback(self._bell.close)
            with self._readable_errors(f"open {self._path}"):
                self._db = _opened(self._path, self._bell, say)
                undone.callback(self._db.close)
                self._migrate()
            self._files = StandingFiles(self._path)
            undone.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, text: str, **values: Any) -> list[Found]:
        with self._readable_errors("read the database"):
            cursor = self._db.execute(text, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=False)) for row in cursor.fetchall()]

    def tuples(self, text: str, **values: Any) -> list[tuple[Any, ...]]:
        # There is no context manager here: it would cost more than a small query.
        try:
            return self._db.execute(text, values).fetchall()
        except sqlite3.Error as error:
            raise _state_error("read the database", str(error)) from error

    def write(self, *statements: Sql, sync: bool = False) -> None:
        db = self._db
        # There are no context managers here: this runs for every action, and they would cost a tenth of it.
        try:
            if sync is not self._sync:
                db.execute(f"PRAGMA synchronous = {'FULL' if sync else 'NORMAL'}")
                self._sync = sync
            db.execute("BEGIN IMMEDIATE")
            try:
                for each in statements:
                    done = self._inserted(each) if each.rows else db.execute(each.text, each.values)
                    if each.must is not None and done.rowcount != each.must:
                        raise Lost("another process changed it first.")  # noqa: TRY301 - the same end as a conflict
                db.execute("COMMIT")
            except BaseException as error:
                raise self._rolled_back(error) from error
        except sqlite3.Error as error:
            raise _state_error("write the database", str(error)) from error
        if sync:
            self._files.require()
        self._own_commits += 1
        self._bell.ring()
        for event in self._listening:
            event.set()

    def _inserted(self, statement: Sql) -> sqlite3.Cursor:
        """Insert the rows: few of them with one statement, which takes half as long as one for each."""
        rows = statement.rows
        if len(rows) > ROWS_AT_ONCE:
            return self._db.executemany(statement.text, rows)
        text, names = _insert_of(statement.text, len(rows))
        values = [value for row in rows for value in map(row.__getitem__, names)]
        # For bytes, `sqlite3` looks for an adapter, which takes longer than the insert. It takes a bytearray at once.
        return self._db.execute(text, [bytearray(each) if type(each) is bytes else each for each in values])

    def version(self) -> int:
        return self.tuples("PRAGMA data_version")[0][0]

    async def rings(self, at_most: float = 1.0, at_least: float = 0.0) -> AsyncIterator[None]:
        import asyncio

        from ralph.store.ringing import ringing

        loop = asyncio.get_running_loop()
        rung = asyncio.Event()
        self._listening.append(rung)
        ear = self._bell.listen()

        def listen() -> None:
            loop.add_reader(ear, hear)

        def hear() -> None:
            loop.remove_reader(ear)
            silence(ear)
            rung.set()

        if ear == DEAF:
            rings = ringing(rung, self._state, at_most, at_least, LOOK_AGAIN)
        else:
            rings = ringing(rung, self._state, at_most, at_least, listen=listen)
        try:
            async for _ in rings:
                yield
        finally:
            self._listening.remove(rung)
            if ear != DEAF:
                loop.remove_reader(ear)
                os.close(ear)

    def wait(self, at_most: float) -> None:
        if self._ear != DEAF:
            wait_readable(self._ear, at_most)
            return
        self._ear = self._bell.listen()
        if self._ear == DEAF:
            time.sleep(min(at_most, LOOK_AGAIN))

    def reopen(self) -> None:
        with self._readable_errors(f"open {self._path}"):
            # It is closed first: with the last connection SQLite moves the log into the database, and removes it.
            self._db.close()
            self._files.require_database()
            self._db = _connected(self._path)
        self._files = StandingFiles(self._path)

    def close(self) -> None:
        if self._ear != DEAF:
            os.close(self._ear)
            self._ear = DEAF
        self._bell.close()
        self._db.close()

    def _state(self) -> tuple[int, int]:
        """A value that changes with each commit, including our own."""
        return self.version(), self._own_commits

    def _migrate(self) -> None:
        if _version(self._db) == len(MIGRATIONS):
            return
        # Only one process migrates; the others wait for the lock and then find the work done.
        with self._transaction():
            version = _version(self._db)
            if version > len(MIGRATIONS):
                raise newer(version)
            if version and version < len(MIGRATIONS):
                _back_up(self._path, version)
            for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
                for statement in statements:
                    self._db.execute(statement)
                self._db.execute("INSERT INTO schema_version (version) VALUES (?)", (number,))

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            raise self._rolled_back(error) from error

    def _rolled_back(self, error: BaseException) -> BaseException:
        """The error to raise, after the whole transaction is rolled back."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorname in LOST:
            return Lost(f"another process changed it first: {error}.")
        return error

    @contextmanager
    def _readable_errors(self, doing: str) -> Generator[None]:
        """Raise one line instead of a traceback for errors of the disk or the database."""
        try:
            yield
        except sqlite3.Error as error:
            raise _state_error(doing, str(error)) from error


@cache
def _insert_of(text: str, rows: int) -> tuple[str, list[str]]:
    """The statement for this many rows, made from one for a single row, and the names of its values in order."""
    beginning, _, values = text.partition("VALUES")
    names = [name.strip(" ():\n") for name in values.split(",")]
    marks = f"({', '.join('?' for _ in names)})"
    return f"{beginning}VALUES {', '.join([marks] * rows)}", names


def _bell(home: Path, path: Path) -> Bell:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Bell(home / "bell")
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error


def _opened(path: Path, bell: Bell, say: Callable[[str], None] | None) -> sqlite3.Connection:
    # Nobody may open the database while it is moved away: one half of what they open would be the new one.
    with bell.held():
        db = _connected(path)
        if not _is_of_old_layout(db):
            return db
        db.close()
    with bell.held(alone=True):
        db = _connected(path)
        if _is_of_old_layout(db):
            db.close()
            _set_aside(path, say)
            db = _connected(path)
        return db


def _connected(path: Path) -> sqlite3.Connection:
    """The connection. SQLite alone opens the file, once per process: closing any other descriptor would drop its
    locks.
    """
    try:
        mask = os.umask(PRIVATE)
        try:
            db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        finally:
            os.umask(mask)
    except sqlite3.OperationalError as error:
        problem = PermissionError(13, _why_unopened(path, error))
        raise cannot_write(path, problem, ELSEWHERE) from error
    try:
        _prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _why_unopened(path: Path, error: sqlite3.Error) -> str:
    """Why the file could not be opened. SQLite itself gives no reason."""
    if path.is_dir():
        return "Is a directory"
    return "Permission denied" if not os.access(path if path.exists() else path.parent, os.W_OK) else str(error)


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    # The size is in kilobytes. The kernel caches the file anyway, and a long run must not grow with its journal.
    db.execute("PRAGMA cache_size = -512")
    if db.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            # The file is created with the first page, and so with the mode of the files beside it.
            mask = os.umask(PRIVATE)
            try:
                db.execute("PRAGMA journal_mode = WAL")
            finally:
                os.umask(mask)
        except sqlite3.OperationalError:
            # If several processes create the database at once, only one can, and SQLite lets none of the others wait.
            if time.monotonic() > deadline:
                raise
            time.sleep(TRY_AGAIN)
        else:
            return


def _version(db: sqlite3.Connection) -> int:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone():
        return 0
    return db.execute("SELECT COALESCE(MAX(version), 0) FROM schema_version").fetchone()[0]


def _is_of_old_layout(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (OLD_LAYOUT,)).fetchone() is not None


def _set_aside(path: Path, say: Callable[[str], None] | None) -> None:
    """Move the whole database away, with the files that SQLite keeps beside it."""
    aside = path.with_name(f"{path.stem}.before-{time.strftime('%Y%m%d-%H%M%S')}.db")
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    if say and aside.exists():
        say(f"the database of an earlier ralph was moved to {aside}; this ralph starts a new one.")


def _back_up(path: Path, version: int) -> None:
    """Copy the database before it is changed. SQLite makes the copy: the file alone would lack the WAL."""
    copy = path.with_name(f"{path.stem}.schema-{version}.db")
    if copy.exists():
        return
    part = Path(f"{copy}.part")
    # Only its owner may read it, like the database itself.
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    source, target = sqlite3.connect(path), sqlite3.connect(part)
    try:
        source.backup(target)
    finally:
        target.close()
        source.close()
    part.replace(copy)


def _state_error(doing: str, cause: str) -> StateError:
    cause = " ".join(cause.split())
    hint = "See ralph doctor."
    if "full" in cause or "disk I/O" in cause:
        hint = "The disk is full or cannot be written: free some space, then ralph resume."
    elif "locked" in cause:
        hint = "Another program holds it: try again when that one is done."
    elif "malformed" in cause or "not a database" in cause:
        hint = "It is damaged: move it away, or set RALPH_HOME to another directory."
    return StateError(f"cannot {doing}: {cause}.", hint)
