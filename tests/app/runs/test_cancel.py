"""Cancelling with real processes: whatever the run and its agents do, nothing of them is left."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil
import pytest

from loops import is_alive, wait_until
from ralph.app.runs import cancel as app
from ralph.model.errors import ConfigError
from ralph.model.tasks import Spec, Task
from ralph.model.verdicts import CancelledRun, Verified
from ralph.proc.identity import started
from ralph.store.control import heard, latest
from ralph.store.journal import Journal, Tampered, check_chain
from ralph.store.owner import me
from ralph.store.sql import Lost, Sql
from ralph.store.tasks import add_spec, add_tasks, get_task
from ralph.testing import ScriptedAgent, done, edits, hangs
from run_trees import nest, wait_for_file
from stored_runs import StoredRuns

READY = edits({"ready": ""})
SURVIVOR = {
    "spawn": {
        "command": "trap '' TERM INT HUP; echo $$ > pid; mv pid survivor; while :; do sleep 1; done",
        "setsid": True,
    }
}
NOBODY = 65534
CANCELLED = ("ended", "cancelled", 130)


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def cancel(store, run, grace=10.0, told=None):
    """How it went with each run, the deepest first."""
    with store.open() as opened:
        return {outcome.run.id: outcome.how for outcome in app.cancel(opened, run, grace=grace, told=told)}


def state(store, run):
    row = store.row(run)
    return row["status"], row["verdict"], row["exit_code"]


def is_whole(store, run):
    with store.open() as opened:
        return check_chain(opened, run) > 0 and store.rows(run)[-1].what == "closed"


def only_run(store):
    [run] = store.ids
    return run


# A run that lives


def test_a_sleeping_agent_is_ended_at_once_and_its_run_is_over(loop, store):
    agent = loop.prepare(READY | hangs(), done())
    told = []
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        began = time.monotonic()
        assert cancel(store, run, told=told.extend) == {run: "asked"}
        assert time.monotonic() - began < 3 * 2, "three times what it may take on a machine of its own"
        assert running.end().code == 130
    assert [each.id for each in told] == [run]
    assert not is_alive(agent.starts[0].pid)
    assert len(agent.starts) == 1
    assert state(store, run) == CANCELLED
    assert store.row(run)["reason"].startswith("cancelled by ")
    assert is_whole(store, run)


def test_a_guardrail_is_ended_at_once(loop, store):
    loop.prepare(done(), guardrails=[{"command": "echo $$ > pid; touch ready; sleep 300"}])
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        assert cancel(store, run) == {run: "asked"}
        assert running.end().code == 130
    assert not is_alive(int(loop.repo.read("pid")))
    assert state(store, run) == CANCELLED


def test_a_run_that_waits_is_cancelled_at_once(loop, store):
    loop.prepare({"is_error": 429, "final": "API Error: 429 rate limit", "exit": 1}, quota={"initialWait": 600})
    with loop.start() as running:
        wait_until(lambda: [store.row(run)["status"] for run in store.ids] == ["waiting"], "it never waited")
        run = only_run(store)
        assert cancel(store, run) == {run: "asked"}
        assert running.end().code == 130
    assert state(store, run) == CANCELLED


def test_a_supervised_command_is_cancelled(loop, store):
    with loop.start("supervise", "--", "sh", "-c", "echo $$ > pid; touch ready; exec sleep 300") as running:
        running.wait_for("ready")
        run = only_run(store)
        assert cancel(store, run) == {run: "asked"}
        assert running.end().code == 130
    assert not is_alive(int(loop.repo.read("pid")))
    assert state(store, run) == CANCELLED


def test_a_run_that_was_stopped_like_ctrl_z_is_cancelled_too(loop, store):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        running.send(signal.SIGSTOP)
        wait_until(lambda: psutil.Process(running.pid).status() == psutil.STATUS_STOPPED, "it did not stop")
        assert cancel(store, run) == {run: "asked"}
        assert running.end().code == 130
    assert state(store, run) == CANCELLED


def test_an_agent_may_cancel_its_own_run(loop, store):
    loop.prepare({"run": "ralph cancel $RALPH_RUN_ID"} | hangs())
    with loop.start() as running:
        assert running.end().code == 130
    assert state(store, only_run(store)) == CANCELLED


def test_a_cancelled_run_cannot_be_resumed(loop, store):
    loop.prepare(READY | hangs(), done())
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        cancel(store, run)
        running.end()
    resumed = loop.ralph("resume", run)
    assert resumed.code == 2
    assert f"ralph retry {run}" in resumed.err
    assert state(store, run) == CANCELLED


def test_cancelling_twice_is_safe(loop, store):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        cancel(store, run)
        running.end()
    before = store.row(run)
    assert cancel(store, run) == {run: "over"}
    assert store.row(run) == before


# One that does not answer


@pytest.mark.e2e
@pytest.mark.parametrize("grace", [0.0, 0.3], ids=["at once", "after the grace period"])
def test_an_agent_that_goes_on_is_stopped_with_all_that_it_started(loop, store, grace):
    agent = loop.prepare(SURVIVOR | READY | hangs(hard=True), done())
    with loop.start() as running:
        running.wait_for("ready")
        running.wait_for("survivor")
        run = only_run(store)
        began = time.monotonic()
        assert cancel(store, run, grace) == {run: "forced"}
        assert time.monotonic() - began < grace + app.TERMINATED + 2
        running.end()
    assert not is_alive(agent.starts[0].pid)
    assert not is_alive(int(loop.repo.read("survivor")))
    assert state(store, run) == CANCELLED
    assert store.row(run)["iterations"] == 0
    assert is_whole(store, run)


@pytest.mark.e2e
def test_an_agent_that_is_deaf_to_polite_signals_is_ended_by_its_own_run_in_time(loop, store):
    agent = loop.prepare(SURVIVOR | READY | hangs(hard=True), done(), scripted={"format": "text"})
    with loop.start() as running:
        running.wait_for("ready")
        running.wait_for("survivor")
        run = only_run(store)
        assert cancel(store, run) == {run: "asked"}
        assert running.end().code == 130
    assert not is_alive(agent.starts[0].pid)
    assert not is_alive(int(loop.repo.read("survivor")))


DEAF = "trap '' TERM INT; touch ready; while :; do sleep 0.1; done"


def test_a_process_that_hears_nothing_is_killed(loop, store):
    with subprocess.Popen(["sh", "-c", DEAF], cwd=loop.repo.path, start_new_session=True) as deaf:
        wait_until(lambda: loop.exists("ready"), "it did not begin")
        run = store.unfinished(loop.repo.path, pid=deaf.pid)
        part = store.unfinished(loop.repo.path, parent=run, part="one", pid=deaf.pid)
        assert cancel(store, run, grace=0.1) == {part: "forced", run: "forced"}
        assert deaf.wait(10) == -signal.SIGKILL
    assert [state(store, each) for each in (run, part)] == [CANCELLED] * 2


def test_a_process_that_hears_only_a_signal_gets_one_before_it_is_killed(loop, store):
    hears = "trap 'touch heard; exit' TERM; touch ready; while :; do sleep 0.02; done"
    with subprocess.Popen(["sh", "-c", hears], cwd=loop.repo.path, start_new_session=True) as process:
        wait_until(lambda: loop.exists("ready"), "it did not begin")
        run = store.unfinished(loop.repo.path, pid=process.pid)
        assert cancel(store, run, grace=0.0) == {run: "forced"}
        assert process.wait(10) == 0
    assert loop.exists("heard")
    assert state(store, run) == CANCELLED


def test_another_process_that_got_the_pid_is_left_alone(loop, store):
    with stray() as innocent:
        run = store.unfinished(loop.repo.path, pid=innocent.pid, since=started(innocent.pid) - 60)
        assert cancel(store, run, grace=0.0) == {run: "gone"}
        assert innocent.poll() is None
    assert state(store, run) == CANCELLED


@contextmanager
def stray(**environ):
    with subprocess.Popen(["sleep", "300"], env={**os.environ, **environ}) as process:
        yield process
        process.kill()


# The modules are loaded before the user is changed: Python itself may lie where only root may read.
AS_NOBODY = f"""
import os, sys
from ralph.app.runs.cancel import cancel
from ralph.model.errors import RalphError
from ralph.store.open import open_store
import encodings.ascii, psutil, ralph.store.sqlite
os.setgid({NOBODY})
os.setuid({NOBODY})
try:
    cancel(open_store(), sys.argv[1], told=print)
except RalphError as error:
    print(error)
    sys.exit(error.exit_code)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_a_run_of_another_user_is_left_alone_with_a_clear_line(tmp_path):
    root = Path(tempfile.mkdtemp())
    try:
        store = StoredRuns(root / "home")
        run = store.unfinished(tmp_path)
        for path in (root, *root.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        argv = [sys.executable, "-c", AS_NOBODY, run]
        env = {"RALPH_HOME": str(root / "home")}
        ended = subprocess.run(argv, env=env, cwd="/", capture_output=True, text=True, check=False, timeout=60)
        assert store.count("control") == 0, "it was not even told"
    finally:
        shutil.rmtree(root)
    assert ended.returncode == 2, ended.stderr
    told = f"the run belongs to another user: root (pid {os.getpid()}). Cancel it as that user."
    assert ended.stdout.splitlines() == [told]


# One that nobody drives


@pytest.mark.parametrize("status", ["queued", "interrupted", "stopped"])
def test_a_run_that_nobody_drives_is_closed_at_once(loop, store, status):
    run = store.add(loop.repo.path, status=status)
    told = []
    assert cancel(store, run, told=told.extend) == {run: "gone"}
    assert told == []
    assert state(store, run) == CANCELLED
    assert store.row(run)["iterations"] == (0 if status == "queued" else 1), "what was done is still told"
    assert is_whole(store, run)
    with store.open() as opened, pytest.raises(Lost):
        Journal.take(opened, run)


def test_a_run_whose_process_is_gone_is_closed_and_what_it_left_is_ended(loop, store):
    loop.prepare(READY | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = only_run(store)
        running.send(signal.SIGKILL)
        running.end()
    with stray(RALPH_RUN_ID=run) as left, stray(RALPH_RUN_ID="ffffffff") as other:
        assert cancel(store, run) == {run: "gone"}
        assert left.wait(10) == -signal.SIGKILL
        assert other.poll() is None
    assert state(store, run) == CANCELLED
    assert store.row(run)["ended_at"] is not None
    assert is_whole(store, run)


def test_a_run_that_has_ended_stays_as_it_is_and_nothing_is_said_to_it(loop, store):
    run = store.add(loop.repo.path)
    before = store.row(run)
    assert cancel(store, run) == {run: "over"}
    assert store.row(run) == before
    assert store.count("control") == 0


def test_a_run_that_ends_while_it_is_being_told_was_not_over_before(loop, store):
    """A fast run answers before anybody looks again."""
    run = store.add(loop.repo.path, status="queued")
    with store.open() as opened:
        journal = Journal.take(opened, run)
        assert cancel(store, run, told=lambda _: journal.close(Verified(3))) == {run: "asked"}
    assert state(store, run) == ("ended", "verified", 0)


def add_task(store, run, status):
    """The run's task, in its project, whose id is returned."""
    project, dates = store.row(run)["project_id"], {"created_at": 1.0, "updated_at": 1.0}
    tasks = add_tasks(project, [Task(id="t", spec_id="s", title="T", status=status, **dates)])
    with store.open() as opened:
        opened.write(add_spec(project, Spec(id="s", title="S", **dates)), *tasks)
    return project


def test_the_task_of_a_run_that_died_waits_for_its_next_run(loop, store):
    run = store.killed(loop.repo.path, task="t")
    with store.open() as opened:
        project = add_task(store, run, "running")
        cancel(store, run)
        assert get_task(opened, project, "t").status == "pending"


def test_a_task_that_another_run_has_completed_since_stays_completed(loop, store):
    run = store.killed(loop.repo.path, task="t")
    with store.open() as opened:
        project = add_task(store, run, "completed")
        cancel(store, run)
        assert get_task(opened, project, "t").status == "completed"


def test_a_run_whose_journal_was_changed_is_named_after_the_others_are_closed(loop, store):
    top = store.killed(loop.repo.path)
    bad, good = (store.killed(loop.repo.path, parent=top) for _ in range(2))
    with store.open() as opened:
        opened.write(Sql("UPDATE journal SET line = 'all is well' WHERE run_id = :id AND n = 4", {"id": bad}, must=1))
    with pytest.raises(Tampered, match=f"run {bad} was changed from outside"):
        cancel(store, top)
    assert [state(store, run) for run in (top, good)] == [CANCELLED] * 2
    assert store.row(bad)["status"] == "running"


# One that is driven where no signal reaches


ELSEWHERE = [{"pid_namespace": "pid:[1]"}, {"host": "faraway"}]


@pytest.mark.e2e
@pytest.mark.parametrize("where", ELSEWHERE, ids=["another pid namespace", "another machine"])
def test_a_run_elsewhere_that_does_not_answer_is_not_closed(loop, store, where):
    with stray() as innocent:
        run = store.unfinished(loop.repo.path, pid=innocent.pid, **where)
        before = store.row(run)
        assert cancel(store, run, grace=0.1) == {run: "unheard"}
        assert innocent.poll() is None, "a pid of another place is nobody's here"
    assert store.row(run) == before
    with store.open() as opened:
        assert latest(opened, run).said == "stop", "it stops when it hears"


def test_a_run_elsewhere_is_waited_for_and_answers(loop, store):
    run = store.add(loop.repo.path, status="queued")
    elsewhere = msgspec.json.encode(msgspec.structs.replace(me(), host="faraway")).decode()
    is_taken = threading.Event()

    def drive():
        with store.open() as opened:
            journal = Journal.take(opened, run)
            opened.write(Sql("UPDATE runs SET owner = :owner WHERE id = :id", {"owner": elsewhere, "id": run}, must=1))
            journal._owner = journal._me = elsewhere
            is_taken.set()
            wait_until(lambda: heard(opened, run, "stop"), "nobody said stop")
            journal.close(CancelledRun("ada"))

    faraway = threading.Thread(target=drive)
    faraway.start()
    assert is_taken.wait(10)
    assert cancel(store, run) == {run: "asked"}
    faraway.join()
    assert state(store, run) == CANCELLED
    assert store.row(run)["reason"] == "cancelled by ada"


def test_a_run_elsewhere_whose_lease_is_over_is_closed(loop, store):
    run = store.unfinished(loop.repo.path, host="faraway", lease=-1.0)
    assert cancel(store, run) == {run: "gone"}
    assert state(store, run) == CANCELLED


@pytest.mark.e2e
def test_what_is_here_is_ended_although_a_run_elsewhere_does_not_answer(loop, store):
    top = store.killed(loop.repo.path)
    faraway = store.unfinished(loop.repo.path, parent=top, host="faraway")
    assert cancel(store, top, grace=0.0) == {faraway: "unheard", top: "gone"}
    assert state(store, top) == CANCELLED
    assert store.row(faraway)["status"] == "running"


def test_a_process_that_drives_the_run_itself_does_not_kill_itself(loop, store):
    run = store.unfinished(loop.repo.path)
    assert cancel(store, run, grace=0.0) == {run: "unheard"}
    assert store.row(run)["status"] == "running"


# Trees


def test_a_part_is_cancelled_with_its_whole(loop, store):
    whole = store.killed(loop.repo.path)
    part = store.killed(loop.repo.path, parent=whole, part="t")
    stage = store.add(loop.repo.path, parent=part, part="executor", status="queued")
    over = store.add(loop.repo.path, parent=part, part="planner")
    assert cancel(store, part) == {stage: "gone", part: "gone", whole: "gone"}
    assert [state(store, run) for run in (stage, part, whole)] == [CANCELLED] * 3
    assert store.row(over)["verdict"] == "verified"


def sorted_by_guard(processes):
    """Those that end what a killed ralph left, and all others."""
    guards = [each for each in processes if "guard_program" in " ".join(each.cmdline())]
    return guards, [each for each in processes if each not in guards]


@pytest.mark.e2e
@pytest.mark.parametrize("grace", [0.0, 10.0], ids=["at once", "in their own time"])
def test_three_levels_end_with_the_one_at_the_top(loop, store, grace):
    *_, deepest = nest(loop, SURVIVOR | READY | hangs())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        wait_for_file(deepest / "survivor")
        guards, below = sorted_by_guard(running.descendants)
        runs = sorted(store.ids, key=len)
        assert len(runs) == 3
        assert list(cancel(store, runs[0], grace)) == runs[::-1], "the deepest comes first"
        running.end()
    assert [each for each in below if is_alive(each.pid)] == []
    # The guard of a ralph that was killed looks around for a moment before it goes, too.
    wait_until(lambda: not any(is_alive(each.pid) for each in guards), "a guard lives on")
    assert not is_alive(int((deepest / "survivor").read_text()))
    assert [state(store, run) for run in runs] == [CANCELLED] * 3
    assert all(is_whole(store, run) for run in runs)


@pytest.mark.e2e
def test_what_is_above_the_cancelled_run_goes_on(loop, store):
    *_, deepest = nest(loop, READY | hangs())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        top, middle, lowest = sorted(store.ids, key=len)
        assert list(cancel(store, middle)) == [lowest, middle]
        assert running.end().code == 0, "its agent said that it was done, though its child was cancelled"
    assert [state(store, run) for run in (middle, lowest)] == [CANCELLED] * 2
    assert store.row(top)["verdict"] == "verified"


@pytest.mark.parametrize("parent", ["is gone", "has ended"])
def test_a_child_is_asked_although_the_process_of_its_parent_is_no_more(loop, store, tmp_path, parent):
    top = store.add(tmp_path / "other") if parent == "has ended" else store.killed(tmp_path / "other")
    loop.prepare(READY | hangs())
    with loop.start(env={"RALPH_RUN_ID": top}) as running:
        running.wait_for("ready")
        [child] = store.ids - {top}
        assert cancel(store, top) == {child: "asked", top: "over" if parent == "has ended" else "gone"}
        assert running.end().code == 130, "it was not killed"
    assert state(store, child) == CANCELLED
    assert store.row(top)["verdict"] == ("verified" if parent == "has ended" else "cancelled")


@pytest.mark.e2e
def test_a_run_that_a_dying_agent_starts_is_cancelled_too(loop, store, tmp_path):
    other = tmp_path / "other"
    late = ScriptedAgent(edits({"begun": ""}) | done(), directory=other / "bin")
    (other / ".ralph").mkdir()
    (other / ".ralph/settings.json").write_text(f'{{"agent": {{"command": "{late.command}"}}}}')
    last_words = f"trap 'cd {other}; ralph run -p Late. > log 2>&1; touch ended; exit' TERM"
    # Nobody reads any more what a shell says about the death of its child.
    endless = "exec 2> /dev/null; touch ready; while :; do sleep 0.05; done"
    loop.prepare({"run": f"{last_words}; {endless}"} | hangs(), scripted={"format": "text"})
    with loop.start() as running:
        running.wait_for("ready")
        [top] = store.ids
        assert list(cancel(store, top))[-1] == top
        assert running.end().code == 130
    assert len(store.ids) == 2, "the late one was stored"
    assert [state(store, run) for run in store.ids] == [CANCELLED] * 2
    assert not (other / "begun").exists()


def test_an_unknown_run_is_an_error(loop, store):
    store.add(loop.repo.path)
    with pytest.raises(ConfigError, match="there is no run 'xyz'"):
        cancel(store, "xyz")
