"""What is SQLite's own: its files, its locks, its log."""

import sqlite3
import stat
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from loops import wait_until
from ralph.kernel.actions.agent import RunAgent
from ralph.model.errors import ConfigError, StateError
from ralph.store.follow import watch
from ralph.store.journal import check_chain
from ralph.store.runs import list_runs
from ralph.store.sql import Lost, Sql
from stores import count, new_run, opened, perform, taken, worked

FAR = 10**9
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are looked up in /proc")
LOOKS_AND_WRITES = """
from ralph.store.open import open_store
from stores import count, new_run
for number in range(200):
    with open_store() as store:
        count(store, "journal")
        if number % 10 == 0:
            new_run(store)
print("done", flush=True)
"""


def descriptors():
    """What this process has open, by name."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(entry.readlink()))
    return found


def test_it_has_a_log_of_its_own_for_readers_beside_a_writer(tmp_path):
    with opened(tmp_path) as store:
        assert store.read("PRAGMA journal_mode") == [{"journal_mode": "wal"}]


def test_nobody_else_may_read_it(tmp_path):
    with opened(tmp_path / "home") as store:
        new_run(store)
        assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "home").iterdir()}
    assert modes == dict.fromkeys(("ralph.db", "ralph.db-wal", "ralph.db-shm", "bell"), 0o600)


@LINUX
def test_other_processes_never_take_the_files_away_from_one_that_has_them_open(sqlite):
    with sqlite.open() as store:
        journal = taken(store)
        # A second store in the same process must not drop the locks of the first one when it goes.
        sqlite.open().close()
        with sqlite.started(LOOKS_AND_WRITES) as other:
            for iteration in range(1, 101):
                perform(journal, RunAgent(iteration, "Do it."), worked())
                journal.flush()
            assert other.stdout.readline() == "done\n"
        home = sqlite.environ["RALPH_HOME"]
        mine = [name.removeprefix(f"{home}/") for name in descriptors() if name.startswith(home)]
        assert set(mine) == {"ralph.db", "ralph.db-wal", "ralph.db-shm", "bell"}
        assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    with sqlite.open() as store:
        # All that was written, by either of them, is in the file that others open.
        assert check_chain(store, journal.run_id) == 202
        assert count(store, "runs") == 21


@LINUX
def test_stores_that_were_closed_leave_no_descriptors(sqlite):
    with sqlite.open() as store:
        new_run(store)
    before = len(descriptors())
    for _ in range(100):
        with sqlite.open() as store:
            list_runs(store)
            store.wait(0)
            store.wait(0)
    assert len(descriptors()) == before


@LINUX
def test_a_store_that_cannot_be_opened_leaves_no_descriptors(tmp_path):
    (tmp_path / "ralph.db").write_text("This is a letter, not a database. " * 200)
    before = len(descriptors())
    for _ in range(5):
        with pytest.raises(StateError):
            opened(tmp_path)
    assert len(descriptors()) == before


def test_a_follower_does_not_let_the_log_grow(sqlite):
    with sqlite.open() as store, sqlite.open() as other:
        journal = taken(store)
        for number in range(500):
            # Long, but not so long that it is stored once for all of them.
            perform(journal, RunAgent(number, "x" * 3000), worked())
            if number == 5:
                following = watch(other, run_id=journal.run_id)
                assert next(following)
        assert next(following)
        size = Path(sqlite.environ["RALPH_HOME"], "ralph.db-wal").stat().st_size
    assert size < 6_000_000


def test_text_where_bytes_belong_is_refused(tmp_path):
    with opened(tmp_path) as store:
        with pytest.raises(StateError, match="cannot store TEXT value in BLOB column") as caught:
            store.write(Sql("INSERT INTO blobs (digest, data) VALUES ('text', 'text')"))
        assert not isinstance(caught.value, Lost)
        for table in store.read(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ):
            assert table["sql"].rstrip().endswith("STRICT"), table["name"]


@pytest.mark.parametrize(
    "content", [b"This is a letter, not a database. " * 200, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_database_is_one_clear_error(tmp_path, content):
    (tmp_path / "ralph.db").write_bytes(content)
    with pytest.raises(StateError, match=r"cannot open .*ralph.db: .*It is damaged: move it away"):
        opened(tmp_path)
    assert (tmp_path / "ralph.db").read_bytes() == content


def test_a_home_that_is_a_file_is_one_clear_error(tmp_path):
    (tmp_path / "home").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write .*home/ralph.db: .*set RALPH_HOME to another directory"):
        opened(tmp_path / "home")


def test_a_database_that_is_a_directory_is_one_clear_error(tmp_path):
    (tmp_path / "ralph.db").mkdir()
    with pytest.raises(ConfigError, match=r"cannot write .*ralph.db: Is a directory"):
        opened(tmp_path)


def test_one_that_another_program_holds_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr("ralph.store.sqlite.BUSY_SECONDS", 0.1)
    with opened(tmp_path) as store:
        holder = sqlite3.connect(tmp_path / "ralph.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateError, match=r"database is locked\. Another program holds it"):
            new_run(store)
        holder.execute("ROLLBACK")
        holder.close()
        new_run(store)
        assert count(store, "runs") == 1


def test_where_the_system_tells_of_no_changes_it_looks_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "elsewhere")
    with opened(tmp_path) as store, opened(tmp_path) as other:
        before = store.version()
        new_run(other)

        def looked():
            store.wait(FAR)
            return store.version() != before

        wait_until(looked, "it never looked")
