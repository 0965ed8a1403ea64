"""What agents said: read from their streams, when it came, and only what is new."""

import os
import threading
import time

import pytest

from many_runs import CountingStore, rows_sql, run_sql, worked
from ralph.app.runs.log_streams import Offsets
from ralph.app.runs.logs import LogReader, Place, pieces
from ralph.model.events import Text
from ralph.store.follow import PAGE, last_id, news
from ralph.store.journal import rows_of
from ralph.store.projects import project_at
from ralph.store.runs import find_run
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore

RUN = "0a0a0a0a"
ALIVE = {
    "status": "running",
    "verdict": None,
    "ended_at": None,
    "owner": '{"host": "far away", "boot": "", "pid_namespace": "", "pid": 1, "since": 1.0}',
    "until": 1e12,
}
TAKEN = ("taken", "", {})


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as store:
        yield store


@pytest.fixture
def project(store, tmp_path):
    return project_at(store, tmp_path).id


def stream(tmp_path, run_id, iteration, text, mode="wb"):
    file = tmp_path / f".ralph/runs/{run_id}/iteration-{iteration}/stream.ndjson"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open(mode) as out:
        out.write(text.encode())
    return file


def append(store, run_id, *rows):
    """Rows behind those that are there."""
    there = len(rows_of(store, run_id))
    made = rows_sql(run_id, *([TAKEN] * there), *rows)[there:]
    store.write(*made)


def heard(found):
    return [said.event.text.rstrip("\n") for piece in found for said in piece.events if isinstance(said.event, Text)]


def test_all_streams_of_a_run_and_its_parts_but_not_of_runs_that_agents_started(store, project, tmp_path):
    for number, name in enumerate(["", ".part", ".0123abcd", ".0123abcd.part"]):
        run = f"{RUN}{name}"
        is_part = int(name.endswith(".part"))
        store.write(
            run_sql(run, project, is_part=is_part, started=float(number)), *rows_sql(run, TAKEN, *worked(run, 1))
        )
        stream(tmp_path, run, 1, f"said in {name or 'the whole'}\n")
    found = list(pieces(store, find_run(store, RUN), follow=False))
    assert heard(found) == ["said in the whole", "said in .part"]
    assert {piece.source.run.id for piece in found} == {RUN, f"{RUN}.part"}
    assert b"".join(piece.raw for piece in found) == b"said in the whole\nsaid in .part\n"


def test_a_format_that_is_not_known_is_plain_text(store, project, tmp_path):
    begun, ended = worked(RUN, 1)
    body = {**begun[2]["body"], "do": "dream"}
    body["stream"] = {**body["stream"], "format": "morse", "pace": "slow"}
    dream = ("begun", "dream/1", {**begun[2], "body": body})
    store.write(run_sql(RUN, project, recipe="dreams"), *rows_sql(RUN, TAKEN, dream, ("ended", "dream/1", ended[2])))
    stream(tmp_path, RUN, 1, '{"type": "-.-."}\n')
    assert heard(pieces(store, find_run(store, RUN), follow=False)) == ['{"type": "-.-."}']


@pytest.mark.parametrize("told", [{"stream": "not as we know it"}, {"stream": None}, {}, [1], "text"])
def test_an_action_that_tells_of_no_stream_has_none(store, project, told):
    begun = ("begun", "run-agent/1", {"line": "agent", "mark": "head", "body": told})
    store.write(run_sql(RUN, project), *rows_sql(RUN, TAKEN, begun))
    assert list(pieces(store, find_run(store, RUN), follow=False)) == []


@pytest.mark.parametrize("trick", ["a link", "a pipe"])
def test_what_an_agent_puts_in_the_place_of_its_stream_is_not_read(store, project, tmp_path, trick):
    store.write(run_sql(RUN, project), *rows_sql(RUN, TAKEN, *worked(RUN, 1)))
    file = stream(tmp_path, RUN, 1, "")
    file.unlink()
    if trick == "a link":
        (tmp_path / "secret").write_text("do not tell\n")
        file.symlink_to(tmp_path / "secret")
    else:
        os.mkfifo(file)
    assert not any(piece.raw or piece.events for piece in pieces(store, find_run(store, RUN), follow=False))


# When


def test_each_event_has_the_time_it_came(store, project, tmp_path):
    begun, ended = worked(RUN, 1)
    noted = ("noted", "run-agent/1", {"body": {"arrived": [[4, 100.0], [9, 101.0]]}})
    store.write(run_sql(RUN, project), *rows_sql(RUN, TAKEN, begun, noted, ended, at=200.0))
    stream(tmp_path, RUN, 1, "one\ntwo\nthree\nfour\n")
    found = [
        (said.event.text, said.at)
        for piece in pieces(store, find_run(store, RUN), follow=False)
        for said in piece.events
    ]
    # The second mark was made in the middle of a line: what is whole by then came by then.
    assert found == [("one\n", 100.0), ("two\n", 101.0), ("three\nfour\n", 204.0)]


def test_what_a_killed_agent_said_came_no_later_than_what_is_known_of_it(store, project, tmp_path):
    begun, _ = worked(RUN, 1)
    store.write(run_sql(RUN, project, status="interrupted"), *rows_sql(RUN, TAKEN, begun, at=200.0))
    stream(tmp_path, RUN, 1, "half a li")
    [said] = [said for piece in pieces(store, find_run(store, RUN), follow=False) for said in piece.events]
    assert (said.event.text, said.at) == ("half a li", 202.0)


# Following


@pytest.fixture
def live(store, project, tmp_path):
    """A run whose agent is at work, and somebody who reads along."""
    begun, _ = worked(RUN, 1)
    store.write(run_sql(RUN, project, **ALIVE), *rows_sql(RUN, TAKEN, begun))
    stream(tmp_path, RUN, 1, "one\nhalf")
    return find_run(store, RUN)


def test_a_line_that_is_still_being_written_is_waited_for(store, live, tmp_path):
    reader = LogReader(store, live)
    assert heard(reader.look(reader.past(), is_live=True)) == ["one"]
    assert heard(reader.look([], is_live=True)) == []
    stream(tmp_path, RUN, 1, " a line\nnext", "ab")
    assert heard(reader.look([], is_live=True)) == ["half a line"]
    assert heard(reader.look([], is_live=False)) == ["next"]


def test_a_very_long_line_is_one_event(store, live, tmp_path):
    stream(tmp_path, RUN, 1, "x" * 3_000_000 + "\n")
    assert [len(text) for text in heard(pieces(store, live, follow=False))] == [3_000_000]


def test_reading_goes_on_from_a_place(store, live, tmp_path):
    reader = LogReader(store, live)
    list(reader.look(reader.past(), is_live=True))
    place = reader.place
    assert (place.row, dict(place.offsets)) == (last_id(store), {2: Offsets(len("one\n"))})
    stream(tmp_path, RUN, 1, " a line\n", "ab")
    later = LogReader(store, live, Place(place.row, place.offsets))
    assert heard(later.look(later.past(), is_live=True)) == ["half a line"]


def test_a_stream_that_a_killed_driver_left_is_over_when_another_takes_the_run(store, live, tmp_path):
    reader = LogReader(store, live)
    list(reader.look(reader.past(), is_live=True))
    begun, _ = worked(RUN, 2)
    append(store, RUN, TAKEN, begun)
    stream(tmp_path, RUN, 2, "again\n")
    assert heard(reader.look(news(store, reader.place.row, RUN), is_live=True)) == ["half", "again"]
    assert len(reader.place.offsets) == 1


def test_following_ends_with_the_run_and_misses_nothing(store, live, tmp_path):
    """More rows than one page come with the end."""
    _, ended = worked(RUN, 1)

    def work():
        time.sleep(0.3)
        with SqliteStore(tmp_path / "home") as mine:
            stream(tmp_path, RUN, 1, " a line\nlast", "ab")
            steps = [step for number in range(2, PAGE // 2 + 9) for step in worked(RUN, number)]
            stream(tmp_path, RUN, PAGE // 2 + 8, "the end\n")
            append(mine, RUN, ended, *steps)
            mine.write(Sql("UPDATE runs SET status = 'ended', owner = NULL WHERE id = :id", {"id": RUN}))

    worker = threading.Thread(target=work)
    worker.start()
    # Lines of plain text that are read together are one event.
    lines = "\n".join(heard(pieces(store, live, follow=True))).splitlines()
    assert lines == ["one", "half a line", "last", "the end"]
    worker.join()


def test_a_part_that_begins_later_is_followed_too(store, live, project, tmp_path):
    reader = LogReader(store, live)
    list(reader.look(reader.past(), is_live=True))
    for name, is_part in ((f"{RUN}.part", 1), (f"{RUN}.0123abcd", 0)):
        store.write(run_sql(name, project, **ALIVE, is_part=is_part), *rows_sql(name, TAKEN, *worked(name, 1)))
        stream(tmp_path, name, 1, f"I am {name}\n")
    assert heard(reader.look(news(store, reader.place.row, RUN), is_live=True)) == [f"I am {RUN}.part"]


def test_a_look_at_a_run_of_2000_iterations_reads_only_what_is_new(store, project, tmp_path, monkeypatch):
    steps = [step for number in range(1, 2001) for step in worked(RUN, number)]
    begun, _ = worked(RUN, 2001)
    store.write(run_sql(RUN, project, **ALIVE), *rows_sql(RUN, TAKEN, *steps, begun))
    stream(tmp_path, RUN, 2001, "one\n")
    counting = CountingStore(store)
    reader = LogReader(counting, find_run(store, RUN))
    list(reader.look(reader.past(), is_live=True))
    counting.statements.clear()
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: opened.append(str(path)) or real(path, *rest))
    assert list(reader.look(news(counting, reader.place.row, RUN), is_live=True)) == []
    assert len(counting.statements) == 1
    folder = f"{RUN}/iteration-2001"
    assert [path.rpartition("runs/")[2] for path in opened] == [f"{folder}/stderr.log", f"{folder}/stream.ndjson"]
    plan = store.read(f"EXPLAIN QUERY PLAN {counting.statements[0][0]}", **counting.statements[0][1])
    assert "rowid>?" in plan[0]["detail"]
