"""The ACP client program with a real agent process."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from acp_scripts import DONE, Agent, asks, calls, says, stops, thinks, updates
from loops import is_alive, wait_until
from ralph.agents.registry import choose
from ralph.agents.run import STDERR, STREAM, Supervision, TimeLimits, run_agent
from ralph.config.schema import apply_schema
from ralph.model.events import PermissionDenied, Tokens, ToolEnd
from ralph.proc.own_python import own_module
from ralph.workbench.bench import Workbench
from survivors import IS_THERE, KINDS

pytestmark = pytest.mark.e2e

CLIENT = own_module("ralph.agents.acp_client")
PROMPT = "Do it."


@dataclass
class Ran:
    report: object
    directory: Path
    events: list
    agent: Agent

    @property
    def final(self):
        return self.report.final


@pytest.fixture
def ran(tmp_path):
    """Run the stub once, as the loop would."""
    project = tmp_path / "project"
    directory = project / "attempt"
    directory.mkdir(parents=True)

    def run(*steps, flags=(), model=None, prompt=PROMPT, limits=None, **script):
        agent = Agent(tmp_path / "bin", steps, **script)
        events = []
        bench = Workbench(project, {"PATH": os.environ["PATH"]}, "acp.1.1", log=directory)
        chosen = choose(apply_schema(agent.executor(*flags, model=model)))
        watch = Supervision(emit=events.extend)
        done = run_agent(bench, chosen, prompt, stream=True, limits=limits or TimeLimits(run=60), watch=watch)
        return Ran(asyncio.run(done), directory, events, agent)

    return run


def test_a_prompt_is_answered(ran):
    usage = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}
    done = ran(
        thinks("let me see"),
        calls("t1", "ls", kind="execute", status="in_progress", rawInput={"command": "ls"}),
        updates("t1", status="completed", rawOutput="a.py"),
        says("All "),
        says(f"done. {DONE}"),
        stops("end_turn", **usage),
    )
    assert done.report.ok, done.report
    assert done.final == f"All done. {DONE}"
    assert (done.report.tokens, done.report.tools) == (Tokens(100, 20), 1)
    assert [type(event).__name__ for event in done.events] == [
        *("Progress", "Progress", "Thinking", "ToolStart", "ToolEnd", "Text", "Result")
    ]
    assert not (done.directory / STDERR).exists()


def test_the_agent_hears_the_prompt_and_the_project(ran):
    prompt = "Läs this: \u2028 'quotes' \"both\"\n" * 50_000
    done = ran(says("read"), prompt=prompt)
    assert done.report.ok
    [asked] = done.agent.all_of("session/prompt")
    assert asked["prompt"] == [{"type": "text", "text": prompt}]
    [opened] = done.agent.all_of("session/new")
    assert opened["cwd"] == str(done.directory.parent)


def test_the_stream_is_what_the_agent_wrote(ran):
    done = ran({"raw": "a log line that does not belong here\n"}, says("fine"))
    lines = (done.directory / STREAM).read_text().splitlines()
    assert "a log line that does not belong here" in lines
    assert done.report.ok
    assert done.final == "fine"


def test_a_long_line_is_read(ran):
    output = "x" * 3_000_000
    done = ran(calls("t1", status="completed", rawOutput=output), says("done"))
    assert done.report.ok
    assert next(event.output for event in done.events if isinstance(event, ToolEnd)) == output


def test_what_the_agent_complains_of_is_kept(ran):
    done = ran({"stderr": "watch out\n"}, says("fine"))
    assert (done.directory / STDERR).read_text() == "watch out\n"


@pytest.mark.parametrize(
    ("flags", "yes", "no"),
    [
        ((), ["read", "edit", "delete", "execute", "switch_mode", None], []),
        (["--permissions=allow"], ["execute"], []),
        (["--permissions=reads"], ["read", "search", "fetch"], ["edit", "execute", "think", "other", None]),
        (["--permissions", "deny"], [], ["read", "execute", None]),
    ],
)
def test_permissions_are_answered_by_the_policy_and_for_this_time_only(ran, flags, yes, no):
    done = ran(*map(asks, yes), *map(asks, no), says(DONE), flags=flags)
    wanted = ["yes"] * len(yes) + ["no"] * len(no)
    assert [answer["optionId"] for answer in done.agent.all_of("permission")] == wanted
    assert done.report.ok
    assert bool(done.report.denial) == bool(no)
    assert sum(isinstance(event, PermissionDenied) for event in done.events) == len(no)


def test_what_is_offered_for_ever_only_is_taken_so(ran):
    done = ran(asks("edit", options=[{"optionId": "always", "kind": "allow_always", "name": "Always"}]), says("ok"))
    assert done.agent.all_of("permission") == [{"outcome": "selected", "optionId": "always"}]
    assert done.report.ok


def test_a_denied_permission_is_named_and_is_no_failure_by_itself(ran):
    done = ran(asks("execute"), says(DONE), flags=["--permissions", "deny"])
    assert PermissionDenied("execute", "touch it") in done.events
    assert (done.report.status, done.report.problem.kind) == ("ok", "permission")
    assert done.report.denial == "it was denied a permission: execute(touch it)"


def test_a_request_that_cannot_be_rejected_is_cancelled(ran):
    only_yes = [{"optionId": "yes", "kind": "allow_once", "name": "Yes"}]
    done = ran(asks("execute", options=only_yes), says(DONE), flags=["--permissions=deny"])
    assert done.agent.all_of("permission") == [{"outcome": "cancelled"}]
    assert done.report.problem.kind == "permission"


def test_files_and_terminals_are_not_offered(ran):
    done = ran({"request": "fs/read_text_file"}, {"request": "terminal/create"}, says("no"))
    assert [done.agent.all_of(name) for name in ("fs/read_text_file", "terminal/create")] == [[{"code": -32601}]] * 2
    [hello] = done.agent.all_of("initialize")
    assert hello["clientCapabilities"] == {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}


@pytest.mark.parametrize("reason", ["refusal", "max_tokens"])
def test_a_turn_that_stops_early_is_a_failure_whatever_was_said(ran, reason):
    done = ran(says(DONE), stops(reason))
    assert (done.report.status, done.report.exit_code) == ("failed", 1)
    assert done.report.reason == f"the agent stopped early: {reason}"
    assert DONE not in done.final
    assert f"the agent stopped early: {reason}" in (done.directory / STDERR).read_text()


def test_an_error_of_the_agent_is_a_problem_of_its_kind(ran):
    done = ran(says(DONE), {"error": {"code": -32603, "message": "Internal error: rate_limit_error"}})
    assert (done.report.status, done.report.problem.kind) == ("failed", "quota")
    assert "rate_limit_error" in (done.directory / STDERR).read_text()


def test_an_agent_that_crashes_says_nothing_and_the_report_tells(ran):
    done = ran(says(DONE), {"stderr": "out of memory\n"}, {"exit": 3})
    assert done.report.status == "failed"
    assert done.report.reason == "the agent ended (exit code 3) before it answered"
    assert "out of memory" in done.report.tail


def test_an_agent_that_hangs_is_ended_and_leaves_nothing(ran):
    done = ran(
        says(DONE), {"shell": KINDS["a deaf daemon"]}, {"shell": IS_THERE}, {"deaf": 1}, limits=TimeLimits(idle=6)
    )
    assert done.report.status == "idle"
    assert not is_alive(int((done.directory.parent / "survivor").read_text()))


def test_a_tool_that_outlives_its_agent_is_ended(ran):
    done = ran({"shell": KINDS["in a session of its own"]}, {"shell": IS_THERE}, says(DONE))
    assert done.report.ok
    assert not is_alive(int((done.directory.parent / "survivor").read_text()))


def test_a_module_in_the_project_does_not_stand_in_for_one_of_ours(ran, tmp_path):
    for name in ("msgspec", "ralph", "signal", "queue"):
        (tmp_path / "project" / f"{name}.py").write_text("raise SystemExit('shadowed')")
    assert ran(says("fine")).report.ok


MODEL_OPTION = {
    "id": "the-model",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "small",
    "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
}


def test_a_model_is_chosen_by_the_option_that_the_agent_offers(ran):
    done = ran(says("fine"), model="large", session={"configOptions": [MODEL_OPTION]})
    assert done.report.ok
    [chosen] = done.agent.all_of("session/set_config_option")
    assert (chosen["configId"], chosen["value"]) == ("the-model", "large")


def test_a_model_is_chosen_as_older_agents_offer_it(ran):
    models = {"currentModelId": "small", "availableModels": [{"modelId": "large", "name": "Large"}]}
    done = ran(says("fine"), model="large", session={"models": models})
    assert done.report.ok
    assert [chosen["modelId"] for chosen in done.agent.all_of("session/set_model")] == ["large"]


def test_a_model_that_the_agent_does_not_take_is_told_at_once(ran):
    done = ran(says(DONE), model="unknown", session={"configOptions": [MODEL_OPTION]})
    assert done.report.problem.kind == "model"
    assert "the agent does not take the model 'unknown': Invalid params: no unknown" in done.report.reason
    assert done.agent.all_of("session/prompt") == []


def test_an_agent_without_models_refuses_one(ran):
    done = ran(says(DONE), model="large")
    assert done.report.problem.kind == "model"
    assert done.report.reason == "the agent does not let ralph choose its model, so it cannot be 'large'"


def test_an_agent_of_another_protocol_version_is_not_used(ran):
    done = ran(says(DONE), version=2)
    assert done.report.reason == "the agent speaks version 2 of the protocol, ralph speaks 1"
    assert done.agent.all_of("session/new") == []


def test_a_program_that_speaks_no_acp_is_a_failure(tmp_path):
    done = subprocess.run([*CLIENT, "--", "echo", DONE], input=b"go", capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert b"the agent ended (exit code 0) before it answered" in done.stderr


class Started:
    """The client by itself, with a prompt, until it is signalled."""

    def __init__(self, agent, project):
        self.agent = agent
        self.process = subprocess.Popen(
            [*CLIENT, "--", *agent.argv],
            cwd=project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.process.stdin.close()
        self.process.stdin = None

    def signal(self, number, when):
        wait_until(when, "the agent did not come so far")
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return out.decode(), err.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_turn_and_the_agent_ends(tmp_path, number):
    agent = Agent(tmp_path / "bin", [says("busy"), {"shell": "echo $PPID > pid"}, {"until_cancelled": 1}])
    client = Started(agent, tmp_path)
    out, err = client.signal(number, (tmp_path / "pid").exists)
    assert client.process.returncode == 130
    assert '"stopReason":"cancelled"' in out
    assert err == "acp: cancelled\n"
    assert len(agent.all_of("session/cancel")) == 1
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_an_agent_that_does_not_heed_is_killed(tmp_path):
    agent = Agent(tmp_path / "bin", [{"shell": "echo $PPID > pid"}, {"deaf": 1}])
    client = Started(agent, tmp_path)
    client.signal(signal.SIGINT, lambda: agent.all_of("deaf"))
    assert client.process.returncode == 130
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_an_agent_that_asks_while_it_is_cancelled_is_told_so(tmp_path):
    waits = "touch ready; while [ ! -e go ]; do sleep 0.02; done"
    agent = Agent(tmp_path / "bin", [{"shell": waits}, asks("execute"), {"until_cancelled": 1}])
    client = Started(agent, tmp_path)
    wait_until((tmp_path / "ready").exists, "the agent did not begin")
    client.process.send_signal(signal.SIGTERM)
    (tmp_path / "go").touch()
    client.process.communicate(timeout=30)
    assert agent.all_of("permission") == [{"outcome": "cancelled"}]


def test_the_client_imports_little():
    """Its start is paid for with every prompt."""
    heavy = "{'acp', 'pydantic', 'asyncio', 'psutil', 'yaml', 'ralph.proc', 'ralph.config'}"
    program = f"import sys, ralph.agents.acp_client.__main__; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
