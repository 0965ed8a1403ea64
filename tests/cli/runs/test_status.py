import json
import os
import re
import signal
import subprocess
from contextlib import contextmanager

import pytest

from loops import NAMED, PATIENCE, wait_until, waits
from ralph.testing import done, says
from ralph.testing.program import ralph_program
from run_trees import nest, status, wait_for_file
from stored_runs import StoredRuns


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def plain(text):
    return re.sub(r"\d+\.\d+s", "Ns", text)


# Once


def test_nothing_has_run_yet(loop):
    assert loop.ralph("status").out == 'Nothing has run here yet. Start: ralph run -p "..."\n'
    assert status(loop) == []


def test_an_unknown_run_is_an_error(loop):
    ended = loop.ralph("status", "abc")
    assert ended.code == 2
    assert "there is no run 'abc'" in ended.err


def test_what_ran_last_when_nothing_runs(loop):
    loop(says("hm") | {"cost": 0.5, "tokens": {"input": 2000}}, done(), maximumIterations=4)
    run = status(loop)[0]["id"]
    first, line = loop.ralph("status").out.splitlines()
    assert first == "Nothing runs now. The last run:"
    facts = f"{NAMED} · 2 iterations of 4 · $0.5 · 2K tokens · ended just now"
    assert line == f"{run}  verified       {facts} · done by the agent's word after 2 iterations; nothing was checked"


def test_what_runs_and_what_it_is_doing(loop):
    loop.prepare(says("one"), {"run": waits()} | done(), guardrails=[{"command": "test -e ready"}])
    with loop.start() as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        first, second = plain(loop.ralph("status").out).splitlines()
    assert first == f"{run}  running        {NAMED} · iteration 2/10 · agent for Ns · started just now"
    assert second == "          last: guardrail test -e ready: exit code 1"


def test_a_wait_says_until_when(loop):
    loop.prepare({"is_error": 429, "final": "API Error: 429 rate limit", "exit": 1}, quota={"initialWait": 600})
    with loop.start():
        wait_until(lambda: [run["status"] for run in status(loop)] == ["waiting"], "it never waited")
        line, _ = loop.ralph("status").out.splitlines()
    doing = r"waiting: API Error: 429 rate limit, until \d\d:\d\d:\d\d"
    assert re.search(rf"  waiting +{NAMED} · iteration 1/10 · {doing} · started just now$", line)


def test_a_run_that_died_without_a_word_can_be_resumed(loop, store):
    run = store.killed(loop.repo.path)
    assert f"{run}  interrupted " in (out := loop.ralph("status").out)
    assert out.endswith(f"its process died. Continue: ralph resume {run}\n")


def test_all_projects_are_named_with_all(loop, store, tmp_path):
    store.add(tmp_path / "other")
    assert "Nothing has run here yet" in loop.ralph("status").out
    assert f" · {tmp_path}/other · done by the agent's word" in loop.ralph("status", "--all").out


def test_many_lines_of_a_command_become_one(loop):
    loop.prepare(done(), guardrails=[{"command": f"true\n\n{waits()}"}])
    with loop.start() as running:
        running.wait_for("ready")
        (line,) = loop.ralph("status").out.splitlines()
    assert "· guardrail true touch ready;" in line


# The tree


@pytest.fixture
def family(loop, store):
    """A run with two children, the first of which has one, too."""
    top = store.add(loop.repo.path, age=400)
    first = store.add(loop.repo.path, parent=top, age=300)
    grandchild = store.add(loop.repo.path, parent=first, age=200)
    second = store.add(loop.repo.path, parent=top, age=100)
    return top, first, grandchild, second


def drawn(loop, *args, env=None):
    return [line.partition("  verified")[0] for line in loop.ralph("status", *args, env=env).out.splitlines()]


def test_the_tree_is_drawn_with_lines(loop, family):
    top, first, grandchild, second = family
    assert drawn(loop, "--tree") == [top, f"├─ {first}", f"│  └─ {grandchild}", f"└─ {second}"]


def test_a_terminal_without_such_lines_gets_others(loop, family):
    top, first, grandchild, second = family
    lines = drawn(loop, "--tree", env={"PYTHONIOENCODING": "ascii"})
    assert lines == [top, f"|- {first}", f"|  `- {grandchild}", f"`- {second}"]


def test_one_run_is_drawn_with_what_is_below_it(loop, family):
    _, first, grandchild, _ = family
    assert drawn(loop, first) == [first, f"└─ {grandchild}"]


def test_of_many_children_that_are_over_the_latest_are_drawn(loop, store):
    top = store.add(loop.repo.path, age=400)
    children = [store.add(loop.repo.path, parent=top, age=300 - number) for number in range(12)]
    lines = drawn(loop, "--tree")
    assert lines[1] == "├─ 2 earlier runs, all ended"
    assert [line.split()[1] for line in lines[2:]] == children[2:]
    assert len(status(loop)[0]["children"]) == 12


def test_runs_of_three_levels_while_they_run(loop):
    *_, deepest = nest(loop, {"run": waits()} | done())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        listed = loop.ralph("status").out.splitlines()
        tree = loop.ralph("status", "--tree").out.splitlines()
        (deepest / "go").touch()
        assert running.end().code == 0
    assert [line.split()[1] for line in listed] == ["running"] * 3
    assert [re.sub(r"[0-9a-f.]+ .*", "", line) for line in tree] == ["", "└─ ", "   └─ "]
    assert f" · {deepest}" in tree[2]


# Watching


class Watching:
    """`ralph status --watch` as a process of its own, its output in a file or, if wanted, on a terminal."""

    def __init__(self, loop, *args, terminal=False, env=None):
        self._file = loop.repo.home / "watched"
        self._screen = b""
        self._master, slave = os.openpty() if terminal else (None, None)
        with self._file.open("wb") as file:
            self.process = subprocess.Popen(
                [ralph_program(), "status", "--watch", *args],
                cwd=loop.repo.path,
                env={**loop.repo.env, "TERM": "xterm", **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=file if slave is None else slave,
                stderr=subprocess.STDOUT,
            )
        if slave is not None:
            os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        if self._master is not None:
            os.close(self._master)

    @property
    def out(self):
        if self._master is None:
            return self._file.read_text()
        return self._screen.decode()

    def wait_for(self, text):
        wait_until(lambda: self.read() or text in self.out, f"{text!r} was not shown")

    def end(self):
        wait_until(lambda: self.read() or self.process.poll() is not None, "it did not end")
        self.read()
        return self.process.returncode

    def read(self):
        if self._master is not None:
            os.set_blocking(self._master, False)
            try:
                self._screen += os.read(self._master, 1 << 16)
            except OSError:
                # Nothing there at the moment, or nobody any more.
                return


@contextmanager
def started(loop):
    """A run that waits in its agent."""
    with loop.start() as running:
        running.wait_for("ready")
        yield running


def test_watching_ends_at_once_when_nothing_runs(loop):
    loop(done())
    with Watching(loop) as watching:
        assert watching.end() == 0
    assert " verified " in watching.out


def test_each_change_is_a_line_until_nothing_runs_any_more(loop):
    loop.prepare({"run": waits()} | done(), guardrails=[{"command": waits("second", "go2")}])
    with started(loop) as running, Watching(loop) as watching:
        watching.wait_for("· agent\n")
        loop.repo.write("go", "")
        watching.wait_for("· guardrail touch second;")
        loop.repo.write("go2", "")
        assert running.end().code == 0
        assert watching.end() == 0
    lines = [re.sub(r"^\d\d:\d\d:\d\d  [0-9a-f]{8}  ", "", line) for line in watching.out.splitlines()]
    assert lines[0] == f"running        {NAMED} · iteration 1/10 · agent"
    assert lines[-1] == f"verified       {NAMED} · 1 iteration of 10 · proven done after 1 iteration"
    assert len(lines) == len(set(lines)), "nothing is said twice"


def test_changes_as_json_lines(loop):
    loop.prepare({"run": waits()} | done())
    with started(loop) as running, Watching(loop, "--json") as watching:
        watching.wait_for('"doing": "agent"')
        loop.repo.write("go", "")
        assert running.end().code == 0
        assert watching.end() == 0
    first, *_, last = map(json.loads, watching.out.splitlines())
    assert (first[0]["status"], last[0]["verdict"]) == ("running", "verified")


@pytest.mark.parametrize("terminal", [True, False])
def test_ctrl_c_ends_the_watching_and_not_the_run(loop, terminal):
    loop.prepare({"run": waits()} | done())
    with started(loop) as running, Watching(loop, terminal=terminal) as watching:
        watching.wait_for("agent")
        watching.process.send_signal(signal.SIGINT)
        assert watching.end() == 0
        assert "Aborted" not in watching.out
        loop.repo.write("go", "")
        assert running.end().code == 0


def test_a_terminal_is_refreshed_in_place(loop):
    loop.prepare({"run": waits()} | done())
    with started(loop) as running, Watching(loop, terminal=True) as watching:
        wait_until(lambda: watching.read() or watching.out.count("agent for") > 2, "it was not refreshed")
        loop.repo.write("go", "")
        assert running.end().code == 0
        assert watching.end() == 0
    assert "\x1b[2K" in watching.out, "lines are written over"
    assert "\x1b[32mrunning" in watching.out
    assert "Nothing runs now" in watching.out.rpartition("agent for")[2]


def test_no_color_is_heard(loop):
    loop(done())
    with Watching(loop, terminal=True, env={"NO_COLOR": "1"}) as watching:
        assert watching.end() == 0
    assert "verified" in watching.out
    assert "\x1b[32m" not in watching.out


def test_watching_one_run_ends_with_it(loop, store):
    """Another one goes on."""
    over = store.add(loop.repo.path)
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        with Watching(loop, over) as watching:
            assert watching.process.wait(PATIENCE) == 0
        loop.repo.write("go", "")
        assert running.end().code == 0
    (line,) = watching.out.splitlines()
    assert over in line
