"""Databases of another age: new, older, newer, and from before the first layout."""

import os
import sqlite3
import stat
import time

import pytest
from msgspec import structs

from ralph.kernel.actions.agent import RunAgent
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.tasks import Criterion, Task, TaskCompletionSpec
from ralph.model.verdicts import Verified
from ralph.store.bell import Bell
from ralph.store.control import say
from ralph.store.evidence import find_evidence, keep_evidence
from ralph.store.journal import check_chain
from ralph.store.projects import project_at
from ralph.store.schema import MIGRATIONS
from ralph.store.sql import Sql
from ralph.store.tasks import change_tasks, get_spec, get_task
from stores import Database, count, new_run, opened, perform, taken, worked

MORE = (*MIGRATIONS, ("CREATE TABLE more (id INTEGER PRIMARY KEY AUTOINCREMENT, x BLOB) STRICT",))
OPENS_WHEN_TOLD = """
import sys
from ralph.store.open import open_store
from stores import new_run
print("ready", flush=True)
sys.stdin.readline()
told = []
with open_store(say=told.append) as store:
    new_run(store)
    print(len(told), flush=True)
"""
TABLES = {
    "projects",
    "project_places",
    "runs",
    "journal",
    "blobs",
    "control",
    "specs",
    "tasks",
    "evidence",
    "trusted_changes",
    "schema_version",
}
FIRST_SPEC = "INSERT INTO specs (project_id, id, title, created_at, updated_at) VALUES (:project, 's', 'S', 1.0, 2.0)"
FIRST_TASK = """
INSERT INTO tasks (
    project_id, id, spec_id, title, description, status, priority, dependencies, assignee, created_at, updated_at,
    metadata, iteration, completion_spec
) VALUES (
    :project, 'T-1', 's', 't', '', 'pending', 0, '[]', '', 1.0, 2.0, '{}', 0,
    '{"outcome":"o","acceptance_criteria":["a is 1"]}'
)
"""
DONE = TaskCompletionSpec("o", (Criterion("judge", "a is 1"),))
TASK = Task(id="T-1", spec_id="s", title="t", created_at=1.0, updated_at=2.0, completion_spec=DONE)
LATER_COLUMNS = {"definitions_digest", "may_change", "relevant_files", "max_iterations", "summary", "error", "config"}
LATEST = list(range(1, len(MIGRATIONS) + 1))
NEXT = [*LATEST, len(MIGRATIONS) + 1]


def told(database, number=6):
    """As many processes that open it in the same moment."""
    processes = [database.start(OPENS_WHEN_TOLD) for _ in range(number)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return processes


def all_said(processes):
    """How often they had something to say, all in all."""
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return sum(map(int, said))


def versions(store):
    return [row["version"] for row in store.read("SELECT version FROM schema_version ORDER BY version")]


def test_a_new_database_is_made_up_to_date(store):
    assert versions(store) == LATEST
    assert sum(count(store, table) for table in TABLES) == len(MIGRATIONS)


def test_what_it_holds_stays(database):
    with database.open() as store:
        run = new_run(store)
    with database.open() as store:
        assert store.read("SELECT id FROM runs") == [{"id": run}]


def test_processes_that_open_a_new_database_at_once_all_get_it(database):
    assert all_said(told(database)) == 0
    with database.open() as store:
        assert count(store, "runs") == 6
        assert versions(store) == LATEST


def test_a_database_that_is_up_to_date_is_opened_beside_one_that_writes(database, monkeypatch):
    monkeypatch.setattr("ralph.store.sqlite.BUSY_SECONDS", 0.1)
    with database.open() as writer:
        new_run(writer)
        # CREATE ... IF NOT EXISTS would wait for the one that writes, and that one perhaps for it.
        with writer._transaction(), database.open() as store:
            assert count(store, "runs") == 1


def test_a_newer_database_is_refused_and_left_alone(database):
    with database.open() as store:
        store.write(Sql("INSERT INTO schema_version (version) VALUES (999)"))
    variable = "RALPH_DATABASE_URL" if database.is_postgres else "RALPH_HOME"
    expected = rf"written by a newer ralph \(schema 999, .* Upgrade ralph, or point {variable} elsewhere"
    for _ in range(2):
        with pytest.raises(StateError, match=expected):
            database.open()


def test_a_newer_file_is_not_touched(tmp_path):
    with opened(tmp_path) as store:
        store.write(Sql("INSERT INTO schema_version (version) VALUES (999)"))
    before = (tmp_path / "ralph.db").read_bytes()
    with pytest.raises(StateError, match="newer ralph"):
        opened(tmp_path)
    assert (tmp_path / "ralph.db").read_bytes() == before


@pytest.fixture
def upgraded(monkeypatch):
    """From now on this ralph knows one more migration."""

    def upgrade():
        monkeypatch.setattr("ralph.store.sqlite.MIGRATIONS", MORE)
        monkeypatch.setattr("ralph.store.postgres.MIGRATIONS", MORE)

    return upgrade


def test_an_older_database_is_brought_up_to_date_and_keeps_what_it_holds(database, upgraded):
    with database.open() as store:
        run = new_run(store)
    upgraded()
    for _ in range(2):
        with database.open() as store:
            assert versions(store) == NEXT
            assert count(store, "more") == 0
            assert store.read("SELECT id FROM runs") == [{"id": run}]


def test_a_migration_that_fails_changes_nothing(database, monkeypatch, upgraded):
    with database.open() as store:
        new_run(store)
    broken = (*MIGRATIONS, ("CREATE TABLE more (x INTEGER NOT NULL) STRICT", "CREATE TABLE runs (x INTEGER) STRICT"))
    monkeypatch.setattr("ralph.store.sqlite.MIGRATIONS", broken)
    monkeypatch.setattr("ralph.store.postgres.MIGRATIONS", broken)
    with pytest.raises(StateError, match="already exists"):
        database.open()
    upgraded()
    with database.open() as store:
        assert (versions(store), count(store, "runs")) == (NEXT, 1)


def test_a_file_is_copied_before_it_is_changed(tmp_path, upgraded):
    with opened(tmp_path) as store, opened(tmp_path):
        # Another has it open, so what was written last stands in the log beside the file.
        run = new_run(store)
        upgraded()
        opened(tmp_path).close()
    kept = tmp_path / f"ralph.schema-{len(MIGRATIONS)}.db"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with sqlite3.connect(kept) as copy:
        assert copy.execute("SELECT id FROM runs").fetchall() == [(run,)]
        assert copy.execute("SELECT max(version) FROM schema_version").fetchone() == (len(MIGRATIONS),)
    copy.close()


@pytest.fixture
def first_schema(database, monkeypatch, tmp_path):
    """A database as the ralph with the first schema left it, with something in every table."""
    with monkeypatch.context() as patched:
        patched.setattr("ralph.store.sqlite.MIGRATIONS", MIGRATIONS[:1])
        patched.setattr("ralph.store.postgres.MIGRATIONS", MIGRATIONS[:1])
        with database.open() as store:
            assert versions(store) == [1]
            project = project_at(store, tmp_path / "somewhere")
            store.write(Sql(FIRST_SPEC, {"project": project.id}))
            store.write(Sql(FIRST_TASK, {"project": project.id}))
            journal = taken(store, project=project.id)
            perform(journal, RunAgent(1, "p" * 100_000), worked(cost=0.5))
            say(store, journal.run_id, "guide", "Mind the API.")
            journal.close(Verified(1))
            before = contents(store)
    assert all(before.values())
    return before


def contents(store):
    """All rows of all tables that the first schema has, but for its own number."""
    tables = sorted(TABLES - {"evidence", "trusted_changes", "schema_version"})
    return {table: [_of_first(row) for row in store.read(f"SELECT * FROM {table} ORDER BY 1, 2")] for table in tables}  # noqa: S608 - ours


def _of_first(row):
    return {name: value for name, value in row.items() if name not in LATER_COLUMNS}


def test_a_database_of_the_first_schema_keeps_all_that_it_holds_and_can_keep_evidence(database, first_schema):
    for _ in range(2):
        with database.open() as store:
            assert contents(store) == first_schema
            assert versions(store) == LATEST
    with database.open() as store:
        [run] = store.read("SELECT id, project_id FROM runs")
        assert check_chain(store, run["id"]) == len(first_schema["journal"])
        seen = Evidence("make", passed=True, reason="exit code 0")
        keep_evidence(store, run["project_id"], "tree", "digest", seen)
        assert find_evidence(store, run["project_id"], "tree", "digest") == seen
        assert get_task(store, run["project_id"], "T-1") == TASK
        changed = structs.replace(
            TASK,
            may_change=("tests/**",),
            relevant_files=("src/a.py",),
            max_iterations=3,
            completion_spec=TaskCompletionSpec("o", (Criterion("check", "it is fast", command="make bench"),)),
        )
        store.write(*change_tasks(run["project_id"], [changed]))
        assert get_task(store, run["project_id"], "T-1") == changed
        assert get_spec(store, run["project_id"], "s").config == {}


def test_of_processes_that_meet_the_first_schema_at_once_all_get_the_latest(database, first_schema):
    assert all_said(told(database, 3)) == 0
    with database.open() as store:
        assert versions(store) == LATEST
        assert count(store, "runs") == len(first_schema["runs"]) + 3


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_file_of_the_first_schema_lies_beside_the_new_one_and_opens(database, first_schema, tmp_path, monkeypatch):
    database.open().close()
    (tmp_path / "back").mkdir()
    (tmp_path / "home/ralph.schema-1.db").rename(tmp_path / "back/ralph.db")
    monkeypatch.setattr("ralph.store.sqlite.MIGRATIONS", MIGRATIONS[:1])
    with opened(tmp_path / "back") as store:
        assert versions(store) == [1]
        assert contents(store) == first_schema
        assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]


@pytest.fixture
def old(tmp_path):
    """A database of the old layout. What was written last stands in its log only."""
    home = tmp_path / "old"
    home.mkdir()
    db = sqlite3.connect(home / "ralph.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
    db.execute("INSERT INTO schema_version VALUES (4)")
    db.execute("CREATE TABLE stream_marks (seq INTEGER)")
    db.execute("CREATE TABLE runs (id TEXT PRIMARY KEY)")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("INSERT INTO runs VALUES ('an old run')")
    # As a killed process leaves it: closing would copy the log into the file.
    for suffix in ("", "-wal", "-shm"):
        os.link(home / f"ralph.db{suffix}", home / f"kept{suffix}")
    db.close()
    for suffix in ("", "-wal", "-shm"):
        (home / f"ralph.db{suffix}").unlink(missing_ok=True)
        (home / f"kept{suffix}").rename(home / f"ralph.db{suffix}")
    return home


def set_aside(home):
    [aside] = home.glob("ralph.before-*.db")
    with sqlite3.connect(aside) as db:
        rows = db.execute("SELECT id FROM runs").fetchall()
    db.close()
    return rows


def test_a_database_of_the_old_layout_is_set_aside_whole_with_one_line(old):
    said = []
    database = Database({"RALPH_HOME": str(old)})
    for _ in range(2):
        with database.open(said.append) as store:
            assert (versions(store), count(store, "runs")) == (LATEST, 0)
    [line] = said
    [aside] = old.glob("ralph.before-*.db")
    assert line == f"the database of an earlier ralph was moved to {aside}; this ralph starts a new one."
    assert set_aside(old) == [("an old run",)]


def test_of_processes_that_meet_an_old_layout_at_once_one_sets_it_aside(old):
    database = Database({"RALPH_HOME": str(old)})
    bell = Bell(old / "bell")
    with bell.held():
        # While one opens it, nobody moves it away. All of them have seen the old one by now, and wait.
        processes = told(database)
        time.sleep(1.0)
        assert list(old.glob("ralph.before-*")) == []
    bell.close()
    assert all_said(processes) == 1
    assert set_aside(old) == [("an old run",)]
    with database.open() as store:
        assert count(store, "runs") == 6
        assert store.read("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
