"""Driving as screens and workers do it: many runs in one process, in any task and thread, and after a kill."""

import asyncio
import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

import msgspec
import pytest
from msgspec.structs import replace

from ralph.app.runs.prompt_run import plan_run
from ralph.app.runs.starting import store_run
from ralph.loop.perform import PERFORMERS, performer
from ralph.loop.plan import new_run
from ralph.loop.run import drive_run
from ralph.loop.stop import SIGNALS, Stop
from ralph.loop.streams import Streams
from ralph.model.errors import ConfigError
from ralph.proc import reaper
from ralph.store.journal import Journal, check_chain
from ralph.store.owner import me
from ralph.store.projects import folder_of
from ralph.store.runs import add_run, get_run, part_id
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore
from ralph.store.state_dir import StateDir
from ralph.testing import ScriptedAgent, done, edits, temp_repo


@pytest.fixture
def store(tmp_path, monkeypatch):
    home = temp_repo(tmp_path / "home").home
    monkeypatch.setenv("RALPH_HOME", str(home / ".ralph"))
    with SqliteStore(home / ".ralph") as opened:
        yield opened


@pytest.fixture
def stored(store, tmp_path):
    """A run in a repository of its own, whose agent says once too early that it is done."""

    def make(name, *, part=False, first=None, **settings):
        repo = temp_repo(tmp_path / name)
        steps = [first or done(), edits({"made": ""}) | done()]
        agent = ScriptedAgent(*steps, directory=tmp_path / name / "bin")
        flags = {"agent": {"command": agent.command}, "guardrails": [{"command": "test -e made"}], **settings}
        plan = plan_run(repo.path, prompt="Do it.", prompt_file=None, flags=flags)[0]
        run = store_run(store, repo.path, plan)
        if not part:
            return run
        add_run(store, new_run(plan, part_id(run, "part"), get_run(store, run).project, is_part=True))
        return part_id(run, "part")

    return make


def its_process_died(store, run):
    """It was taken by a process that is no more."""
    Journal.take(store, run)
    dead = msgspec.json.encode(replace(me(), since=me().since - 1)).decode()
    store.write(Sql("UPDATE runs SET owner = :owner WHERE id = :id", {"owner": dead, "id": run}, must=1))


def ends(store, *runs):
    assert all(check_chain(store, run) for run in runs)
    return [(found.status, found.verdict, found.iterations) for found in (get_run(store, run) for run in runs)]


def drive(store, *runs):
    async def main():
        driven = [drive_run(store, run, Stop(), Streams()) for run in runs]
        return [each.verdict.kind for each in await asyncio.gather(*driven)]

    return asyncio.run(main())


def test_several_runs_are_driven_at_once_in_one_event_loop(store, stored):
    runs = [stored(name) for name in ("one", "two", "three")]
    before = [signal.getsignal(number) for number in SIGNALS]
    assert drive(store, *runs) == ["verified"] * 3
    assert ends(store, *runs) == [("ended", "verified", 2)] * 3
    assert [signal.getsignal(number) for number in SIGNALS] == before, "signals belong to the face"


def test_a_run_is_driven_in_a_thread_that_is_not_the_main_one(store, stored):
    first, second = stored("one"), stored("two")
    seen = []
    thread = threading.Thread(target=lambda: seen.extend(drive(store, first)))
    thread.start()
    thread.join()
    assert seen == ["verified"]
    # And what was driven there keeps nothing from being driven here.
    assert drive(store, second) == ["verified"]
    assert ends(store, first, second) == [("ended", "verified", 2)] * 2


A_RUN_AND_A_PART = pytest.mark.parametrize("part", [False, True], ids=["a run", "a part of one"])


@contextmanager
def stray(run):
    with subprocess.Popen(["sleep", "300"], env={**os.environ, "RALPH_RUN_ID": run}) as process:
        # It plays the child of a process that is gone, and not one that was left to this process.
        reaper.started.add(process.pid)
        try:
            yield process
        finally:
            reaper.started.discard(process.pid)
            process.kill()


@A_RUN_AND_A_PART
def test_what_a_killed_process_left_running_is_ended_before_its_run_goes_on(store, stored, part):
    run = stored("one", part=part)
    its_process_died(store, run)
    with stray(run) as left, stray("another") as other:
        assert drive(store, run) == ["verified"]
        assert left.wait(10) == -signal.SIGKILL
        assert other.poll() is None


@A_RUN_AND_A_PART
def test_where_another_loop_works_it_is_refused_and_belongs_to_nobody(store, stored, part):
    run = stored("one", part=part)
    state = StateDir(folder_of(store, get_run(store, run).project))
    with state.locked("lock"), pytest.raises(ConfigError, match="another ralph loop runs in this directory"):
        drive(store, run)
    assert get_run(store, run).status == "interrupted", "though the process that took it lives on"
    assert drive(store, run) == ["verified"]


def test_a_mistake_of_ralphs_own_leaves_a_run_that_can_go_on(store, stored, monkeypatch):
    run = stored("one")
    with monkeypatch.context() as broken:
        broken.delitem(PERFORMERS, "run-agent")
        performer.cache_clear()
        with pytest.raises(KeyError):
            drive(store, run)
    found = get_run(store, run)
    assert (found.status, found.reason) == ("interrupted", "ralph failed: KeyError('run-agent').")
    assert drive(store, run) == ["verified"]


def test_a_moment_that_came_while_nobody_drove_the_run_is_not_waited_for_again(store, stored):
    moment = int(time.time()) + 2
    used_up = {"is_error": 429, "final": f"Claude AI usage limit reached|{moment}", "exit": 1}
    run = stored("one", first=used_up, quota={"initialWait": 600})

    async def until_it_waits():
        driving = asyncio.create_task(drive_run(store, run, Stop(), Streams()))
        async for _ in store.rings(at_most=0.1):
            if get_run(store, run).status == "waiting":
                break
        driving.cancel()
        await asyncio.wait([driving])

    asyncio.run(until_it_waits())
    assert get_run(store, run).status == "interrupted"
    time.sleep(max(0.0, moment - time.time()))
    began = time.monotonic()
    assert drive(store, run) == ["verified"]
    assert time.monotonic() - began < 300


def test_what_a_listener_cannot_do_never_reaches_the_run(store, stored):
    run, streams, heard = stored("a"), Streams(), []

    def breaks(event):
        heard.append(event)
        raise KeyError("a mistake")

    streams.listen(breaks, lambda: True)
    driven = asyncio.run(drive_run(store, run, Stop(), streams))
    assert (driven.verdict.kind, driven.error) == ("verified", None)
    assert (len(heard), repr(streams.problem)) == (1, "KeyError('a mistake')")
    assert ends(store, run) == [("ended", "verified", 2)]
