"""Who has a run: safety is the fence, the lease only saves waste."""

import os
import signal
import time

import msgspec
import pytest

from loops import wait_until
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.verdicts import Verified
from ralph.store.journal import Journal, check_chain, rows_of
from ralph.store.owner import TTL, me
from ralph.store.runs import find_run, get_run, live_runs
from ralph.store.sql import Lost
from stores import change, new_run, perform, taken, worked

DRIVES = """
import sys
from ralph.kernel.actions.agent import RunAgent
from ralph.store.open import open_store
from stores import perform, taken, worked
with open_store() as store:
    journal = taken(store, "run")
    perform(journal, RunAgent(1, "Do it."), worked())
    journal.begin(RunAgent(2, "Again."))
    print("ready", flush=True)
    sys.stdin.readline()
"""
TAKES_WHEN_TOLD = """
import sys
from ralph.store.journal import Journal
from ralph.store.open import open_store
from ralph.store.sql import Lost
with open_store() as store:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        Journal.take(store, "run")
        print("taken", flush=True)
    except Lost:
        print("lost", flush=True)
    sys.stdin.readline()
"""
CHECK = RunCommand(1, "make test", "make_test")
PASSED = Evidence("make test", passed=True, reason="exit code 0", exit_code=0)


@pytest.fixture
def driver(database, store):
    """Another process that has the run, in its second iteration."""
    with database.started(DRIVES) as process:
        assert process.stdout.readline() == "ready\n"
        yield process


def elsewhere(store, run_id, *, until, **changes):
    """As if a process on another machine, or in another container of this one, had it."""
    owner = msgspec.structs.replace(me(), **{"host": "another", "boot": "another", **changes})
    change(store, run_id, owner=msgspec.json.encode(owner).decode(), until=until)


def test_a_run_is_running_and_kept_while_its_process_lives(store, driver):
    run = get_run(store, "run")
    assert (run.status, run.owner.pid, run.now.iteration) == ("running", driver.pid, 2)
    with pytest.raises(Lost, match="driven by another process"):
        Journal.take(store, "run")


def test_the_lease_of_a_living_process_on_this_machine_never_runs_out(store, driver):
    change(store, "run", until=0)
    assert get_run(store, "run").status == "running"
    with pytest.raises(Lost):
        Journal.take(store, "run")


def test_a_dead_process_frees_its_run_at_once(store, driver):
    os.kill(driver.pid, signal.SIGKILL)
    # Nobody has waited for it, so it is still in the table of processes.
    wait_until(lambda: get_run(store, "run").status == "interrupted", "a zombie counts as alive")
    assert store.read("SELECT until FROM runs")[0]["until"] > time.time()
    assert live_runs(store) == []
    journal = Journal.take(store, "run")
    assert set(journal.past_ends) == {"run-agent/1"}
    assert journal.begin(RunAgent(2, "Again.")).attempt == 2
    assert check_chain(store, "run") == 7


def test_a_stopped_process_keeps_its_run(store, driver):
    driver.send_signal(signal.SIGSTOP)
    try:
        change(store, "run", until=0)
        assert get_run(store, "run").status == "running"
        with pytest.raises(Lost):
            Journal.take(store, "run")
    finally:
        driver.send_signal(signal.SIGCONT)


def test_another_process_that_got_the_same_pid_does_not_count(store):
    journal = taken(store, "run")
    owner = msgspec.structs.replace(me(), since=me().since - 3600)
    change(store, "run", owner=msgspec.json.encode(owner).decode())
    assert get_run(store, "run").status == "interrupted"
    assert Journal.take(store, "run").n == journal.n + 1


@pytest.mark.parametrize(
    "where", [{}, {"host": me().host}, {"host": me().host, "boot": me().boot, "pid_namespace": "x"}]
)
def test_elsewhere_the_lease_decides(store, where):
    taken(store, "run")
    # This pid lives here, and one that is dead here may live there.
    elsewhere(store, "run", until=time.time() + TTL, pid=2**22 + 1, **where)
    assert get_run(store, "run").status == "running"
    with pytest.raises(Lost):
        Journal.take(store, "run")
    elsewhere(store, "run", until=time.time() - 1, **where)
    assert find_run(store, "run").status == "interrupted"
    assert Journal.take(store, "run").was_begun


def test_a_beat_renews_the_lease(store):
    journal = taken(store, "run")
    change(store, "run", until=0)
    journal.beat()
    assert store.read("SELECT until FROM runs")[0]["until"] > time.time() + TTL / 2


def test_of_two_that_think_they_have_the_run_the_second_to_append_has_lost(store, another):
    first = taken(store, "run")
    perform(first, RunAgent(1, "Do it."), worked())
    elsewhere(store, "run", until=0)
    second = Journal.take(another, "run")
    with pytest.raises(Lost, match="another process changed it first"):
        first.begin(CHECK)
    with pytest.raises(StateError, match="an earlier write"):
        first.flush()
    perform(second, RunAgent(1, "Do it."), worked())
    second.flush()
    assert [row.what for row in rows_of(another, "run")] == ["opened", "taken", "begun", "taken", "begun", "ended"]
    assert check_chain(another, "run") == 6


def test_the_first_word_of_who_lost_the_run_is_lost(store, another):
    first = taken(store, "run")
    change(store, "run", owner=None)
    Journal.take(another, "run")
    elsewhere(store, "run", until=time.time() + TTL)
    with pytest.raises(Lost):
        first.beat()
    with pytest.raises(Lost):
        first.begin(CHECK)


def test_the_rows_alone_are_fence_enough(store, another):
    """Also against one whose summary has not changed, and who so only adds rows."""
    first = taken(store, "run")
    begun = first.begin(CHECK)
    owner = store.read("SELECT owner FROM runs")[0]["owner"]
    change(store, "run", owner=None)
    Journal.take(another, "run")
    change(store, "run", owner=owner)
    first.note(begun, "seen")
    with pytest.raises(Lost, match="another process changed it first: "):
        first.flush()


def test_who_lost_the_run_cannot_end_it(store, another):
    first = taken(store, "run")
    change(store, "run", owner=None)
    second = Journal.take(another, "run")
    with pytest.raises(Lost):
        first.close(Verified(1))
    assert get_run(store, "run").status == "running"
    perform(second, CHECK, PASSED)
    second.flush()


def test_of_many_that_want_a_run_at_once_one_gets_it(database, store):
    new_run(store, "run")
    processes = [database.start(TAKES_WHEN_TOLD) for _ in range(5)]
    try:
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        assert sorted(process.stdout.readline() for process in processes) == ["lost\n"] * 4 + ["taken\n"]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert check_chain(store, "run") == 2
