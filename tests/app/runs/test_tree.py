"""The tree of runs and what is known of each, from real runs in real directories."""

import json
import signal
import time

import pytest

from loops import PROMPT, is_alive, wait_until, waits
from many_runs import CountingStore, many, spec_of
from ralph.app.runs.history import past_of
from ralph.app.runs.logs import pieces
from ralph.app.runs.tree import forest, nodes
from ralph.model.runs import Now
from ralph.model.words import first_words
from ralph.store.follow import news
from ralph.store.runs import find_run, list_runs
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore
from ralph.testing import done, edits, hangs, says
from run_trees import chain, nest, status, wait_for_file
from stored_runs import StoredRuns

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
    assert [run["project"] for run in runs] == [directory.name for directory in directories]
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
    spawned = {"spawn": {"command": "echo $$ > pid; mv pid survivor; exec sleep 300", "setsid": True}}
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
    assert [run["id"] for run in chain(status(loop, child[:-2].upper())[0])] == [child, grandchild]


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
    assert {
        **listed,
        "limit": 10,
        "label": first_words(PROMPT, 40),
        "now": None,
        "lastReason": None,
        "children": [],
    } == run


def test_what_a_run_is_doing_needs_nothing_of_todays_code(loop, store):
    """Neither its recipe nor the action it performs is known to this ralph."""
    told = {"doing": "dreaming of sheep", "doing_iteration": 3, "doing_since": 7.0, "last_reason": "no sheep"}
    run_id = store.unfinished(loop.repo.path, recipe="dreams", label="night 1", unit="dream", **told)
    with store.open() as opened:
        [node] = forest(opened, loop.repo.path)
    assert (node.run.id, node.run.recipe, node.run.now) == (run_id, "dreams", Now("dreaming of sheep", 3, 7.0))
    line = loop.ralph("status").out
    assert "dreams night 1 · dream 3/10 · dreaming of sheep for" in line
    assert "last: no sheep" in line


# Speed

SCANS = ("SCAN runs", "SCAN run", "SCAN journal", "SCAN part", "SCAN above")
FEW = 6
"""Statements, whatever the number of runs."""


@pytest.fixture
def counting(tmp_path):
    with SqliteStore(tmp_path / "home") as store:
        yield CountingStore(store)


def test_a_look_at_the_2001_runs_of_a_spec_takes_a_few_statements(counting, tmp_path):
    spec = spec_of(counting, tmp_path)
    counting.statements.clear()
    assert len(nodes(forest(counting, tmp_path))) == 2001
    assert len(counting.statements) <= FEW
    counting.statements.clear()
    [top] = forest(counting, None, spec)
    assert (len(nodes([top])), len(top.children)) == (2001, 400)
    assert len(counting.statements) <= FEW


def test_a_look_at_251_runs_that_live_takes_a_few_statements(counting, tmp_path):
    many(counting, tmp_path, 251, rows=0)
    counting.write(Sql("UPDATE runs SET status = 'queued'"))
    counting.statements.clear()
    assert len(forest(counting, tmp_path)) == 251
    assert len(counting.statements) <= FEW


@pytest.mark.parametrize(
    "work",
    [
        lambda store, _: list_runs(store, limit=20),
        lambda store, project: list_runs(store, project=project.name, limit=20),
        lambda store, _: find_run(store, "00000003"),
        forest,
        lambda store, _: forest(store, None),
        lambda store, _: forest(store, None, "00000003"),
        lambda store, _: news(store, 5),
        lambda store, _: news(store, 5, "00000003"),
        lambda store, _: past_of(store, find_run(store, "00000003"), bodies=True),
        lambda store, _: list(pieces(store, find_run(store, "00000003"), follow=False)),
    ],
    ids=["list all", "list", "find", "status", "status all", "tree", "news", "news of one", "show", "logs"],
)
def test_no_statement_goes_through_all_runs_or_the_whole_journal(counting, tmp_path, work):
    many(counting, tmp_path, 10, rows=4)
    counting.statements.clear()
    work(counting, tmp_path)
    plans = [(text, counting.read(f"EXPLAIN QUERY PLAN {text}", **given)) for text, given in list(counting.statements)]
    details = [(row["detail"], text) for text, plan in plans for row in plan]
    assert [each for each in details if each[0].startswith(SCANS) and not from_the_newest(*each)] == []


def from_the_newest(detail, text):
    """A walk that ends with the first few runs it finds."""
    return detail == "SCAN run USING INDEX runs_by_start" and text.endswith("LIMIT :most")


def test_a_follower_of_one_run_does_not_read_what_it_has_read(counting, tmp_path):
    """Through the index of its run it would, at each look."""
    many(counting, tmp_path, 1, rows=4)
    counting.statements.clear()
    news(counting, 4, "00000000")
    [(text, given)] = counting.statements
    plan = [row["detail"] for row in counting.read(f"EXPLAIN QUERY PLAN {text}", **given)]
    assert plan[0] == "SEARCH journal USING INTEGER PRIMARY KEY (rowid>?)"


def seconds(work):
    """The fastest of many."""
    times = []
    for _ in range(30):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


@pytest.mark.e2e
def test_10000_runs_and_1000000_rows_take_no_more_than_twice_the_time_of_100_runs(tmp_path):
    taken = []
    for number in (100, 10_000):
        project = tmp_path / f"project-{number}"
        project.mkdir()
        with SqliteStore(tmp_path / str(number)) as store:
            many(store, project, number, rows=100)
            works = (
                lambda at=store, name=project.name: list_runs(at, project=name, limit=20),
                lambda at=store: list_runs(at, limit=20),
                lambda at=store: find_run(at, "00000042"),
                lambda at=store, project=project: forest(at, project),
                lambda at=store: forest(at, None),
            )
            taken.append([seconds(work) for work in works])
    for few, many_runs in zip(*taken, strict=True):
        assert many_runs <= 2 * few
