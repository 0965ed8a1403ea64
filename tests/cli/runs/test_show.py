"""`ralph show` and `ralph logs` as programs, of real runs and of runs that this ralph could not have made."""

import json
import re
import subprocess
import sys

import pytest

from loops import NAMED, waits
from many_runs import whole, worked
from ralph.store.sql import Sql
from ralph.testing import done, edits, says
from stored_runs import StoredRuns

RAILS = [{"command": "test -f made"}]


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def plain(text):
    return re.sub(r"\d+\.\d+s", "Ns", text)


def test_the_lines_are_those_that_the_run_itself_showed(loop):
    loop(says("hm"), edits({"made": ""}) | done(), guardrails=RAILS)
    run = loop.show()["id"]
    lines = plain(loop.ralph("show").out).splitlines()
    assert lines[0] == f"run {run} · {NAMED} · verified: proven done after 2 iterations"
    assert lines[1].startswith(f"  {loop.repo.path} · started just now · took Ns")
    assert lines[2:] == [
        "",
        "iteration 1",
        "  ✓ the agent has finished · Ns",
        "  ✗ guardrail test -f made: exit code 1 (Ns) → APPEND",
        f"      see .ralph/runs/{run}/iteration-1/guardrail_test_f_made.log",
        f"    files: .ralph/runs/{run}/iteration-1",
        "",
        "iteration 2",
        "  ✓ the agent has finished · Ns · 1 tool",
        "  ✓ guardrail test -f made: exit code 0 (Ns)",
        "  ✓ the response was DONE",
        f"    files: .ralph/runs/{run}/iteration-2",
    ]


def test_an_interrupted_run_names_the_command_that_goes_on(loop, store):
    run = store.killed(loop.repo.path)
    assert loop.ralph("show").out.endswith(f"\n\nContinue it: ralph resume {run}\n")


# Whether it is whole


def test_the_journal_of_a_real_run_is_whole(loop):
    loop(says("hm"), done())
    run = loop.show()["id"]
    ended = loop.ralph("show", "--verify-journal")
    assert ended.code == 0, ended.err
    assert re.fullmatch(rf"The journal of run {run} is intact: \d+ rows of 1 run\.\n", ended.out)
    counted = json.loads(loop.ralph("show", "--verify-journal", "--json", run).out)
    assert counted["runs"] == 1
    assert f"{counted['rows']} rows" in ended.out


def test_a_journal_that_was_changed_ends_with_6_and_one_line(loop, store):
    loop(done())
    run = loop.show()["id"]
    with store.open() as opened:
        opened.write(Sql("UPDATE journal SET line = 'all is well' WHERE run_id = :id AND n = 4", {"id": run}, must=1))
    ended = loop.ralph("show", "--verify-journal", run)
    assert (ended.code, ended.out) == (6, "")
    assert ended.err == (
        f"ralph: run {run} was changed from outside: row 4 of its journal is not what was written."
        " Start it again with the command that started it.\n"
    )


# A run of another ralph


@pytest.fixture
def strange(loop, store):
    """Its recipe, settings, actions and formats are unknown here."""
    run = store.add(loop.repo.path, status="queued", recipe="dreams", label="night 1", unit="dream")
    begun, _ = worked(run, 1)
    about = {"path": f".ralph/runs/{run}/iteration-1/stream.ndjson", "format": "morse"}
    steps = [
        ("begun", "dream/1", {**begun[2], "line": "dreaming", "body": {"do": "dream", "stream": about}}),
        ("ended", "dream/1", {"line": "☾ 7 sheep", "mark": "glow", "body": {"sheep": 7}}),
    ]
    with store.open() as opened:
        opened.write(*whole(run, *steps, verdict="awake"))
    (loop.repo.path / about["path"]).write_text("-.-. --.-\n")
    options = json.dumps({"settings": {"dreams": {"deep": True}}, "loop": {"sheep": 7}}).encode()
    store.change(run, status="ended", verdict="awake", reason="it is morning", ended_at=1.0, options=options)
    return run


def test_what_todays_code_does_not_know_is_shown_as_it_is(loop, strange):
    for command in ("runs", "show", "status", "logs"):
        ended = loop.ralph(command)
        assert (ended.code, ended.err) == (0, ""), command
    assert loop.ralph("show").out.splitlines()[2:] == [
        "",
        "dream 1",
        "  ☾ 7 sheep",
        f"    files: .ralph/runs/{strange}/iteration-1",
    ]
    assert loop.ralph("logs").out == "── dream 1 ──\n-.-. --.-\n"
    assert "dreams night 1" in loop.ralph("status").out
    [iteration] = loop.show()["iterations"]
    assert iteration["actions"][0]["result"] == {"sheep": 7}


# Logs


def test_logs_say_which_iteration_and_when(loop):
    loop(says("first words"), says("more") | done())
    out = loop.ralph("logs").out
    assert (
        out.index("── iteration 1 ──") < out.index("first words") < out.index("── iteration 2 ──") < out.index("more")
    )
    stamped = loop.ralph("logs", "--timestamps").out.splitlines()
    assert all(re.match(r"\[\d\d:\d\d:\d\d\] ", line) for line in stamped if not line.startswith("──"))
    assert [line for line in stamped if line.endswith("first words")]


def test_raw_is_what_the_agent_wrote(loop):
    loop(says("hm"), done())
    run = loop.show()["id"]
    files = [loop.repo.path / f".ralph/runs/{run}/iteration-{number}/stream.ndjson" for number in (1, 2)]
    assert loop.ralph("logs", "--raw").out == "".join(file.read_text() for file in files)


def test_following_shows_what_is_said_and_ends_with_the_run(loop):
    loop.prepare(says("I begin"), {"run": waits()} | says("I end") | done())
    with loop.start() as running:
        running.wait_for("ready")
        loop.repo.write("go", "")
        followed = loop.ralph("logs", "-f")
        assert running.end().code == 0
    assert followed.code == 0, followed.err
    assert followed.out.index("I begin") < followed.out.index("I end")
    assert followed.out.count("── iteration ") == 2


# Speed


@pytest.mark.parametrize("args", [("runs",), ("status",), ("show",), ("show", "--json"), ("logs",)])
def test_a_command_that_only_reads_needs_no_event_loop(loop, args):
    loop(done())
    program = f"""
import sys
sys.argv = ["ralph", *{args!r}]
from ralph.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
assert "asyncio" not in sys.modules
"""
    at = {"cwd": loop.repo.path, "env": loop.repo.env}
    ended = subprocess.run([sys.executable, "-c", program], **at, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout
