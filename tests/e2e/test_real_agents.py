"""A whole `ralph run` with the real programs on a scripted model: tools, guardrails, completion, limits, no orphans."""

import json
import os
import signal

import psutil
import pytest

from loops import is_alive, wait_until
from real_programs import need_cli
from scripted_model import ModelServer, real_agent
from scripted_model.real_agents import AGENTS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

DONE = {"say": "All done.\n<response>DONE</response>"}
GUARDRAIL = {"command": "test -e second.txt", "hint": "second.txt is missing"}
# Codex reports a used-up quota only after its own retries; the others at once or soon.
LIMITED = {"error": 429, "retry_after": 1}


@pytest.fixture(params=AGENTS)
def name(request):
    need_cli(request.param)
    return request.param


@pytest.fixture
def drive(name, git_loop):
    """Run ralph with this agent and this model; the agent's home is the test's own."""

    def prepare(server, **settings):
        agent = real_agent(name, server.url, git_loop.repo.home)
        git_loop.env = agent.env
        git_loop.settings(**{**agent.settings, "maximumIterations": 3, **settings})
        return git_loop

    return prepare


def test_a_tool_edits_a_file_and_a_guardrail_fails_then_passes(name, drive):
    turns = (
        {"tool": {"shell": "echo 1 > first.txt"}},
        DONE,
        {"tool": {"shell": "echo 2 > second.txt"}},
        DONE,
    )
    with ModelServer(*turns) as server:
        loop = drive(server, guardrails=[GUARDRAIL])
        ended = loop.ralph("run", "-p", "Write the files.", env=loop.env)
        assert ended.code == 0, ended.err + ended.out
    assert "proven done after 2 iterations" in ended.err
    assert loop.repo.read("first.txt") == "1\n"
    assert loop.repo.read("second.txt") == "2\n"
    first, second = loop.show()["iterations"]
    assert "second.txt is missing" in first["feedback"]
    assert second["actions"][0]["result"]["tools"] >= 1
    assert any("second.txt is missing" in request.prompt for request in server.conversation)


def test_a_refusal_for_the_rate_recovers(name, drive):
    with ModelServer(LIMITED, DONE) as server:
        loop = drive(server, quota={"initialWait": 1, "maxWait": 2})
        ended = loop.ralph("run", "-p", "Say that you are done.", env=loop.env)
    assert ended.code == 0, ended.err + ended.out
    assert "done by the agent's word after 1 iteration" in ended.err


@pytest.mark.parametrize("how", ["two signals", "kill -9"])
def test_an_interrupted_run_leaves_nothing_alive(name, drive, how):
    with ModelServer({"tool": {"shell": "echo $$ > pid.new; mv pid.new pid; sleep 3600"}}, DONE) as server:
        loop = drive(server)
        with loop.start("run", "-p", "Sleep.", env=loop.env) as running:
            wait_until(lambda: loop.exists("pid"), "the tool did not begin", patience=120)
            tree = [process.pid for process in running.descendants]
            assert int(loop.repo.read("pid")) in tree or name in ("copilot", "codex", "opencode")
            if how == "kill -9":
                running.send(signal.SIGKILL)
            else:
                running.send_and_hear()
                running.send()
            running.end()
        wait_until(lambda: not alive(tree, loop), f"still alive: {alive(tree, loop)}")


def alive(tree, loop):
    """Whatever of the tree lives, or has this test's home in its environment."""
    found = [pid for pid in tree if is_alive(pid)]
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("HOME") == str(loop.repo.home):
                found.append(process.pid)
        except psutil.Error:
            continue
    return sorted({pid for pid in found if is_alive(pid)})


def test_what_it_said_can_be_read_afterwards(name, drive):
    with ModelServer({"tool": {"shell": "echo seen"}}, DONE) as server:
        loop = drive(server)
        assert loop.ralph("run", "-p", "Look.", env=loop.env).code == 0
    assert "All done." in loop.ralph("logs").out
    raw = loop.ralph("logs", "--raw").out
    assert all(json.loads(line) for line in raw.splitlines() if line.startswith("{"))
