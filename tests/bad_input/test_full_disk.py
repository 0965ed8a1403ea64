"""A disk that fills up while ralph writes to it: one line, nothing lost, and the run goes on when there is room."""

import subprocess
from pathlib import Path

import pytest

from loops import PROMPT, is_alive
from mounts import mounted
from ralph.testing import done, edits
from ralph.testing.program import ralph_program
from refusals import one_clear_line

pytestmark = pytest.mark.e2e

MEGABYTE = 1_000_000
FULL = Path("/dev/full")


@pytest.fixture
def home(loop):
    with mounted(loop.repo.home / ".ralph", "4m") as disk:
        yield disk


@pytest.fixture
def state(loop):
    with mounted(loop.repo.path / ".ralph") as disk:
        yield disk


def attempts(run):
    return [(each["number"], each["attempt"]) for each in run["iterations"]]


def stream(loop, run, name):
    return (loop.repo.path / f".ralph/runs/{run['id']}/{name}/stream.ndjson").read_bytes()


def test_full_while_journaling(loop, home):
    # A new prompt of 300 KB in each iteration: the journal keeps every one of them.
    grows = {"run": "head -c 300000 /dev/urandom | base64 -w0 > PROMPT.md", "append": {"work.txt": "one\n"}, "cost": 1}
    loop.repo.write("PROMPT.md", PROMPT)
    ended = loop(
        *[grows] * 10, {"append": {"work.txt": "one\n"}, "cost": 1} | done(),
        args=("--quiet", "-f", "PROMPT.md"), scripted={"advance": "end"}, maximumIterations=100,
    )  # fmt: skip
    one_clear_line(ended, 9, "cannot write the database", "full", "free some space, then ralph resume")
    finished = loop.repo.read("work.txt").count("one\n")
    assert 1 < finished < 10

    home.resize("100m")
    before = loop.show()
    assert before["status"] == "interrupted"
    ended = loop.ralph("resume", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    run = loop.show()
    numbers = [each["number"] for each in run["iterations"]]
    assert (run["verdict"], sorted(set(numbers))) == ("verified", list(range(1, max(numbers) + 1)))
    # Every start is there: what was finished when the disk was full, and what came after it.
    shown = [action for each in run["iterations"] for action in each["actions"] if action["kind"] == "run-agent"]
    assert len(shown) == len(loop.agent.starts) == loop.repo.read("work.txt").count("one\n")


def test_full_while_an_agent_prints(loop, state):
    flood = edits({"work.txt": "kept"}) | {"flood": {"bytes": 30 * MEGABYTE}} | done()
    ended = loop(flood, args=("--quiet", "-p", PROMPT), scripted={"advance": "end"})
    one_clear_line(ended, 9, "No space left on device", "ralph resume")
    assert loop.repo.read("work.txt") == "kept"
    assert not is_alive(loop.agent.starts[0].pid)
    first = stream(loop, loop.show(), "iteration-1")
    assert first.startswith(b'{"type":"system"')
    assert len(first) > 5 * MEGABYTE

    state.resize("100m")
    ended = loop.ralph("resume", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    run = loop.show()
    assert (run["verdict"], attempts(run)) == ("verified", [(1, 1), (1, 2)])
    assert "No space left" in run["iterations"][0]["actions"][0]["error"]
    assert stream(loop, run, "iteration-1") == first
    assert len(stream(loop, run, "iteration-1.2")) > 30 * MEGABYTE


def test_full_before_the_agent_says_anything(loop, state):
    step = edits({"work.txt": "kept"}) | {"run": "cat /dev/zero > .ralph/filler"}
    ended = loop(step, done(), args=("--quiet", "-p", PROMPT))
    one_clear_line(ended, 9, "No space left on device", "ralph resume")
    assert len(loop.agent.starts) == 2
    (state.place / "filler").unlink()
    assert loop.ralph("resume", "--quiet").code == 0
    assert loop.show()["verdict"] == "verified"
    assert len(loop.agent.starts) == 3
    assert loop.repo.read("work.txt") == "kept"


def test_a_home_that_is_full_from_the_beginning(loop, home):
    home.fill()
    one_clear_line(loop(done(), args=("--quiet", "-p", PROMPT)), 9, "full")
    assert loop.agent.starts == []


def test_a_project_that_is_full_from_the_beginning(loop, state):
    loop.prepare(done())
    state.fill()
    one_clear_line(loop.ralph("run", "--quiet", "-p", PROMPT), 9, "No space left on device")
    assert loop.agent.starts == []


def test_a_home_that_is_full_cannot_be_looked_at_either(loop, home):
    loop(done(), args=("--quiet", "-p", PROMPT))
    home.fill()
    one_clear_line(loop.ralph("show"), 9, "full")
    (home.place / "filler").unlink()
    assert loop.show()["verdict"] == "verified"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("args", [(), ("--verbose",)])
def test_a_screen_that_is_a_full_disk_stops_no_run(loop, args):
    loop.prepare(edits({"work.txt": "kept"}) | done())
    with FULL.open("wb") as full:
        code = subprocess.run(
            [ralph_program(), "run", "-p", PROMPT, *args],
            cwd=loop.repo.path,
            env=loop.repo.env,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=full,
            check=False,
            timeout=60,
        ).returncode
    assert code == 0
    assert loop.show()["verdict"] == "verified"
    assert loop.repo.read("work.txt") == "kept"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", [("runs",), ("show",), ("status",), ("run", "--help"), ("--version",)])
def test_a_command_whose_output_has_no_room_says_so(loop, command):
    loop(done(), args=("--quiet", "-p", PROMPT))
    with FULL.open("wb") as full:
        ended = subprocess.run(
            [ralph_program(), *command], cwd=loop.repo.path, env=loop.repo.env, stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert ended.returncode == 9
    assert ended.stderr == "ralph: cannot continue: No space left on device. Fix that, then try again.\n"


@pytest.mark.parametrize("command", ["runs", "show", "status", "config show", "--version"])
def test_a_command_without_a_standard_output_ends_as_usual(loop, command):
    loop(done(), args=("--quiet", "-p", PROMPT))
    script = f'exec "{ralph_program()}" {command} >&-'
    ended = subprocess.run(
        ["sh", "-c", script], cwd=loop.repo.path, env=loop.repo.env, stderr=subprocess.PIPE, text=True, check=False
    )
    assert ended.stderr == ""
    assert ended.returncode == 0
