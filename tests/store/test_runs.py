import os
import subprocess
import sys

import pytest

from loops import wait_until
from ralph.model.errors import ConfigError
from ralph.model.verdicts import MaxIterations, Verified
from ralph.proc.identity import started
from ralph.store.journal import Journal
from ralph.store.runs import find_run, finish_run, latest_interrupted, list_runs, take_over
from stores import PROJECT, new_run, opened

BEGINS = """
import sys
from ralph.store.database import connect
from stores import new_run
print(new_run(connect()).id, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def connection(tmp_path):
    with opened(tmp_path) as connection:
        yield connection


@pytest.fixture
def elsewhere(tmp_path):
    """A run that another process has begun, and that process."""
    path = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, "-c", BEGINS],
        env={**os.environ, "RALPH_HOME": str(tmp_path), "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process.stdout.readline().strip(), process
        process.kill()


def test_a_run_is_running_while_its_process_lives(connection, elsewhere):
    run_id, _ = elsewhere
    assert find_run(connection, run_id).status == "running"


def test_a_run_is_interrupted_when_its_process_is_gone(connection, elsewhere):
    run_id, process = elsewhere
    process.kill()
    process.wait()
    assert find_run(connection, run_id).status == "interrupted"
    assert latest_interrupted(connection, PROJECT).id == run_id


def test_a_process_that_nobody_has_waited_for_is_gone_all_the_same(connection, elsewhere):
    run_id, process = elsewhere
    os.kill(process.pid, 9)
    wait_until(lambda: find_run(connection, run_id).status == "interrupted", "a zombie counts as alive")


def test_another_process_that_got_the_same_pid_does_not_count(connection):
    run = new_run(connection)
    connection.exec_driver_sql("UPDATE runs SET pid_started = ?", (started() - 3600,))
    assert find_run(connection, run.id).status == "interrupted"


def test_an_end_is_kept_with_its_reason_and_code(connection):
    run = new_run(connection)
    finish_run(connection, Journal(connection, run.id), MaxIterations(3, "no tag"))
    ended = find_run(connection, run.id)
    assert (ended.status, ended.verdict, ended.exit_code) == ("ended", "max_iterations", 1)
    assert ended.reason == "not done after 3 iterations: no tag"
    assert ended.ended_at >= ended.started_at


def test_taking_over_makes_it_ours_and_running(connection, elsewhere):
    run_id, process = elsewhere
    process.kill()
    process.wait()
    taken = take_over(connection, find_run(connection, run_id))
    assert (taken.status, taken.pid) == ("running", os.getpid())
    assert find_run(connection, run_id) == taken


def test_options_come_back_as_they_were(connection):
    options = {"settings": {"a": [1, None, "ä"]}, "loop": {}}
    assert find_run(connection, new_run(connection, options=options).id).options == options


def test_the_newest_run_comes_first(connection):
    ids = [new_run(connection).id for _ in range(3)]
    assert [run.id for run in list_runs(connection)] == ids[::-1]
    assert [run.id for run in list_runs(connection, limit=1)] == ids[-1:]


def test_runs_are_listed_by_project(connection):
    mine, _ = new_run(connection), new_run(connection, project="/another")
    assert [run.id for run in list_runs(connection, project=PROJECT)] == [mine.id]


def test_a_run_is_found_by_the_beginning_of_its_id(connection):
    run = new_run(connection)
    assert find_run(connection, run.id[:5]).id == run.id
    assert find_run(connection, run.id.upper()).id == run.id


@pytest.mark.parametrize("prefix", ["", "zz", "%", "_", "ffffffffff", "ä"])
def test_a_run_that_is_not_there_is_not_found(connection, prefix):
    new_run(connection)
    with pytest.raises(ConfigError, match="there is no run"):
        find_run(connection, prefix)


def test_a_beginning_of_several_ids_is_not_enough(connection):
    runs = [new_run(connection) for _ in range(2)]
    connection.exec_driver_sql("UPDATE runs SET id = 'abc1' WHERE id = ?", (runs[0].id,))
    connection.exec_driver_sql("UPDATE runs SET id = 'abc2' WHERE id = ?", (runs[1].id,))
    with pytest.raises(ConfigError, match="several runs begin with 'abc'"):
        find_run(connection, "abc")


def test_a_parent_that_this_database_knows_is_kept(connection):
    parent = new_run(connection)
    assert new_run(connection, parent=parent.id).parent_id == parent.id
    assert new_run(connection, parent="unknown").parent_id is None


def test_only_an_interrupted_run_can_be_the_latest_interrupted(connection):
    run = new_run(connection)
    finish_run(connection, Journal(connection, run.id), Verified(1))
    new_run(connection)
    with pytest.raises(ConfigError, match="no interrupted run in this project"):
        latest_interrupted(connection, PROJECT)
