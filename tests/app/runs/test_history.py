"""What a run leaves behind, read without the code that made it."""

import json

import pytest

from many_runs import CountingStore, rows_sql, run_sql, spec_of, whole, worked
from ralph.app.runs.history import attempts, check_journals, chosen_run, past_of
from ralph.app.runs.views import past_view
from ralph.cli.json_text import json_text
from ralph.cli.runs.text import run_text
from ralph.model.errors import ConfigError
from ralph.store.journal import Tampered, rows_of
from ralph.store.projects import project_at
from ralph.store.runs import find_run
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore

RUN = "0a0a0a0a"
FEW = 4
"""Statements, whatever the number of runs."""


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as store:
        yield store


@pytest.fixture
def project(store, tmp_path):
    return project_at(store, tmp_path).id


def shown(store, run_id=RUN):
    """As text, and as a program gets it."""
    run = find_run(store, run_id)
    text = list(run_text(past_of(store, run, bodies=False), {}, {}))
    return text, json.loads(json_text(past_view(past_of(store, run, bodies=True))))


def check(iteration, slug, *, passed, line):
    key = f"run-command/{iteration}/{slug}"
    return [
        ("begun", key, {"line": f"guardrail {slug}", "mark": "step"}),
        ("ended", key, {"line": line, "mark": "ok" if passed else "bad", "body": {"check": slug, "passed": passed}}),
    ]


def test_each_iteration_with_what_was_seen_and_what_the_next_was_told(store, project):
    steps = [
        *worked(RUN, 1),
        *check(1, "make", passed=False, line="✗ guardrail make: exit code 2 (0.1s) → APPEND\n  see .ralph/make.log"),
        ("ended", "feedback/1", {"body": {"text": "make failed."}}),
        *worked(RUN, 2),
    ]
    store.write(run_sql(RUN, project), *whole(RUN, *steps))
    text, data = shown(store)
    assert text[2:] == [
        "",
        "iteration 1",
        "  ✓ the agent has finished · 1.0s",
        "  ✗ guardrail make: exit code 2 (0.1s) → APPEND",
        "    see .ralph/make.log",
        f"    files: .ralph/runs/{RUN}/iteration-1",
        "",
        "iteration 2",
        "  ✓ the agent has finished · 1.0s",
        f"    files: .ralph/runs/{RUN}/iteration-2",
    ]
    first, second = data["iterations"]
    assert (first["number"], first["attempt"], first["feedback"], second["feedback"]) == (1, 1, "make failed.", "")
    assert first["evidence"] == [{"check": "make", "passed": False}]
    agent, _ = first["actions"]
    assert list(agent) == ["kind", "attempt", "startedAt", "endedAt", "error", "result", "action", "key"]
    assert (agent["kind"], agent["key"], agent["result"]["final"]) == ("run-agent", "run-agent/1", "Done.")
    assert agent["action"]["prompt"].startswith("Do it.")
    assert "parts" not in data


def test_a_killed_attempt_and_the_one_after_it_are_two(store, project):
    begun, ended = worked(RUN, 1)
    again = [("begun", begun[1], {**begun[2], "attempt": 2}), ("ended", ended[1], {**ended[2], "attempt": 2})]
    store.write(run_sql(RUN, project), *whole(RUN, begun, ("taken", "", {}), *again))
    text, data = shown(store)
    assert [(each["number"], each["attempt"]) for each in data["iterations"]] == [(1, 1), (1, 2)]
    assert data["iterations"][0]["actions"][0]["endedAt"] is None
    assert text[3:5] == ["iteration 1", "  ✗ agent: killed before it ended"]
    assert "iteration 1, attempt 2" in text


def test_a_repetition_after_a_used_up_quota_is_a_new_attempt(store, project):
    begun, ended = worked(RUN, 1)
    retried = [("begun", "run-agent/1/retry-1", begun[2]), ("ended", "run-agent/1/retry-1", ended[2])]
    wait = ("ended", "wait/1", {"line": "· waited 3.0s: a quota"})
    store.write(run_sql(RUN, project), *whole(RUN, begun, ended, wait, *retried))
    first, attempt = attempts(rows_of(store, RUN))
    assert (first.number, first.attempt) == (1, 1)
    assert (attempt.number, attempt.attempt) == (1, 2)
    assert [step.first.key for step in first.steps] == ["run-agent/1", "wait/1"]
    assert [step.first.key for step in attempt.steps] == ["run-agent/1/retry-1"]


def test_what_goes_on_is_told_from_what_was_killed(store, project):
    begun, _ = worked(RUN, 1)
    driven = {"status": "running", "verdict": None, "ended_at": None, "owner": OWNER_ELSEWHERE, "until": 1e12}
    store.write(run_sql(RUN, project, **driven), *rows_sql(RUN, ("taken", "", {}), begun))
    assert shown(store)[0][3:5] == ["iteration 1", "  … agent"]


OWNER_ELSEWHERE = '{"host": "far away", "boot": "", "pid_namespace": "", "pid": 1, "since": 1.0}'


def test_what_is_said_at_the_start_is_shown_unless_the_end_says_more(store, project):
    steps = [
        ("begun", "restart/1", {"line": "· The command ended.", "mark": "warn"}),
        ("ended", "restart/1", {}),
        ("begun", "wait/1", {"line": "⏳ a quota: waiting", "mark": "warn"}),
        ("ended", "wait/1", {"line": "· waited 3.0s: a quota"}),
        ("begun", "save-work/1", {"line": "saving the work", "mark": "busy"}),
        ("ended", "save-work/1", {}),
    ]
    store.write(run_sql(RUN, project), *whole(RUN, *steps))
    assert shown(store)[0][2:] == ["· The command ended.", "· waited 3.0s: a quota"]


def test_an_action_that_could_not_be_performed_says_why(store, project):
    begun, _ = worked(RUN, 1)
    failed = ("failed", "run-agent/1", {"line": "✗ agent: no such program", "mark": "bad", "body": '"no such program"'})
    failed[2]["body"] = failed[2]["body"].encode()
    store.write(run_sql(RUN, project), *whole(RUN, begun, failed))
    text, data = shown(store)
    assert "  ✗ agent: no such program" in text
    [action] = data["iterations"][0]["actions"]
    assert (action["error"], action["result"]) == ("no such program", None)


def test_a_run_that_todays_code_does_not_know_is_shown_as_it_is(store, project):
    """Another recipe, settings, actions, marks and kinds of rows than this ralph has."""
    steps = [
        ("begun", "dream/3/sheep", {"line": "counting sheep", "mark": "glow", "body": b"\xffnot JSON"}),
        ("pondered", "dream/3/sheep", {"body": [1]}),
        ("ended", "dream/3/sheep", {"line": "☾ 7 sheep", "mark": "glow", "body": {"sheep": 7}}),
        ("ended", "odd key without number", {"line": "an odd line"}),
    ]
    options = {"settings": {"dreams": {"deep": True}}, "loop": {"sheep": 7}}
    unknown = {"recipe": "dreams", "unit": "dream", "verdict": "awake", "reason": "it is morning"}
    store.write(run_sql(RUN, project, **unknown, options=json.dumps(options).encode()), *whole(RUN, *steps))
    text, data = shown(store)
    assert text[0] == f"run {RUN} · dreams · awake: it is morning"
    assert text[2:] == ["☾ 7 sheep", "an odd line"]
    [first] = data["iterations"]
    assert first["number"] == 3
    assert (first["actions"][0]["action"], first["actions"][0]["result"]) == ("\ufffdnot JSON", {"sheep": 7})


def test_parts_stand_behind_the_run_that_they_are_parts_of(store, project):
    for number, name in enumerate(["", ".b", ".a", ".b.x", ".0123abcd"]):
        run = f"{RUN}{name}"
        is_part = int(name not in ("", ".0123abcd"))
        store.write(run_sql(run, project, started=float(number), is_part=is_part), *whole(run, *worked(run, 1)))
    _, data = shown(store)
    assert [part["id"] for part in data["parts"]] == [f"{RUN}.b", f"{RUN}.b.x", f"{RUN}.a"]
    assert [len(part["iterations"]) for part in data["parts"]] == [1, 1, 1]
    assert data["costUsd"] == pytest.approx(0.05)


def test_the_latest_run_is_never_a_part_without_its_whole(store, project, tmp_path):
    for run, started, is_part in ((RUN, 1.0, 0), (f"{RUN}.t", 2.0, 1), (f"{RUN}.t.coder", 3.0, 1)):
        store.write(run_sql(run, project, started=started, is_part=is_part))
    assert chosen_run(store, None, tmp_path).id == RUN
    assert chosen_run(store, f"{RUN}.t.c", tmp_path).id == f"{RUN}.t.coder"


def test_nothing_has_run_yet(store, tmp_path):
    with pytest.raises(ConfigError, match="nothing has run in this project yet"):
        chosen_run(store, None, tmp_path)


def test_the_2001_runs_of_a_spec_take_a_few_statements(store, tmp_path):
    counting = CountingStore(store)
    run = find_run(store, spec_of(store, tmp_path))
    assert len(past_of(counting, run, bodies=False).parts) == 2000
    assert len(counting.statements) <= FEW
    counting.statements.clear()
    assert len(past_view(past_of(counting, run, bodies=True)).parts) == 2000
    assert len(counting.statements) <= FEW


# Whether it is whole


@pytest.fixture
def sealed(store, project):
    for run in (RUN, f"{RUN}.part"):
        store.write(run_sql(run, project, is_part=int("." in run)), *whole(run, *worked(run, 1)))
    return find_run(store, RUN)


def test_a_journal_is_whole(store, sealed):
    found = check_journals(store, sealed)
    assert (found.runs, found.rows) == (2, 10)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET line = 'x' WHERE run_id LIKE '%.part' AND n = 4",
        "UPDATE journal SET body = '{}' WHERE run_id LIKE '%.part' AND n = 3",
        "DELETE FROM journal WHERE run_id LIKE '%.part' AND n = 2",
        "UPDATE runs SET verdict = 'failed' WHERE id LIKE '%.part'",
    ],
)
def test_a_change_in_a_part_is_found(store, sealed, change):
    store.write(Sql(change.replace("'{}'", "CAST('{}' AS BLOB)"), must=1))
    with pytest.raises(Tampered, match=f"run {RUN}.part was changed from outside"):
        check_journals(store, sealed)
