"""ACP agents in settings and in the loop; the real one, too."""

import pytest

from acp_scripts import DONE, Agent, asks, by, calls, says, shows, thinks
from loops import is_alive
from ralph.agents.acp import Acp
from ralph.agents.adapter import Call
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.proc.own_python import own_module
from ralph.testing import run_ralph
from real_programs import need_cli
from scripted_model import ModelServer, real_agent
from survivors import IS_THERE, KINDS

pytestmark = pytest.mark.e2e

PROMPT = "Do it."


def invocation(*flags):
    call = Call(PROMPT, "context.md", "output.md", stream=True)
    return Acp().invocation(["sh", "-c"], list(flags), call).argv


def test_flags_are_the_agents_own_but_for_the_policy_and_the_model():
    argv = invocation("--verbose", "--permissions", "reads", "--model=large", "--", "--permission")
    assert argv == [
        *own_module("ralph.agents.acp_client"),
        *("--permissions=reads", "--model=large"),
        *("--", "sh", "-c", "--verbose", "--", "--permission"),
    ]


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigError, match=r"--permissions=maybe is not a policy.* allow, reads, deny"):
        invocation("--permissions=maybe")


def test_a_missing_agent_is_told_before_anything_runs():
    with pytest.raises(AgentUnusable, match="no-such-agent is not on PATH"):
        Acp().invocation(["no-such-agent"], [], Call(PROMPT, "context.md", "output.md", stream=True))


def loop_with(loop, *starts, flags=(), **settings):
    agent = Agent(loop.repo.home, *starts)
    loop.settings(**agent.executor(*flags), **settings)
    return agent, loop.ralph("run", "-p", PROMPT)


def test_a_loop_goes_on_until_the_agent_says_done_itself(loop):
    not_done = "<response>NOT DONE</response>"
    agent, ended = loop_with(
        loop,
        [says(not_done)],
        [calls("t1", status="completed", rawOutput=DONE, content=shows(DONE)), thinks(DONE), says("no tag")],
        [
            says(DONE, kind="user_message_chunk"),
            says(DONE, **by("t1")),
            says(f"{DONE} was said", "m1"),
            says("hm", "m2"),
        ],
        [says("<respon"), says("se>DONE</re"), says("sponse>")],
    )
    assert ended.code == 0, ended.err
    assert len(agent.all_of("start")) == 4
    tag = "When all of the work is done, end your final message with <response>DONE</response> on a line of its own."
    asked_again = f"{PROMPT}\n\n{tag}"
    assert [call["prompt"][0]["text"] for call in agent.all_of("session/prompt")] == [PROMPT, *[asked_again] * 3]


def test_a_denied_permission_is_no_success_in_the_loop(loop):
    _, ended = loop_with(loop, [asks("execute"), says(DONE)], flags=["--permissions=deny"], maximumIterations=1)
    assert ended.code == 1
    assert "execute(touch it)" in ended.out + ended.err


def test_a_login_that_is_wanted_ends_the_loop_at_once(loop):
    agent, ended = loop_with(loop, [{"error": {"code": -32000, "message": "Authentication required"}}])
    assert ended.code == 7
    assert "Authentication required" in ended.err + ended.out
    assert len(agent.all_of("start")) == 1


def test_interrupting_the_loop_cancels_the_turn_and_leaves_nothing(loop):
    stays = {"shell": KINDS["in a session of its own"]}
    agent = Agent(loop.repo.home, [says("busy"), stays, {"shell": IS_THERE}, {"until_cancelled": 1}])
    loop.settings(**agent.executor())
    with loop.start("run", "-p", PROMPT) as running:
        running.wait_for("survivor")
        below = [each.pid for each in running.descendants]
        running.send_and_hear()
        running.send()
        assert running.end().code == 130
    assert len(agent.all_of("session/cancel")) == 1
    survivor = int((loop.repo.path / "survivor").read_text())
    assert [pid for pid in (*below, survivor) if is_alive(pid)] == []


REAL = "claude-agent-acp"
SECONDS = 240
EDITS = {"say": "Editing.", "tool": {"shell": "echo hi > a.txt"}}


@pytest.fixture
def real(loop):
    need_cli(REAL)

    def prepare(server, *flags):
        """Settings that choose the real agent; the environment in which it finds the model server."""
        agent = real_agent(REAL, server.url, loop.repo.home)
        entry = {"id": "real", "type": "acp", "command": agent.command, "flags": list(flags)}
        loop.settings(
            tools={"executors": [entry]}, agent={"command": "real"}, guardrails=[{"command": "test -s a.txt"}]
        )
        return agent.env

    return prepare


def test_the_real_agent_edits_a_file_and_completes(loop, real):
    with ModelServer({"say": DONE}, EDITS, {"say": f"Done now. {DONE}"}) as server:
        ended = run_ralph(loop.repo, "run", "-p", PROMPT, env=real(server), timeout=SECONDS)
        assert ended.returncode == 0, ended.stderr
        assert len(server.conversation) == 3
    assert loop.exists("a.txt")
    assert loop.show()["verdict"] == "verified"


def test_the_real_agent_is_denied_what_the_policy_denies(loop, real):
    with ModelServer(EDITS, {"say": DONE}) as server:
        env = real(server, "--permissions=deny")
        ended = run_ralph(loop.repo, "run", "-p", PROMPT, "-m", "1", env=env, timeout=SECONDS)
    assert ended.returncode == 1
    assert "denied a permission: Bash(echo hi > a.txt)" in ended.stdout + ended.stderr
    assert not loop.exists("a.txt")


def test_the_real_agent_works_with_a_chosen_model(loop, real):
    with ModelServer(EDITS, {"say": DONE}) as server:
        ended = run_ralph(loop.repo, "run", "-p", PROMPT, env=real(server, "--model=haiku"), timeout=SECONDS)
        assert ended.returncode == 0, ended.stderr
        assert "haiku" in server.conversation[0].model


def test_a_limit_of_the_real_agents_model_is_waited_for(loop, real):
    with ModelServer({"error": 429}, EDITS, {"say": DONE}) as server:
        env = real(server) | {"CLAUDE_CODE_MAX_RETRIES": "0", "RALPH_QUOTA__INITIAL_WAIT": "1"}
        ended = run_ralph(loop.repo, "run", "-p", PROMPT, "-m", "1", env=env, timeout=SECONDS)
    assert ended.returncode == 0, ended.stderr


def test_the_real_agent_leaves_nothing_when_the_loop_is_interrupted(loop, real):
    with ModelServer({"say": "Sleeping.", "tool": {"shell": "touch begun; sleep 600"}}, {"say": DONE}) as server:
        env = real(server)
        with loop.start("run", "-p", PROMPT, env=env) as running:
            running.wait_for("begun")
            below = [each.pid for each in running.descendants]
            running.send_and_hear()
            running.send()
            assert running.end().code == 130
    assert [pid for pid in below if is_alive(pid)] == []
