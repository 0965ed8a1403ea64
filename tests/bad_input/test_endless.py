"""Agents and guardrails that do not end: a time limit ends all of their processes and keeps the work."""

import itertools

import pytest

from loops import PROMPT, is_alive
from ralph.testing import done, edits, hangs
from survivors import IS_THERE, KINDS

pytestmark = pytest.mark.e2e

# Of every kind in tests/proc; here it is the whole program that must end them.
survivors = pytest.mark.parametrize("kind", ["in a session of its own", "a daemon"])


@pytest.fixture
def survivor(loop):
    return lambda: int(loop.repo.read("survivor"))


def quiet(loop, *steps, **settings):
    ended = loop(*steps, args=("--quiet", "-p", PROMPT), **settings)
    assert (ended.code, ended.err) == (0, "")
    return loop.show()["iterations"]


def agent_report(iteration):
    return next(action["result"] for action in iteration["actions"] if action["kind"] == "run-agent")


@survivors
@pytest.mark.parametrize(("limit", "status"), [({"agent": 3}, "timeout"), ({"idle": 2}, "idle")])
def test_an_agent_that_reaches_a_limit_is_ended_with_all_it_started(loop, survivor, kind, limit, status):
    endless = edits({"work.txt": "kept"}) | {"run": f"{{ {KINDS[kind]}\n{IS_THERE}; }} > /dev/null 2>&1"} | hangs()
    first, _ = quiet(loop, endless, done(), timeouts=limit)
    assert agent_report(first)["status"] == status
    assert f"timeouts.{next(iter(limit))}" in loop.agent.prompts[1]
    assert loop.repo.read("work.txt") == "kept"
    assert not is_alive(survivor())
    assert not is_alive(loop.agent.starts[0].pid)


@survivors
def test_a_guardrail_that_reaches_its_limit_is_ended_with_all_it_started(loop, survivor, kind):
    guardrail = f"test -e good && exit; echo begun; {KINDS[kind]}\n{IS_THERE}; sleep 600"
    quiet(
        loop,
        edits({"work.txt": "kept"}),
        edits({"good": ""}) | done(),
        guardrails=[{"command": guardrail}],
        timeouts={"guardrail": 3},
    )
    assert "timeouts.guardrail (3 s)" in loop.agent.prompts[1]
    # A shell whose command is ended before itself adds "Terminated".
    assert loop.agent.prompts[1].removesuffix("Terminated\n").endswith("begun\n")
    assert loop.repo.read("work.txt") == "kept"
    assert not is_alive(survivor())


def test_an_agent_that_closes_its_output_and_lives_on_is_ended_by_the_idle_limit(loop):
    lives_on = edits({"work.txt": "kept"}) | {"close_stdout": True, "no_result": True}
    first, _ = quiet(loop, lives_on, done(), timeouts={"idle": 1})
    assert agent_report(first)["status"] == "idle"
    assert loop.repo.read("work.txt") == "kept"
    assert not is_alive(loop.agent.starts[0].pid)


def test_an_agent_that_is_deaf_to_polite_signals_is_ended(loop):
    first, _ = quiet(loop, hangs(hard=True), done(), timeouts={"agent": 1})
    assert agent_report(first)["status"] == "timeout"
    assert not is_alive(loop.agent.starts[0].pid)


def test_an_agent_that_prints_without_end_is_ended_by_its_limit_and_nothing_is_lost(loop):
    endless = {"flood": {"bytes": 10**13, "line": 10_000}}
    first, _ = quiet(loop, endless, done(), timeouts={"agent": 2})
    assert agent_report(first)["status"] == "timeout"
    assert not is_alive(loop.agent.starts[0].pid)
    (stream,) = loop.repo.path.glob(".ralph/runs/*/iteration-1/stream.ndjson")
    with stream.open("rb") as lines:
        assert lines.readline().startswith(b'{"type":"system"')
        assert {len(line) for line in itertools.islice(lines, 100)} == {10_000}


def test_what_an_agent_says_while_it_is_being_ended_is_kept(loop):
    agent = loop.repo.home / "claude"
    agent.write_text("#!/bin/sh\ntrap 'echo farewell; exit 0' INT TERM\necho hello\nwhile :; do sleep 0.05; done\n")
    agent.chmod(0o755)
    loop.settings(agent={"command": str(agent)}, timeouts={"agent": 1})
    assert loop.ralph("run", "--quiet", "-p", PROMPT, "-m", "1").code == 1
    (stream,) = loop.repo.path.glob(".ralph/runs/*/iteration-1/stream.ndjson")
    assert stream.read_text() == "hello\nfarewell\n"
