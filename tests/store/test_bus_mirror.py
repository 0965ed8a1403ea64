import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ralph.store.bus import Bus, project_bus, task_bus
from ralph.store.bus_format import Message, render
from ralph.store.bus_mirror import Mirror
from ralph.store.database import connect
from ralph.store.migrations import MIGRATIONS


class Home:
    """RALPH_HOME, which can be made unusable."""

    def __init__(self, root, monkeypatch):
        self._root = root
        self._set = monkeypatch.setenv
        (root / "file").touch()
        self.repair()

    def repair(self):
        self._set("RALPH_HOME", str(self._root / "home"))

    def ruin(self):
        self._set("RALPH_HOME", str(self._root / "file"))

    def database(self):
        return closing(sqlite3.connect(self._root / "home/ralph.db", isolation_level=None))

    def rows(self, columns="body"):
        with self.database() as database:
            found = database.execute(f"SELECT {columns} FROM messages ORDER BY bus, id").fetchall()  # noqa: S608 - ours
        return [row[0] if len(row) == 1 else row for row in found]


@pytest.fixture
def home(tmp_path, monkeypatch):
    return Home(tmp_path, monkeypatch)


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "project/task"
    path.mkdir(parents=True)
    return path


def test_posted_message_is_in_the_database(home, task):
    message = task_bus(task).post("FACT", "It works. 👍\n---", run="no-such-run")
    bus = f"{task}/TASK-MESSAGE-BUS.md"
    assert home.rows("bus, id, task_dir, type, ts, run_id, body") == [
        (bus, message.id, str(task), "FACT", message.ts, "no-such-run", "It works. 👍\n---")
    ]


def test_message_on_a_projects_bus_has_no_task_directory_and_may_have_no_run(home, task):
    project_bus(task).post("FACT", "done")
    assert home.rows("bus, task_dir, run_id") == [(f"{task.parent}/PROJECT-MESSAGE-BUS.md", None, None)]


def test_each_message_is_there_once_however_often_it_is_read(home, task):
    bus = task_bus(task)
    bus.post("INFO", "1")
    for _ in range(3):
        bus.read()
        Bus(bus.path).read()
    bus.post("INFO", "2")
    assert home.rows() == ["1", "2"]


def test_one_file_by_several_names_is_one_bus(home, task, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(task)
    task_bus(tmp_path / "link").post("INFO", "1")
    monkeypatch.chdir(task)
    Bus(Path("TASK-MESSAGE-BUS.md")).post("INFO", "2")
    assert home.rows("bus, body") == [(f"{task}/TASK-MESSAGE-BUS.md", body) for body in ("1", "2")]


@pytest.mark.parametrize("catch_up", [lambda bus: bus.read(), lambda bus: bus.post("INFO", "3")], ids=["read", "post"])
@pytest.mark.parametrize("same", [True, False], ids=["same bus", "another bus"])
def test_what_is_missing_is_added_by_the_next_who_can(home, task, catch_up, same):
    bus = task_bus(task)
    home.ruin()
    bus.post("INFO", "1")
    bus.post("INFO", "2")
    home.repair()
    catch_up(bus if same else task_bus(task))
    assert home.rows()[:2] == ["1", "2"]
    assert len(home.rows()) == len(bus.read())


def test_news_are_mirrored_and_what_could_not_be_is_with_the_next(home, task):
    bus = task_bus(task)
    bus.path.write_bytes(render(Message("20260205T100000.000001Z", "A", 0.0, "", "1")))
    bus.news()
    assert home.rows() == ["1"]
    bus.path.write_bytes(bus.path.read_bytes() + render(Message("20260205T100000.000002Z", "A", 0.0, "", "2")))
    home.ruin()
    assert [message.body for message in bus.news()] == ["2"]
    home.repair()
    bus.post("INFO", "3")
    assert home.rows() == ["1", "2", "3"]


def test_mirror_of_a_run_writes_through_its_connection(home, task):
    bus = task_bus(task, mirror=Mirror(connect()))
    home.ruin()
    bus.post("INFO", "1")
    bus.post("INFO", "2")
    home.repair()
    assert home.rows() == ["1", "2"]


def test_message_that_another_wrote_is_taken_along(home, task):
    bus = task_bus(task)
    bus.post("INFO", "1")
    bus.path.write_bytes(bus.path.read_bytes() + b"\n" + render(Message("29990101T000000.000000Z", "A", 0.0, "", "2")))
    bus.post("INFO", "3")
    assert home.rows() == ["1", "2", "3"]


def test_busy_database_delays_a_message_little_and_stops_none(home, task):
    bus = task_bus(task)
    bus.post("INFO", "1")
    with home.database() as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        bus.post("INFO", "2")
        assert time.monotonic() - began < 10
        assert [message.body for message in Bus(bus.path).read()] == ["1", "2"]
    assert home.rows() == ["1"]
    bus.post("INFO", "3")
    assert home.rows() == ["1", "2", "3"]


def test_database_that_is_damaged_stops_no_message(home, task, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/ralph.db").write_text("this is not a database, not even a little bit of one" * 100)
    bus = task_bus(task)
    bus.post("INFO", "1")
    assert [message.body for message in bus.read()] == ["1"]


def test_directory_whose_name_is_not_text_has_its_messages_mirrored(home, tmp_path):
    task = Path(os.fsdecode(os.fsencode(tmp_path) + b"/t\xff"))
    task.mkdir()
    task_bus(task).post("INFO", "x")
    assert home.rows("task_dir, body") == [(f"{tmp_path}/t\ufffd", "x")]


def test_database_of_an_older_ralph_gets_the_table(home, task, tmp_path):
    (tmp_path / "home").mkdir()
    older = next(number for number, statements in enumerate(MIGRATIONS) if "TABLE messages" in "".join(statements))
    with home.database() as database:
        database.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        for number, statements in enumerate(MIGRATIONS[:older], start=1):
            for statement in statements:
                database.execute(statement)
            database.execute("INSERT INTO schema_version VALUES (?)", (number,))
    task_bus(task).post("INFO", "x")
    assert home.rows() == ["x"]
    assert connect().exec_driver_sql("SELECT MAX(version) FROM schema_version").scalar_one() == len(MIGRATIONS)
