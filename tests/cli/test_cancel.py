import subprocess
import sys

from loops import wait_until
from ralph.proc.identity import started
from ralph.testing import edits, hangs
from run_trees import status
from stored_runs import StoredRuns

HELP = "RUN (its id, or the beginning of it)"


def test_it_says_whom_it_stops_and_how_that_went(loop):
    loop.prepare(edits({"ready": ""}) | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        run = status(loop)[0]["id"]
        ended = loop.ralph("cancel", run[:5], "--now")
        running.end()
    assert ended.code == 0
    assert ended.err == f"Stopping {run} ...\n"
    assert ended.out == f"{run} is cancelled: it was stopped by force. Continue it: ralph resume {run}\n"


ENDS_WELL = """
import os, signal, sqlite3, sys
def end(*_):
    with sqlite3.connect(sys.argv[1]) as database:
        database.execute("UPDATE runs SET status = 'ended', verdict = 'verified', reason = 'proven done'")
    sys.exit()
signal.signal(signal.SIGTERM, end)
open("ready", "w").close()
signal.pause()
"""


def test_what_ended_by_itself_meanwhile_is_not_called_cancelled(loop):
    store = StoredRuns(loop.repo.home / ".ralph")
    argv = [sys.executable, "-c", ENDS_WELL, str(loop.repo.home / ".ralph/ralph.db")]
    with subprocess.Popen(argv, cwd=loop.repo.path) as process:
        wait_until(lambda: loop.exists("ready"), "it did not begin")
        since = started(process.pid)
        run = store.add(loop.repo.path, status="running", verdict=None, pid=process.pid, pid_started=since)
        ended = loop.ralph("cancel", run)
    assert ended.code == 0
    assert ended.out == f"{run} ended before it could be cancelled: verified, proven done\n"


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
