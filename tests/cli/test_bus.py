import json
import select
import subprocess

import pytest

from loops import wait_until
from ralph.store.bus import task_bus
from ralph.testing import TempRepo
from ralph.testing.program import ralph_program, run_ralph

pytestmark = pytest.mark.e2e


class Shell:
    """`ralph bus` in a directory with a task, as its agent starts it."""

    def __init__(self, root):
        self.repo = TempRepo(root)
        self.task = self.repo.path / "task-001"
        self.task.mkdir(parents=True)
        self.repo.home.mkdir()
        self.file = self.task / "TASK-MESSAGE-BUS.md"
        self.env = {"TASK_FOLDER": str(self.task)}

    def __call__(self, *args, env=None, **options):
        return run_ralph(self.repo, "bus", *args, env=self.env if env is None else env, **options)

    def post(self, body, *args, kind="INFO", **options):
        done = self("post", *args, "--type", kind, body, **options)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    def put(self, body, kind="INFO"):
        """Posted in this process, which is quicker."""
        return task_bus(self.task).post(kind, body).id

    def read(self, *args):
        done = self("read", "--json", *args)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    def bodies(self, *args):
        return [message["body"] for message in self.read(*args)]


@pytest.fixture
def bus(tmp_path, monkeypatch):
    shell = Shell(tmp_path)
    monkeypatch.setenv("RALPH_HOME", shell.repo.env["RALPH_HOME"])
    return shell


def refused(done, code, *parts):
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("ralph: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


def test_post_prints_the_id_and_read_the_message(bus):
    posted = bus.post("It works.", kind="FACT", env={**bus.env, "RALPH_RUN_ID": "1a2b3c4d"})
    (message,) = bus.read()
    assert message.pop("ts").endswith("Z")
    about = {"project": bus.repo.path.name, "task": "task-001"}
    assert message == {"id": posted, "type": "FACT", "run": "1a2b3c4d", "body": "It works.", **about}
    shown = bus("read").stdout
    assert shown.startswith("── FACT · 20")
    assert shown.endswith(f" · run 1a2b3c4d · {posted} ──\nIt works.\n")


def test_no_database_is_made_for_a_message(bus):
    bus.post("x")
    assert not (bus.repo.home / ".ralph/ralph.db").exists()


def test_task_directory_can_be_given(bus):
    other = bus.repo.path / "task-002"
    other.mkdir()
    bus.post("here")
    bus.post("there", "--task-dir", "task-002")
    assert bus.bodies() == ["here"]
    assert bus.bodies("--task-dir", str(other)) == ["there"]


def test_projects_bus_lies_beside_the_tasks(bus):
    bus.post("for all", "--project", "--task-dir", str(bus.task), env={})
    assert (bus.repo.path / "PROJECT-MESSAGE-BUS.md").exists()
    assert bus.bodies("--project") == ["for all"]
    assert bus.bodies() == []


def test_dash_reads_the_body_from_standard_input(bus):
    bus.post("-", input="one\n---\nid: two 👍\n\n")
    assert bus.bodies() == ["one\n---\nid: two 👍\n"]


def test_standard_input_may_be_any_bytes(bus):
    subprocess.run(
        [ralph_program(), "bus", "post", "--type", "INFO", "-"],
        env={**bus.repo.env, **bus.env},
        input=b"a\xff\0b",
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert bus.bodies() == ["a\ufffd\ufffdb"]


def test_body_may_begin_with_dashes_after_two_of_them(bus):
    assert bus("post", "--type", "INFO", "--", "--- not an option").returncode == 0
    assert bus.bodies() == ["--- not an option"]


def test_read_selects(bus):
    ids = [bus.put(body, kind) for kind, body in [("INFO", "1"), ("FACT", "2"), ("INFO", "3")]]
    assert bus.bodies("--type", "INFO") == ["1", "3"]
    assert bus.bodies("--since", ids[0]) == ["2", "3"]
    assert bus.bodies("-n", "1") == ["3"]
    assert bus.bodies("-n", "0") == []
    assert bus.bodies("-n", "9", "--type", "FACT") == ["2"]


def test_since_takes_times(bus):
    bus.put("x")
    (message,) = bus.read()
    assert bus.bodies("--since", message["ts"]) == ["x"]
    assert bus.bodies("--since", "10m") == ["x"]
    assert bus.bodies("--since", "2026-02-05") == ["x"]
    assert bus.bodies("--since", "2999-01-01T10:00") == []


def test_empty_bus_is_no_error(bus):
    done = bus("read")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert bus.read() == []


def test_garbage_is_noted_on_standard_error(bus):
    bus.put("before")
    with bus.file.open("a") as file:
        file.write("stray")
    bus.put("after")
    done = bus("read", "--json")
    assert [message["body"] for message in json.loads(done.stdout)] == ["before", "after"]
    assert done.stderr.startswith("ralph: skipped ")
    assert done.stderr.endswith("of the bus: text outside of any message.\n")


@pytest.fixture
def following(bus):
    """`ralph bus read --follow --json` under way."""
    started = []

    def start(*args):
        argv = [ralph_program(), "bus", "read", "--follow", "--json", *args]
        started.append(subprocess.Popen(argv, env={**bus.repo.env, **bus.env}, stdout=subprocess.PIPE, text=True))
        return started[-1].stdout

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("args", "old"), [((), ["1", "2"]), (("-n", "1"), ["2"]), (("--type", "FACT"), [])])
def test_follow_prints_what_is_there_and_what_comes(bus, following, args, old):
    bus.put("1")
    bus.put("2")
    lines = following(*args)
    assert [json.loads(lines.readline())["body"] for _ in old] == old
    bus.post("new", kind="FACT")
    assert json.loads(lines.readline())["body"] == "new"


def test_follow_can_leave_out_what_is_there(bus, following):
    bus.put("old")
    lines = following("-n", "0")

    def heard():
        bus.put("new")
        return select.select([lines], [], [], 0)[0]

    wait_until(heard, "nothing new was printed")
    assert json.loads(lines.readline())["body"] == "new"


def test_writers_of_many_programs_lose_nothing(bus):
    argv = [ralph_program(), "bus", "post", "--type", "INFO"]
    env = {**bus.repo.env, **bus.env}
    started = [subprocess.Popen([*argv, str(n)], env=env, stdout=subprocess.PIPE, text=True) for n in range(6)]
    ids = [process.communicate()[0].strip() for process in started]
    assert sorted(ids) == [message["id"] for message in bus.read()]
    assert sorted(bus.bodies()) == list("012345")


def test_without_a_task_directory_nothing_is_guessed(bus):
    refused(bus("post", "--type", "INFO", "x", env={}), 2, "no task directory was given", "--task-dir", "TASK_FOLDER")
    refused(bus("read", env={}), 2, "no task directory was given")


def test_task_directory_that_is_missing_is_refused(bus):
    refused(bus("post", "--task-dir", "gone", "--type", "INFO", "x"), 2, "there is no task directory gone.")
    refused(bus("read", "--task-dir", "gone"), 2, "there is no task directory gone.")


@pytest.mark.parametrize("body", ["", " \n", "-"])
def test_empty_body_is_refused(bus, body):
    refused(bus("post", "--type", "INFO", body), 2, "the message is empty")
    assert not bus.file.exists()


def test_type_that_is_not_a_word_is_refused(bus):
    refused(bus("post", "--type", "two words", "x"), 2, "the type 'two words' is not a word")
    refused(bus("read", "--type", "a\nb"), 2, "is not a word")


def test_since_that_is_neither_an_id_nor_a_time_is_refused(bus):
    refused(bus("read", "--since", "yesterday"), 2, "'yesterday' is neither a message's id nor a time", "30m")


def test_file_that_cannot_be_used_is_a_clear_line(bus, tmp_path):
    bus.file.symlink_to(tmp_path / "elsewhere")
    refused(bus("post", "--type", "INFO", "x"), 9, "is a symbolic link")
    refused(bus("read"), 9, "is a symbolic link")
    assert not (tmp_path / "elsewhere").exists()
    bus.file.unlink()
    bus.file.mkdir()
    refused(bus("post", "--type", "INFO", "x"), 9, "Is a directory")
    refused(bus("read"), 9, "not a regular file")


def test_post_works_without_a_usable_home(bus):
    bus.repo.home.rmdir()
    bus.repo.home.touch()
    assert bus("post", "--type", "INFO", "x").returncode == 0
    assert bus.bodies() == ["x"]
