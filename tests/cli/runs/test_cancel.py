import subprocess
import sys

import pytest

from ralph.testing import done, edits, hangs
from stored_runs import StoredRuns

HELP = "Stop RUN, the run of TASK, or the active run of this project"


def stored(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def retry(run):
    return f"Start it from the beginning: ralph retry {run}"


def test_it_says_whom_it_stops_and_how_that_went(loop):
    loop.prepare(edits({"ready": ""}) | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        [run] = stored(loop).ids
        ended = loop.ralph("cancel", run[:5])
        stopped = running.end()
    assert ended.code == 0
    assert ended.err == f"Stopping {run} ...\n"
    assert ended.out == f"{run} is cancelled: it stopped when asked. {retry(run)}\n"
    assert stopped.code == 130
    assert "cancelled by" in stopped.err


@pytest.mark.e2e
def test_what_is_not_given_time_is_stopped_by_force(loop):
    loop.prepare(edits({"ready": ""}) | hangs(hard=True))
    with loop.start() as running:
        running.wait_for("ready")
        [run] = stored(loop).ids
        ended = loop.ralph("cancel", run, "--now")
        running.end()
    assert ended.code == 0
    assert ended.out == f"{run} is cancelled: it was stopped by force. {retry(run)}\n"


def test_the_place_is_free_when_it_returns(loop):
    loop.prepare(edits({"ready": ""}) | hangs(), done())
    with loop.start() as running:
        running.wait_for("ready")
        [run] = stored(loop).ids
        assert loop.ralph("cancel", run).code == 0
        assert loop.ralph("retry", run).code == 0
        running.end()


ENDS_WELL = """
import sys
from ralph.model.verdicts import Verified
from ralph.store.control import heard
from ralph.store.journal import Journal
from ralph.store.open import open_store
store = open_store()
journal = Journal.take(store, sys.argv[1])
print("ready", flush=True)
while not heard(store, sys.argv[1], "stop"):
    store.wait(1)
journal.close(Verified(3))
"""


def test_what_ended_by_itself_meanwhile_is_not_called_cancelled(loop):
    run = stored(loop).add(loop.repo.path, status="queued")
    argv = [sys.executable, "-c", ENDS_WELL, run]
    with subprocess.Popen(argv, cwd=loop.repo.path, env=loop.repo.env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        ended = loop.ralph("cancel", run)
    assert ended.code == 0
    done = "done by the agent's word after 3 iterations; nothing was checked"
    assert ended.out == f"{run} ended before it could be cancelled: verified, {done}\n"


def test_what_had_ended_before_is_told(loop):
    run = stored(loop).add(loop.repo.path)
    ended = loop.ralph("cancel", run)
    assert (ended.code, ended.err) == (0, "")
    done = "done by the agent's word after 1 iteration; nothing was checked"
    assert ended.out == f"{run} had already ended: verified, {done}\n"


def test_parts_are_named_and_only_the_whole_can_be_started_again(loop):
    store = stored(loop)
    run = store.killed(loop.repo.path)
    part = store.killed(loop.repo.path, parent=run, part="one")
    ended = loop.ralph("cancel", run)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        f"{part} is cancelled: no process was driving it.",
        f"{run} is cancelled: no process was driving it. {retry(run)}",
    ]


@pytest.mark.e2e
def test_a_run_elsewhere_that_does_not_answer_is_named_with_its_host(loop):
    store = stored(loop)
    run = store.unfinished(loop.repo.path, host="faraway", pid=77, since=1.0)
    ended = loop.ralph("cancel", run, "--now")
    assert ended.code == 9
    assert ended.out == ""
    assert ended.err.splitlines()[-1] == (
        f"ralph: run {run} has not reacted, and no signal reaches it: it runs on faraway, as process 77 there."
        f" It stops as soon as it reads the request. See: ralph status {run}"
    )
    assert store.row(run)["status"] == "running"


def test_the_beginning_of_an_id_is_that_of_the_shortest(loop):
    store = stored(loop)
    run = store.killed(loop.repo.path)
    store.killed(loop.repo.path, parent=run)
    ended = loop.ralph("cancel", run[:6])
    assert store.row(run)["status"] == "ended"
    assert len(ended.out.splitlines()) == 2


def test_an_unknown_run_is_an_error(loop):
    ended = loop.ralph("cancel", "abc")
    assert ended.code == 2
    assert ended.err == "ralph: there is no run 'abc'. See the list: ralph runs --all\n"


def test_a_run_must_be_named(loop):
    assert loop.ralph("cancel").code == 2


def test_a_grace_period_that_is_none_is_refused(loop):
    ended = loop.ralph("cancel", "abc", "--grace", "soon")
    assert ended.code == 2
    assert "Invalid value for '--grace': it must be a duration" in ended.err


def test_the_help_tells_the_steps(loop):
    out = loop.ralph("cancel", "--help").out
    assert HELP in " ".join(out.split())
    assert "[default: 10s]" in out
