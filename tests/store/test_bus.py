import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from loops import wait_until
from ralph.model.errors import ConfigError, StateError
from ralph.store import bus_file
from ralph.store.bus import Bus, Message, project_bus, task_bus
from ralph.store.bus_format import render

POST = """
import sys
from pathlib import Path
from ralph.store.bus import Bus
bus = Bus(Path(sys.argv[1]))
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))


@pytest.fixture
def bus(tmp_path):
    (tmp_path / "task").mkdir()
    return task_bus(tmp_path / "task")


@pytest.fixture
def start(bus):
    """Other processes that have `bus`; they are gone after the test."""
    started = []

    def begin(code):
        process = subprocess.Popen(
            [sys.executable, "-c", POST + code, bus.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def append(bus, data):
    with bus.path.open("ab") as file:
        file.write(data)


def bodies(bus, **options):
    return [message.body for message in bus.read(**options)]


def gaps(bus):
    found = []
    Bus(bus.path, found.append).read()
    return [gap.problem for gap in found]


def test_buses_lie_in_the_task_directory_and_in_its_parent(tmp_path, monkeypatch):
    task = tmp_path / "project/task"
    task.mkdir(parents=True)
    assert task_bus(task).path == task / "TASK-MESSAGE-BUS.md"
    assert project_bus(task).path == tmp_path / "project/PROJECT-MESSAGE-BUS.md"
    monkeypatch.chdir(task)
    assert project_bus(task.relative_to(task)).path == project_bus(task).path


def test_read_gives_what_was_posted_in_order(bus):
    posted = [bus.post("INFO", "one"), bus.post("FACT", "two\n\n---\nthree", run="a1b2"), bus.post("INFO", "four")]
    assert bus.read() == posted
    assert Bus(bus.path).read() == posted
    assert [message.run for message in posted] == ["", "a1b2", ""]
    assert posted[0].id < posted[1].id < posted[2].id
    assert abs(posted[0].ts - time.time()) < 60


def test_read_selects_by_type_and_by_the_id_before(bus):
    first, second, third = bus.post("INFO", "1"), bus.post("FACT", "2"), bus.post("INFO", "3")
    assert bus.read(type="INFO") == [first, third]
    assert bus.read(since=first.id) == [second, third]
    assert bus.read(since=first.id, type="FACT") == [second]
    assert bus.read(since=third.id) == []


def test_bus_that_does_not_exist_yet_is_empty(bus):
    assert bus.read() == []
    assert not bus.path.exists()


def test_first_line_of_the_file_is_front_matter(bus):
    bus.post("INFO", "x")
    assert bus.path.read_text().startswith("---\nid: ")


def test_file_is_its_owners_alone(bus):
    bus.post("INFO", "x")
    assert bus.path.stat().st_mode & 0o777 == 0o600


def test_very_long_body_comes_back(bus):
    body = "line\n---\nid: x\n" * 100_000
    bus.post("INFO", body)
    assert bodies(bus) == [body]


@pytest.mark.parametrize(
    ("kind", "body", "run"), [("", "x", ""), ("a b", "x", ""), ("A", " \n", ""), ("A", "x", "a b")]
)
def test_what_cannot_be_posted_is_refused_before_anything_is_written(bus, kind, body, run):
    with pytest.raises(ConfigError):
        bus.post(kind, body, run)
    assert not bus.path.exists()


def test_ids_rise_when_the_clock_is_stepped_back(bus):
    ahead = Message("29990101T000000.000000Z", "INFO", datetime(2999, 1, 1, tzinfo=UTC).timestamp(), "", "ahead")
    append(bus, render(ahead))
    posted = [bus.post("INFO", "a"), Bus(bus.path).post("INFO", "b"), bus.post("INFO", "c")]
    assert [message.id[-7:] for message in posted] == ["000001Z", "000002Z", "000003Z"]
    assert all(abs(message.ts - time.time()) < 60 for message in posted)
    assert bus.read() == [ahead, *posted]


def test_ids_rise_also_when_the_file_was_taken_away(bus):
    first = bus.post("INFO", "x")
    bus.path.unlink()
    assert bus.post("INFO", "y").id > first.id
    assert bodies(bus) == ["y"]


@pytest.mark.parametrize(
    "garbage", [b"stray text", b"\xff\xfe\0", b"\n---\nid: 2026", b"\n" + render(Message("x", "A", 0.0, "", "y"))]
)
def test_garbage_in_the_middle_is_skipped_with_a_note(bus, garbage):
    bus.post("INFO", "before")
    append(bus, garbage)
    bus.post("INFO", "after")
    assert bodies(bus) == ["before", "after"]
    assert gaps(bus) == ["text outside of any message"]


def test_each_gap_is_told_once(bus):
    told = []
    bus = Bus(bus.path, told.append)
    append(bus, b"one\n")
    bus.post("INFO", "x")
    append(bus, b"four\n")
    bus.read()
    bus.post("INFO", "y")
    with closing(bus.follow()) as messages:
        assert [next(messages).body, next(messages).body] == ["x", "y"]
    assert [(gap.offset, gap.size) for gap in told] == [(0, 5), (bus.path.read_bytes().index(b"\nfour"), 6)]


def test_two_killed_writers_cost_only_their_own_messages(bus):
    bus.post("INFO", "before")
    for number in (1, 2):
        torn = render(Message(f"20260205T100000.00000{number}Z", "INFO", 0.0, "", "never finished"))
        append(bus, b"\n" + torn[: -10 * number])
    bus.post("INFO", "after")
    assert bodies(bus) == ["before", "after"]
    assert gaps(bus) == ["an unfinished message"] * 2


def test_writers_that_are_killed_while_they_append_damage_nothing(bus, start):
    bus.post("INFO", "before")
    for number in (1, 2):
        size = bus.path.stat().st_size
        writer = start("while True: bus.post('INFO', 'x' * (1 << 25))")
        wait_until(lambda size=size: bus.path.stat().st_size > size, "nothing was written")
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        bus.post("INFO", f"after {number}")
    found = bodies(bus)
    assert [body for body in found if body[0] != "x"] == ["before", "after 1", "after 2"]
    assert {len(body) for body in found if body[0] == "x"} <= {1 << 25}
    assert len(gaps(bus)) <= 2


def test_writer_that_finds_no_room_says_so_and_damages_nothing(bus, start):
    bus.post("INFO", "before")
    limit = bus.path.stat().st_size + 200
    full = start(
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); bus.post('INFO', 'x' * 999)"
    )
    assert f"StateError: cannot write {bus.path}: File too large." in full.communicate()[1]
    assert bus.path.stat().st_size == limit
    bus.post("INFO", "after")
    assert bodies(bus) == ["before", "after"]
    assert gaps(bus) == ["an unfinished message"]


def test_link_is_not_followed(bus, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    bus.path.symlink_to(elsewhere)
    for use in (bus.read, lambda: bus.post("INFO", "x")):
        with pytest.raises(StateError, match="is a symbolic link"):
            use()
    assert elsewhere.read_text() == "mine"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_refused_at_once(bus, make):
    make(bus.path)
    for use in (bus.read, lambda: bus.post("INFO", "x")):
        with pytest.raises(StateError):
            use()


def test_directory_that_is_gone_is_an_error_for_the_writer(bus):
    bus.path.parent.rmdir()
    with pytest.raises(StateError, match="No such file or directory"):
        bus.post("INFO", "x")
    assert bus.read() == []


def test_writer_gives_up_when_another_process_keeps_the_file(bus, start, monkeypatch):
    bus.post("INFO", "x")
    holder = start("from ralph.store.bus_file import locked\nwith locked(bus.path): print('held', flush=True); input()")
    assert holder.stdout.readline() == "held\n"
    monkeypatch.setattr(bus_file, "PATIENCE", 0.05)
    with pytest.raises(StateError, match="another process has held"):
        bus.post("INFO", "y")
    assert bodies(bus) == ["x"]


def test_writer_that_waited_writes_to_the_file_that_is_there_now(bus, tmp_path):
    open_files = Path("/proc/self/fd")

    def waiting():
        return sum(os.path.realpath(link) == str(bus.path) for link in open_files.iterdir())

    if not open_files.is_dir():
        pytest.skip("there is no /proc here to see a waiting writer")
    bus.post("INFO", "old")
    writer = threading.Thread(target=Bus(bus.path).post, args=("INFO", "new"))
    with bus_file.locked(bus.path):
        writer.start()
        wait_until(lambda: waiting() == 2, "the writer does not wait")
        (tmp_path / "other").write_bytes(render(Message("20260205T100000.000001Z", "INFO", 0.0, "", "other")))
        (tmp_path / "other").replace(bus.path)
    writer.join()
    assert bodies(bus) == ["other", "new"]


def test_news_are_everything_at_first_and_then_only_what_came(bus, start):
    assert bus.news() == []
    first = bus.post("INFO", "1")
    other = Bus(bus.path)
    second, third, fourth = other.post("INFO", "2"), bus.post("INFO", "3"), other.post("INFO", "4")
    assert bus.news() == [first, second, third, fourth]
    assert bus.news() == []
    start("bus.post('FACT', 'from another process')").wait()
    assert [message.body for message in bus.news()] == ["from another process"]
    assert bus.news() == []
    assert other.news() == Bus(bus.path).news() == bus.read()


def test_news_hold_each_message_once_also_behind_garbage_and_what_a_killed_writer_left(bus):
    bus.post("INFO", "1")
    assert len(bus.news()) == 1
    for number, garbage in enumerate(
        [b"x", b"stray\n", b"\n" + render(Message("20990101T000000.000000Z", "A", 0.0, "", "y"))[:-9]]
    ):
        append(bus, garbage)
        own = bus.post("INFO", f"after {number}")
        append(bus, garbage)
        other = Bus(bus.path).post("INFO", f"and then {number}")
        assert bus.news() == [own, other]
    assert bus.news() == []


def test_news_begin_again_when_the_file_is_another(bus):
    first = bus.post("INFO", "1")
    assert bus.news() == [first]
    copy = bus.path.with_suffix(".copy")
    copy.write_bytes(bus.path.read_bytes())
    copy.replace(bus.path)
    assert bus.news() == [first]
    bus.path.unlink()
    assert bus.news() == []
    second = bus.post("INFO", "2")
    assert bus.news() == [second]


def test_gap_that_a_writer_passes_is_told_once(bus):
    told = []
    bus = Bus(bus.path, told.append)
    assert bus.news() == []
    append(bus, b"stray text\n")
    message = bus.post("INFO", "x")
    assert bus.news() == bus.read() == [message]
    assert [gap.offset for gap in told] == [0]


def test_message_that_another_writes_without_asking_is_news_too(bus, monkeypatch):
    """Not every program takes the lock: a person appends with an editor while ralph writes."""
    bus.post("INFO", "1")
    bus.news()
    theirs = Message("20990101T000000.000000Z", "wait", 0.0, "", "for me")
    real = bus_file.write_all

    def late(file, data):
        append(bus, b"\n" + render(theirs))
        real(file, data)

    with monkeypatch.context() as patched:
        patched.setattr(bus_file, "write_all", late)
        bus.post("INFO", "2")
    assert theirs in bus.news()


def test_follow_gives_what_is_there_and_what_another_process_posts(bus, start):
    first = bus.post("INFO", "first")
    with closing(bus.follow()) as messages:
        assert next(messages) == first
        start("bus.post('INFO', 'second'); bus.post('FACT', 'third')")
        assert [next(messages).body, next(messages).body] == ["second", "third"]


def test_follow_waits_for_a_file_that_is_not_there_yet(bus, start):
    start("bus.post('INFO', 'ignored'); bus.post('FACT', 'x')")
    with closing(bus.follow(type="FACT")) as messages:
        assert next(messages).body == "x"


def test_follow_begins_after_an_id(bus):
    first, second = bus.post("INFO", "1"), bus.post("INFO", "2")
    with closing(bus.follow(since=first.id)) as messages:
        assert next(messages) == second


def test_follow_gives_no_message_twice_when_the_file_is_written_anew(bus, start):
    with closing(bus.follow()) as messages:
        first = bus.post("INFO", "1")
        assert next(messages) == first
        copy = bus.path.with_suffix(".copy")
        copy.write_bytes(bus.path.read_bytes())
        copy.replace(bus.path)
        start("bus.post('INFO', '2')")
        assert next(messages).body == "2"
        bus.path.unlink()
        start("bus.post('INFO', '3')")
        assert next(messages).body == "3"


def test_follow_waits_for_the_rest_of_a_message(bus):
    message = Message("20260205T100000.000001Z", "INFO", 0.0, "", "slowly")
    text = render(message)
    append(bus, text[:-20])
    finish = threading.Timer(0.2, append, (bus, text[-20:]))
    with closing(bus.follow()) as messages:
        finish.start()
        assert next(messages) == message
    finish.join()


@pytest.mark.parametrize("instead", [lambda _: None, Path.touch], ids=["nothing", "a file"])
def test_follow_ends_when_the_directory_is_gone(bus, instead):
    bus.post("INFO", "x")
    with closing(bus.follow()) as messages:
        next(messages)
        bus.path.unlink()
        bus.path.parent.rmdir()
        instead(bus.path.parent)
        with pytest.raises(StateError, match=r"is gone|Not a directory"):
            next(messages)


def test_follow_does_not_spin(bus):
    bus.post("INFO", "first")
    late = threading.Timer(0.6, Bus(bus.path).post, ("INFO", "late"))
    with closing(bus.follow()) as messages:
        next(messages)
        late.start()
        began = time.thread_time()
        assert next(messages).body == "late"
        assert time.thread_time() - began < 0.2
    late.join()
