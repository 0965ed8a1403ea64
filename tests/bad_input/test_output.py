"""What agents and guardrails may print: nothing of it is lost, and nothing of it disturbs the loop."""

import base64
import json

import pytest

from loops import PROMPT
from ralph.testing import done, edits, fails, says

pytestmark = pytest.mark.e2e

BYTES = b"\xff\xfe\x00 caf\xe9 \xed\xa0\x80\n"
MEGABYTE = 1_000_000


def raw(data):
    return {"raw_base64": base64.b64encode(data).decode()}


def recorded(loop, name, iteration=1):
    return (loop.repo.path / f".ralph/runs/{loop.show()['id']}/iteration-{iteration}/{name}").read_bytes()


def quiet(loop, *steps, **settings):
    ended = loop(*steps, args=("--quiet", "-p", PROMPT), **settings)
    assert (ended.code, ended.err) == (0, "")
    return ended


@pytest.mark.parametrize("agent", ["claude", "text"])
def test_bytes_that_are_not_utf8_in_an_agents_output(loop, agent):
    quiet(loop, raw(BYTES) | edits({"a": "1"}) | done(), scripted={"format": agent})
    assert BYTES in recorded(loop, "stream.ndjson")
    assert loop.repo.read("a") == "1"


def test_bytes_that_are_not_utf8_inside_a_line_of_the_stream(loop):
    line = b'{"type":"assistant","message":{"content":[{"type":"text","text":"caf\xe9"}]}}\n'
    quiet(loop, raw(line) | done())
    assert line in recorded(loop, "stream.ndjson")


@pytest.mark.parametrize("args", [("-p", PROMPT), ("--verbose", "-p", PROMPT)])
def test_such_bytes_can_be_shown(loop, args):
    ended = loop(raw(BYTES) | done(), args=args)
    assert ended.code == 0
    shown = loop.ralph("logs")
    assert (shown.code, shown.err) == (0, "")
    assert loop.ralph("logs", "--raw").code == 0


def test_bytes_that_are_not_utf8_in_an_agents_errors(loop):
    agent = loop.repo.home / "claude"
    agent.write_bytes(b"#!/bin/sh\ncat > /dev/null\nprintf '%s' '" + BYTES.replace(b"\0", b"") + b"' >&2\nexit 3\n")
    agent.chmod(0o755)
    loop.settings(agent={"command": str(agent)})
    ended = loop.ralph("run", "--quiet", "-p", PROMPT, "-m", "2")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert recorded(loop, "stderr.log") == BYTES.replace(b"\0", b"")
    actions = [each["action"] for each in loop.show()["iterations"][1]["actions"]]
    [second] = [action["prompt"] for action in actions if action and "prompt" in action]
    assert "it exited with code 3" in second
    assert "caf\N{REPLACEMENT CHARACTER}" in second


def test_bytes_that_are_not_utf8_in_a_guardrails_output(loop):
    loop.repo.write("says", "").write_bytes(BYTES)
    quiet(loop, says("one"), edits({"good": ""}) | done(), guardrails=[{"command": "cat says; test -e good"}])
    assert (loop.repo.path / ".ralph/guardrail_1_cat_says_test_e_good.log").read_bytes() == BYTES
    assert "caf\N{REPLACEMENT CHARACTER}" in loop.agent.prompts[1]
    assert not loop.show()["iterations"][0]["evidence"][0]["passed"]


def test_bytes_that_are_not_utf8_in_a_commit_message(git_loop):
    message = {"when": {"prompt_contains": "commit message"}, "no_result": True} | raw(b"Add caf\xe9\n")
    quiet(git_loop, edits({"a": "1"}) | done(), message, scm={"command": "git", "tasks": ["commit"]})
    assert git_loop.repo.log() == ["base", "Add caf\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize("agent", ["claude", "text"])
def test_a_line_of_50_mb(loop, agent):
    quiet(loop, {"line_of": {"bytes": 50 * MEGABYTE}} | done(), scripted={"format": agent})
    stream = recorded(loop, "stream.ndjson")
    assert max(map(len, stream.splitlines(keepends=True))) == 50 * MEGABYTE
    if agent == "claude":
        assert json.loads(stream.splitlines()[-1])["type"] == "result"


def test_a_line_of_50_mb_without_an_end(loop):
    quiet(loop, raw(b"{" + b"x" * MEGABYTE * 5) | {"no_result": True}, done())
    assert recorded(loop, "stream.ndjson") == b"{" + b"x" * MEGABYTE * 5
    assert len(loop.agent.starts) == 2


def test_a_line_of_50_mb_from_a_guardrail(loop):
    command = "head -c 50000000 /dev/zero | tr '\\0' x; test -e good"
    quiet(loop, says("one"), edits({"good": ""}) | done(), guardrails=[{"command": command}])
    (log,) = (loop.repo.path / ".ralph").glob("guardrail_1_*.log")
    assert log.stat().st_size == 50 * MEGABYTE
    assert loop.agent.prompts[1].endswith("x" * 5000 + "... [truncated]")


def test_an_agent_that_prints_nothing_at_all(loop):
    ended = loop(fails(), args=("--quiet", "-p", PROMPT))
    assert (ended.code, ended.err.count("\n"), len(ended.prompts)) == (7, 1, 3)


def test_lines_that_are_json_but_no_events(loop):
    odd = b'null\n1\n[]\n"text"\n{}\n{"type":7}\n{"type":"user","message":[]}\n{"type":"result","result":{}}\n'
    quiet(loop, raw(odd) | done())
    assert odd in recorded(loop, "stream.ndjson")
