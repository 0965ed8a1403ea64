"""Cancelling with real processes: whatever the run and its agents do, nothing of them is left."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from loops import is_alive, wait_until, waits
from ralph.proc.identity import started
from ralph.testing import done, edits, hangs, says
from ralph.testing.program import ralph_program
from run_trees import chain, nest, status, wait_for_file
from stored_runs import StoredRuns

pytestmark = pytest.mark.e2e

READY = edits({"ready": ""})
SURVIVOR = {"spawn": {"command": "trap '' TERM INT HUP; echo $$ > survivor; while :; do sleep 1; done", "setsid": True}}
NOBODY = 65534


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def cancel(loop, run, *args):
    ended = loop.ralph("cancel", run, *args)
    assert ended.code == 0, ended.err
    return ended.out


def state(store, run):
    row = store.row(run)
    return row["status"], row["verdict"], row["exit_code"]


CANCELLED = ("interrupted", "cancelled", 130)


def test_a_run_is_asked_and_finishes_what_it_is_doing(loop, store):
    loop.prepare({"run": waits()} | says("my last word"), done())
    with loop.start() as running, cancelling(loop) as run:
        wait_until(lambda: "Received signal" in running.err, "the run was not asked")
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.code == 130
    assert "my last word" in ended.out
    assert state(store, run) == CANCELLED
    assert "stopped by SIGTERM" in store.row(run)["reason"]


@contextmanager
def cancelling(loop, *args):
    """While `ralph cancel` waits for the loop's run. It must end well."""
    wait_until(lambda: loop.exists("ready"), "the agent did not begin")
    run = status(loop)[0]["id"]
    argv = [ralph_program(), "cancel", run, "--grace", "60s", *args]
    process = subprocess.Popen(argv, cwd=loop.repo.path, env=loop.repo.env, stdout=subprocess.PIPE, text=True)
    try:
        yield run
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (
        0,
        f"{run} is cancelled: it stopped when asked. Continue it: ralph resume {run}\n",
    )


@pytest.mark.parametrize("how", [("--now",), ("--grace", "0.3")], ids=["at once", "after the grace period"])
def test_an_agent_that_goes_on_is_stopped_with_all_that_it_started(loop, store, how):
    agent = loop.prepare(SURVIVOR | READY | hangs(hard=True), done())
    with loop.start() as running:
        running.wait_for("ready")
        running.wait_for("survivor")
        run = status(loop)[0]["id"]
        out = cancel(loop, run, *how)
        assert running.end().code == 130
    assert "it was stopped by force" in out
    assert not is_alive(agent.starts[0].pid)
    assert not is_alive(int(loop.repo.read("survivor")))
    assert state(store, run) == CANCELLED


def test_a_cancelled_run_can_be_resumed(loop):
    loop.prepare(READY | hangs(), done())
    with loop.start() as running:
        running.wait_for("ready")
        cancel(loop, status(loop)[0]["id"], "--now")
        running.end()
    assert loop.ralph("resume").code == 0


def test_a_run_that_was_stopped_like_ctrl_z_is_cancelled_too(loop, store):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        running.send(signal.SIGSTOP)
        wait_until(lambda: psutil.Process(running.pid).status() == psutil.STATUS_STOPPED, "it did not stop")
        cancel(loop, run, "--now")
        assert running.end().code == 130
    assert state(store, run) == CANCELLED


def test_a_run_that_waits_is_cancelled_at_once(loop, store):
    loop.prepare({"is_error": 429, "final": "API Error: 429 rate limit", "exit": 1}, quota={"initialWait": 600})
    with loop.start() as running:
        wait_until(lambda: [run["status"] for run in status(loop)] == ["waiting"], "it never waited")
        run = status(loop)[0]["id"]
        assert "it stopped when asked" in cancel(loop, run)
        assert running.end().code == 130
    assert state(store, run) == CANCELLED


def test_a_supervised_command_is_cancelled(loop, store):
    with loop.start("supervise", "--", "sh", "-c", "echo $$ > pid; touch ready; exec sleep 300") as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        assert "it stopped when asked" in cancel(loop, run)
        assert running.end().code == 130
    assert not is_alive(int(loop.repo.read("pid")))
    assert state(store, run) == CANCELLED


def test_an_agent_may_cancel_its_own_run(loop, store):
    loop.prepare({"run": "ralph cancel $RALPH_RUN_ID --grace 0.2"} | hangs())
    with loop.start() as running:
        assert running.end().code == 130
    assert state(store, status(loop)[0]["id"]) == CANCELLED


# Trees


@pytest.mark.parametrize("how", [("--now",), ("--grace", "0.5")], ids=["at once", "after the grace period"])
def test_three_levels_end_with_the_one_at_the_top(loop, store, how):
    *_, deepest = nest(loop, SURVIVOR | READY | hangs())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        wait_for_file(deepest / "survivor")
        below = running.descendants
        runs = [run["id"] for run in chain(status(loop)[0])]
        out = cancel(loop, runs[0], *how)
        assert running.end().code == 130
    assert [line.split()[0] for line in out.splitlines()] == runs[::-1], "the deepest comes first"
    assert not any(is_alive(each.pid) for each in below)
    assert not is_alive(int((deepest / "survivor").read_text()))
    assert [state(store, run) for run in runs] == [CANCELLED] * 3


def test_what_is_above_the_cancelled_run_goes_on(loop, store):
    *_, deepest = nest(loop, READY | hangs())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        top, middle, lowest = (run["id"] for run in chain(status(loop)[0]))
        cancel(loop, middle, "--now")
        assert running.end().code == 0, "its agent said that it was done, though its child was cancelled"
    assert [state(store, run) for run in (middle, lowest)] == [CANCELLED] * 2
    assert store.row(top)["verdict"] == "verified"


def test_a_child_is_cancelled_though_the_process_of_its_parent_is_gone(loop, store, tmp_path):
    parent = store.add(tmp_path / "gone", status="running", verdict=None, pid_started=1.0, ended_at=None)
    loop.prepare(READY | hangs())
    with loop.start(env={"RALPH_RUN_ID": parent}) as running:
        running.wait_for("ready")
        child = status(loop)[0]["id"]
        out = cancel(loop, parent, "--now")
        assert running.end().code == 130
    assert f"{parent} is cancelled: its process was gone already." in out
    assert [state(store, run) for run in (child, parent)] == [CANCELLED] * 2


def test_a_child_is_cancelled_though_its_parent_has_ended(loop, store, tmp_path):
    parent = store.add(tmp_path / "over")
    loop.prepare(READY | hangs())
    with loop.start(env={"RALPH_RUN_ID": parent}) as running:
        running.wait_for("ready")
        out = cancel(loop, parent, "--now")
        assert running.end().code == 130
    assert out.splitlines()[-1].startswith(f"{parent} had ended before: verified")
    assert store.row(parent)["status"] == "ended"


# When there is nothing to ask


def test_a_run_whose_process_is_gone_is_marked_and_what_it_left_is_ended(loop, store):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        running.send(signal.SIGKILL)
        running.end()
    with stray(RALPH_RUN_ID=run) as left, stray(RALPH_RUN_ID="ffffffff") as other:
        out = cancel(loop, run)
        assert left.wait(10) == -signal.SIGKILL
        assert other.poll() is None
    assert out == f"{run} is cancelled: its process was gone already. Continue it: ralph resume {run}\n"
    assert state(store, run) == CANCELLED
    assert store.row(run)["ended_at"] is not None


@contextmanager
def stray(**environ):
    with subprocess.Popen(["sleep", "300"], env={**os.environ, **environ}) as process:
        yield process
        process.kill()


def test_a_run_that_has_ended_stays_as_it_is(loop, store):
    loop(done())
    run = status(loop)[0]["id"]
    before = store.row(run)
    assert cancel(loop, run) == f"{run} had ended before: verified, proven done after 1 iteration\n"
    assert store.row(run) == before


def test_cancelling_twice_is_safe(loop):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        cancel(loop, run, "--now")
        running.end()
    assert f"{run} had ended before: cancelled" in cancel(loop, run)


def test_another_process_that_got_the_pid_is_left_alone(loop, store):
    with stray() as innocent:
        run = store.add(
            loop.repo.path, status="running", verdict=None, pid=innocent.pid, pid_started=started(innocent.pid) - 60
        )
        assert "its process was gone already" in cancel(loop, run, "--now")
        assert innocent.poll() is None
    assert state(store, run) == CANCELLED


IMPATIENT = (
    "import sys; from ralph.app import cancel as c; c.STOPPING = 0.3; c.cancel(sys.argv[1], grace=0.1, told=print)"
)
DEAF = "trap '' TERM INT; touch ready; while :; do sleep 0.1; done"


def test_a_process_that_hears_nothing_is_killed(loop, store):
    with subprocess.Popen(["sh", "-c", DEAF], cwd=loop.repo.path, start_new_session=True) as deaf:
        wait_until(lambda: loop.exists("ready"), "it did not begin")
        run = store.add(loop.repo.path, status="running", verdict=None, pid=deaf.pid, pid_started=started(deaf.pid))
        ended = loop.repo.run(sys.executable, "-c", IMPATIENT, run)
        assert ended.returncode == 0, ended.stderr
        assert deaf.wait(10) == -signal.SIGKILL
    assert state(store, run) == CANCELLED
    assert "stopped by ralph cancel" in store.row(run)["reason"]


# The modules are loaded before the user is changed: Python itself may lie where only root may read.
AS_NOBODY = f"""
import os, sys
from ralph.app.cancel import cancel
from ralph.model.errors import RalphError
def attempt(run):
    try:
        cancel(run, told=print)
    except RalphError as error:
        return error
attempt("no such run")
os.setgid({NOBODY})
os.setuid({NOBODY})
error = attempt(sys.argv[1])
print(error)
sys.exit(error.exit_code)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_a_run_of_another_user_is_left_alone_with_a_clear_line(tmp_path):
    root = Path(tempfile.mkdtemp())
    try:
        run = StoredRuns(root / "home").add(tmp_path, status="running", verdict=None, pid_started=started())
        for path in (root, *root.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        argv = [sys.executable, "-c", AS_NOBODY, run]
        env = {"RALPH_HOME": str(root / "home")}
        ended = subprocess.run(argv, env=env, cwd="/", capture_output=True, text=True, check=False, timeout=60)
    finally:
        shutil.rmtree(root)
    assert ended.returncode == 2, ended.stderr
    told = f"run {run} belongs to another user: root (pid {os.getpid()}). Cancel it as that user."
    assert ended.stdout.splitlines()[-1] == told
