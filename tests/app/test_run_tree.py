"""The tree of runs and what is known of each, from real runs in real directories."""

import json
import signal
import time

import pytest

from loops import is_alive, wait_until, waits
from ralph.app.run_tree import forest
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.runs import find_run, list_runs
from ralph.testing import done, edits, hangs, says
from run_trees import chain, nest, status, wait_for_file
from stored_runs import LOOP, StoredRuns

LIMITED = {"is_error": 429, "final": "API Error: Request rejected (429) · rate limit", "exit": 1}


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


# The tree


def test_a_ralph_that_an_agent_starts_is_a_child_run_three_levels_deep(loop):
    directories = nest(loop, done())
    ended = loop.ralph("run", "-p", "Go on.")
    assert ended.code == 0, ended.err
    (top,) = status(loop)
    runs = chain(top)
    assert [run["project"] for run in runs] == [str(directory) for directory in directories]
    assert [run["parentId"] for run in runs] == [None, runs[0]["id"], runs[1]["id"]]
    assert [run["verdict"] for run in runs] == ["verified"] * 3


def test_an_agent_is_told_its_run_and_the_run_above(loop):
    first, second = nest(loop, {"run": "echo $RALPH_RUN_ID $RALPH_PARENT_RUN_ID > ids"} | done(), levels=2)
    loop.ralph("run", "-p", "Go on.")
    top, below = chain(status(loop)[0])
    assert (second / "ids").read_text().split() == [below["id"], top["id"]]
    assert loop.agent.starts[0].env["RALPH_RUN_ID"] == top["id"]
    assert first == loop.repo.path


def test_killing_the_ralph_at_the_top_leaves_nothing_alive_and_all_levels_interrupted(loop):
    spawned = {"spawn": {"command": "echo $$ > survivor; exec sleep 300", "setsid": True}}
    *_, deepest = nest(loop, spawned | edits({"ready": ""}) | hangs())
    with loop.start() as running:
        wait_for_file(deepest / "ready")
        wait_for_file(deepest / "survivor")
        below = running.descendants
        running.send(signal.SIGKILL)
        running.end()
    wait_until(lambda: not any(is_alive(each.pid) for each in below), "something survived")
    assert not is_alive(int((deepest / "survivor").read_text()))
    assert [run["status"] for run in chain(status(loop)[0])] == ["interrupted"] * 3


def test_a_run_id_of_nowhere_is_no_parent(loop):
    assert loop(done(), env={"RALPH_RUN_ID": "0123abcd"}).code == 0
    assert status(loop)[0]["parentId"] is None


def test_what_lives_comes_first_and_what_ran_last_comes_last(loop, store):
    store.add(loop.repo.path, age=200)
    last = store.add(loop.repo.path, age=100)
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        runs = status(loop)
    assert [run["status"] for run in runs] == ["running", "ended"]
    assert runs[1]["id"] == last


def test_the_last_run_is_not_one_that_another_run_of_the_project_started(loop, store, tmp_path):
    top = store.add(loop.repo.path, age=300)
    child = store.add(loop.repo.path, parent=top, age=200)
    (found,) = status(loop)
    assert [run["id"] for run in chain(found)] == [top, child]


def test_a_project_in_which_another_projects_agent_started_a_run_has_a_last_run(loop, store, tmp_path):
    top = store.add(tmp_path / "other", age=300)
    child = store.add(loop.repo.path, parent=top, age=200)
    assert [run["id"] for run in status(loop)] == [child]
    assert [run["id"] for run in chain(status(loop, "--all")[0])] == [top, child]


def test_one_run_with_what_is_below_it(loop, store):
    top = store.add(loop.repo.path, age=300)
    child = store.add(loop.repo.path, parent=top, age=200)
    grandchild = store.add(loop.repo.path, parent=child, age=100)
    assert [run["id"] for run in chain(status(loop, child[:6].upper())[0])] == [child, grandchild]


def test_a_child_that_the_clock_dates_before_its_parent_is_still_its_child(loop, store):
    top = store.add(loop.repo.path, age=100)
    child = store.add(loop.repo.path, parent=top, age=5000)
    assert [run["id"] for run in chain(status(loop)[0])] == [top, child]


# What a run is doing


def test_the_agent_at_work_and_the_last_reason(loop):
    loop.prepare(says("one"), {"run": waits()} | done(), guardrails=[{"command": "test -e ready"}], maximumIterations=7)
    with loop.start() as running:
        running.wait_for("ready")
        (run,) = status(loop)
    assert (run["status"], run["iterations"], run["limit"]) == ("running", 1, 7)
    assert (run["now"]["doing"], run["now"]["iteration"]) == ("agent", 2)
    assert run["startedAt"] <= run["now"]["since"] <= time.time()
    assert run["lastReason"] == "guardrail test -e ready: exit code 1"


def test_a_guardrail_at_work(loop):
    loop.prepare(done(), guardrails=[{"command": waits()}])
    with loop.start() as running:
        running.wait_for("ready")
        assert status(loop)[0]["now"]["doing"] == f"guardrail {waits()}"


def test_a_wait_says_until_when(loop):
    loop.prepare(LIMITED, quota={"initialWait": 600})
    with loop.start():
        wait_until(lambda: (now := _now(loop)) and now["until"], "it never waited")
        (run,) = status(loop)
    assert run["status"] == "waiting"
    assert "429" in run["now"]["doing"]
    assert abs(run["now"]["until"] - run["now"]["since"] - 600) < 1


def _now(loop):
    return next((run["now"] for run in status(loop)), None)


def test_a_failed_agent_is_the_last_reason(loop):
    loop({"exit": 3, "no_result": True, "say": "x"}, maximumIterations=1)
    (run,) = status(loop)
    assert run["lastReason"] == "agent: it exited with code 3"
    assert run["now"] is None


def test_a_resumed_run_does_what_it_does_now_and_not_what_was_killed(loop):
    loop.prepare(edits({"first": ""}) | hangs(), {"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("first")
        running.send(signal.SIGKILL)
        running.end()
    (dead,) = status(loop)
    assert (dead["status"], dead["now"]) == ("interrupted", None)
    resumed_at = time.time()
    with loop.start("resume") as running:
        running.wait_for("ready")
        (run,) = status(loop)
    assert run["now"]["since"] > resumed_at


def test_the_limit_of_a_supervised_command_is_the_number_of_restarts(loop):
    with loop.start("supervise", "--", "sh", "-c", waits()) as running:
        running.wait_for("ready")
        (run,) = status(loop)
    assert (run["recipe"], run["limit"], run["now"]["doing"]) == ("supervise", 100, "agent")


def test_the_json_has_the_fields_of_a_run_and_those_of_its_state(loop):
    loop(done())
    (run,) = status(loop)
    (listed,) = json.loads(loop.ralph("runs", "--json").out)
    assert {**listed, "limit": 10, "label": None, "now": None, "lastReason": None, "children": []} == run


# Speed

ENTRY = {"seq": 0, "attempt": 1, "iteration": 1, "kind": "run-agent", "action": b"{}", "started_at": 1.0}


def fill(store, project, runs):
    """So many runs with a hundred journal entries each; the options are as large as real ones."""
    options = json.dumps({"loop": LOOP, "settings": {"filler": "x" * 3000}}).encode()
    row = store.row(store.add(project))
    with store.connection() as connection, transaction(connection):
        for number in range(runs):
            made = {"id": f"{number:08x}", "started_at": float(number), "options": options}
            connection.execute(schema.runs.insert(), {**row, **made})
            entries = [{**ENTRY, "run_id": made["id"], "seq": seq} for seq in range(100)]
            connection.execute(schema.journal.insert(), entries)


def seconds(work):
    """The fastest of many."""
    times = []
    for _ in range(30):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


@pytest.mark.e2e
def test_10000_runs_and_1000000_entries_take_no_more_than_twice_the_time_of_100_runs(tmp_path):
    taken = []
    for number in (100, 10_000):
        store = StoredRuns(tmp_path / str(number))
        project = tmp_path / f"project-{number}"
        fill(store, project, number)
        with store.connection() as connection:
            name = str(project)
            works = (
                lambda at=connection, name=name: list_runs(at, project=name, limit=20),
                lambda at=connection: list_runs(at, limit=20),
                lambda at=connection: find_run(at, "00000042"),
                lambda at=connection, project=project: forest(at, project=project),
                lambda at=connection: forest(at, project=None),
            )
            taken.append([seconds(work) for work in works])
    for few, many in zip(*taken, strict=True):
        assert many <= 2 * few
