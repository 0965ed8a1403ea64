import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import suppress

import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.store.database import connect, transaction
from ralph.store.migrations import MIGRATIONS
from stores import new_run, opened

OPEN = """
import sys
from ralph.store.database import connect
print("ready", flush=True)
sys.stdin.readline()
connection = connect()
print(connection.exec_driver_sql("SELECT COUNT(*) FROM runs").scalar_one(), flush=True)
"""


def tables(connection):
    query = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    return connection.exec_driver_sql(query).all()


def test_a_new_database_is_made_up_to_date(tmp_path):
    with opened(tmp_path / "home") as connection:
        assert connection.exec_driver_sql("SELECT MAX(version) FROM schema_version").scalar_one() == len(MIGRATIONS)
        assert {name for _, name, _ in tables(connection)} >= {"runs", "journal", "blobs", "stream_marks"}
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def test_nobody_else_may_read_it(tmp_path):
    with opened(tmp_path / "home"):
        assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "home/ralph.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_an_older_database_is_brought_up_to_date(tmp_path, version):
    with sqlite3.connect(tmp_path / "ralph.db") as old:
        if version:
            old.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
            old.execute("INSERT INTO schema_version VALUES (?)", (version,))
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                old.execute(statement)
    old.close()
    with opened(tmp_path) as connection, opened(tmp_path / "new") as new:
        assert tables(connection) == tables(new)


def test_what_it_holds_stays(tmp_path):
    with opened(tmp_path) as connection:
        run = new_run(connection)
    with opened(tmp_path) as connection:
        assert connection.exec_driver_sql("SELECT id FROM runs").scalars().all() == [run.id]


def test_a_newer_database_is_refused_and_left_alone(tmp_path):
    with opened(tmp_path) as connection:
        connection.exec_driver_sql("INSERT INTO schema_version VALUES (999)")
    before = (tmp_path / "ralph.db").read_bytes()
    with pytest.raises(StateError, match=r"written by a newer ralph \(schema 999.* Upgrade ralph"):
        connect({"RALPH_HOME": str(tmp_path)})
    assert (tmp_path / "ralph.db").read_bytes() == before


def test_processes_that_open_a_new_database_at_once_all_get_it(tmp_path):
    env = {**os.environ, "RALPH_HOME": str(tmp_path / "home")}
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN], env=env, stdin=pipe, stdout=pipe, text=True) for _ in range(6)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[0] for process in started] == ["0\n"] * 6
    with opened(tmp_path / "home") as connection:
        versions = connection.exec_driver_sql("SELECT version FROM schema_version ORDER BY version").scalars().all()
    assert versions == list(range(1, len(MIGRATIONS) + 1))


def test_a_transaction_happens_or_does_not(tmp_path):
    with opened(tmp_path) as connection:
        with suppress(ZeroDivisionError), transaction(connection) as driver:
            driver.execute("INSERT INTO blobs VALUES ('a', 'b')")
            raise ZeroDivisionError
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM blobs").scalar_one() == 0
        with transaction(connection, durable=True) as driver:
            driver.execute("INSERT INTO blobs VALUES ('a', 'b')")
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM blobs").scalar_one() == 1


@pytest.mark.parametrize(
    "content", [b"This is a letter, not a database. " * 200, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_database_is_one_clear_error(tmp_path, content):
    (tmp_path / "ralph.db").write_bytes(content)
    with pytest.raises(StateError, match=r"cannot open .*ralph.db: .*It is damaged: move it away"):
        connect({"RALPH_HOME": str(tmp_path)})
    assert (tmp_path / "ralph.db").read_bytes() == content


def test_a_home_that_is_a_file_is_one_clear_error(tmp_path):
    (tmp_path / "home").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write .*home/ralph.db: .*set RALPH_HOME to another directory"):
        connect({"RALPH_HOME": str(tmp_path / "home")})


def test_another_kind_of_database_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="RALPH_DATABASE_URL is set"):
        connect({"RALPH_HOME": str(tmp_path), "RALPH_DATABASE_URL": "postgresql://localhost/ralph"})
