"""Agents that speak ACP: the client program with a real agent process, the parser, and the loop around them."""

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from loops import is_alive, wait_until
from ralph.agents.acp import Acp
from ralph.agents.acp_stream import AcpParser
from ralph.agents.adapter import Call
from ralph.agents.registry import choose
from ralph.agents.run import OUTPUT, STDERR, STREAM, Limits, Surroundings, run_agent
from ralph.config.schema import apply_schema
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.events import (
    PermissionDenied,
    Result,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)
from ralph.testing.model_server import ModelServer
from ralph.testing.real_agents import CACHE_VARIABLE, find_cli, real_agent
from survivors import IS_THERE, KINDS

STUB = Path(__file__).with_name("acp_agent_stub.py")
CASSETTE = Path(__file__).parents[1] / "cassettes/acp/session.ndjson"
CLIENT = [sys.executable, "-P", "-m", "ralph.agents.acp_client"]
DONE = "<response>DONE</response>"
PROMPT = "Do it."


def says(text, message_id=None, kind="agent_message_chunk", **meta):
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return {"update": update | ({"messageId": message_id} if message_id else {}) | meta}


def thinks(text):
    return says(text, kind="agent_thought_chunk")


def calls(tool_id, title="Terminal", **more):
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": tool_id, "title": title, **more}}


def updates(tool_id, **more):
    return {"update": {"sessionUpdate": "tool_call_update", "toolCallId": tool_id, **more}}


def shows(text):
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def asks(kind=None, **more):
    tool = {"toolCallId": "t", "title": "touch it", "rawInput": {"command": "touch it"}}
    return {"ask": {"toolCall": tool | ({"kind": kind} if kind else {}), **more}}


def stops(reason, **usage):
    return {"stop": {"stopReason": reason} | ({"usage": usage} if usage else {})}


def by(subagent):
    return {"_meta": {"claudeCode": {"parentToolUseId": subagent}}}


class Agent:
    """The stub with its script."""

    def __init__(self, directory, *starts, **script):
        directory.mkdir(exist_ok=True)
        self.script = directory / "script.json"
        self.script.write_text(json.dumps({"starts": starts, **script}))
        self.argv = [sys.executable, str(STUB), str(self.script)]

    @property
    def heard(self):
        log = self.script.with_name("script.json.log")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def all_of(self, what):
        return [each["params"] for each in self.heard if each["heard"] == what]

    def executor(self, *flags, **more):
        """The settings that choose it."""
        entry = {"id": "stub", "type": "acp", "command": shlex.join(self.argv), "flags": list(flags), **more}
        return {"tools": {"executors": [entry]}, "agent": {"command": "stub"}}


@dataclass
class Ran:
    report: object
    directory: Path
    events: list
    agent: Agent

    @property
    def final(self):
        return (self.directory / OUTPUT).read_text()


@pytest.fixture
def ran(tmp_path):
    """Run the stub once, as the loop would."""
    project = tmp_path / "project"
    directory = project / "attempt"
    directory.mkdir(parents=True)

    def run(*steps, flags=(), model=None, prompt=PROMPT, limits=None, **script):
        agent = Agent(tmp_path / "bin", steps, **script)
        events = []
        around = Surroundings(
            project=project,
            directory=directory,
            env={"PATH": os.environ["PATH"]},
            attempt="acp.1.1",
            limits=limits or Limits(run=60),
            emit=events.append,
        )
        chosen = choose(apply_schema(agent.executor(*flags, model=model)))
        return Ran(asyncio.run(run_agent(chosen, prompt, around, stream=True)), directory, events, agent)

    return run


def parsed(*steps):
    """What the parser makes of these updates, sent as an agent would."""
    lines = [{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", **step}} for step in steps]
    return fed(*lines, {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}})


def fed(*lines):
    parser = AcpParser()
    events = []
    parser.feed("".join(json.dumps(line) + "\n" for line in lines).encode(), events.append)
    return parser, events


# --- the parser -------------------------------------------------------------------------------------------------------


def test_a_recorded_session_of_claude_becomes_the_events_that_a_reader_expects():
    parser = AcpParser()
    events = []
    parser.feed(CASSETTE.read_bytes(), events.append)
    tool = "toolu_4f2ab0ba438d4dd78f67e7"
    assert events[2:] == [
        Text("I will create the file."),
        ToolStart(tool, "Bash", "echo hi > hello.txt && cat hello.txt"),
        ToolEnd(tool, "hi"),
        Text(f"All done.\n{DONE}"),
        Result(f"All done.\n{DONE}", cost_usd=0.002, tokens=Tokens(200, 40)),
    ]
    assert (parser.tools, parser.tool_errors, parser.denied) == (1, 0, [])


def test_chunks_of_a_message_are_one_text():
    parser, events = parsed(says("", "m1"), says("one ", "m1"), says("two", "m1"), says("three", "m2"))
    assert events == [Text("one two"), Text("three"), parser.result]
    assert parser.result.text == "three"


def test_chunks_without_ids_belong_together_until_the_agent_does_something_else():
    parser, events = parsed(says("one "), says("two"), thinks("hm"), says("three "), says("four"))
    assert events[:-1] == [Text("one two"), Thinking("hm"), Text("three four")]
    assert parser.result.text == "three four"


def test_what_changes_nothing_does_not_break_a_message():
    usage = {"update": {"sessionUpdate": "usage_update", "used": 5, "size": 10}}
    plan = {"update": {"sessionUpdate": "plan", "entries": []}}
    parser, _ = parsed(
        says("<response>DO"), usage, plan, {"update": {"sessionUpdate": "unheard_of"}}, says("NE</response>")
    )
    assert parser.result.text == DONE


def test_a_message_that_a_subagent_interrupts_is_still_one():
    parser, events = parsed(says("DO", "m1"), says("aside", "m9", **by("t1")), says("NE", "m1"))
    assert events[:-1] == [Text("DO"), Text("aside", aside=True), Text("NE")]
    assert parser.result.text == "DONE"


def test_what_was_said_before_the_last_tool_call_is_not_the_final_message():
    parser, _ = parsed(says(DONE, "m1"), calls("t1", status="completed"), says(", and now?", "m1"))
    assert parser.result.text == ", and now?"
    parser, _ = parsed(says(DONE), calls("t1", status="completed"))
    assert parser.result.text == ""


def test_a_late_end_of_a_tool_does_not_take_the_final_message_away():
    parser, _ = parsed(calls("t1", status="in_progress"), says("DO"), updates("t1", status="completed"), says("NE"))
    assert parser.result.text == "DONE"


def test_thoughts_tool_output_echoes_and_subagents_are_never_the_final_message():
    echo = says(DONE, kind="user_message_chunk")
    tool = calls("t1", status="completed", content=shows(DONE), rawOutput=DONE)
    parser, _ = parsed(echo, tool, thinks(DONE), says(DONE, **by("t1")))
    assert parser.result.text == ""


def test_a_tool_that_becomes_known_in_pieces_starts_once_with_what_is_known():
    parser, events = parsed(
        calls("t1", status="pending", kind="execute", rawInput={}),
        updates("t1", title="make test", rawInput={"command": "make test"}),
        updates("t1", status="in_progress"),
        updates("t1", status="failed", content=shows("no rule")),
        updates("t1", status="failed", content=shows("again")),
    )
    assert events[:-1] == [ToolStart("t1", "execute", "make test"), ToolEnd("t1", "no rule", is_error=True)]
    assert (parser.tools, parser.tool_errors) == (1, 1)


def test_updates_out_of_order_make_one_start_and_one_end_for_each_tool():
    _, events = parsed(
        updates("t2", status="completed", rawOutput="two"),
        calls("t1", "Read a.py", kind="read", status="in_progress"),
        calls("t2", "late"),
        updates("t1", status="completed", rawOutput={"lines": 3}),
    )
    assert events[:-1] == [
        ToolStart("t2", "tool", ""),
        ToolEnd("t2", "two"),
        ToolStart("t1", "read", "Read a.py"),
        ToolEnd("t1", '{"lines": 3}'),
    ]


def test_a_tool_of_which_nothing_more_is_heard_is_counted():
    parser, events = parsed(calls("t1", "Think", kind="other", status="pending"))
    assert events[0] == ToolStart("t1", "Think", "")
    assert parser.tools == 1


def test_plans_are_todos():
    entries = [{"content": "a", "priority": "low", "status": "completed"}, {"content": "b", "status": "pending"}]
    todo = Todo([TodoItem("a", "completed"), TodoItem("b", "pending")])
    _, events = parsed(
        {"update": {"sessionUpdate": "plan", "entries": entries}},
        {"update": {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}}},
    )
    assert events[:-1] == [todo, todo]


def test_the_last_cost_in_dollars_counts_and_thoughts_are_output():
    def costs(amount, currency):
        cost = {"amount": amount, "currency": currency}
        return {"method": "session/update", "params": {"update": {"sessionUpdate": "usage_update", "cost": cost}}}

    usage = {"inputTokens": 1, "outputTokens": 2, "thoughtTokens": 10, "cachedReadTokens": 3, "cachedWriteTokens": 4}
    end = {"id": 3, "result": {"stopReason": "end_turn", "usage": usage}}
    parser, _ = fed(costs(0.5, "USD"), costs(0.75, "USD"), costs(90, "JPY"), end)
    assert parser.result == Result("", cost_usd=0.75, tokens=Tokens(1, 12, 3, 4))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": -32000, "message": "Please sign in"}, "auth"),
        ({"code": -32603, "message": "Internal error: API Error: 529 Overloaded."}, "quota"),
        ({"code": -32603, "message": "Internal error", "data": {"errorKind": "rate_limit"}}, "quota"),
        ({"code": -32603, "message": "Internal error", "data": {"details": "Prompt is too long"}}, "prompt_too_long"),
        ({"code": -32603, "message": "Internal error", "data": "quota"}, "other"),
        ({"code": 7}, "other"),
    ],
)
def test_an_error_is_a_result_with_its_problem(error, kind):
    parser, _ = fed({"jsonrpc": "2.0", "id": 3, "error": error})
    assert parser.result.is_error
    assert parser.result.problem.kind == kind
    assert parser.result.text


def test_lines_that_are_no_messages_are_kept_and_harm_nothing():
    parser = AcpParser()
    events = []
    parser.feed(b'\x00\xff\n[1]\n"x"\n{"method": 5}\n{"params": {"update": []}}\n{}\nnull\n', events.append)
    parser.feed(b'{"id": 3, "result": {"stopReason": "end_turn"}}\n', events.append)
    assert [type(event).__name__ for event in events] == ["Unknown"] * 6 + ["Result"]


# --- the client, with an agent --------------------------------------------------------------------------------------


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
    ("policy", "kind", "answer"),
    [
        ("allow", "execute", "yes"),
        ("allow", None, "yes"),
        ("reads", "read", "yes"),
        ("reads", "search", "yes"),
        ("reads", "fetch", "yes"),
        ("reads", "edit", "no"),
        ("reads", "execute", "no"),
        ("reads", None, "no"),
        ("deny", "read", "no"),
    ],
)
def test_permissions_are_answered_by_the_policy_and_for_this_time_only(ran, policy, kind, answer):
    done = ran(asks(kind), says(DONE), flags=[f"--permissions={policy}"])
    assert done.agent.all_of("permission") == [{"outcome": "selected", "optionId": answer}]
    assert done.report.ok == (answer == "yes")


def test_without_a_policy_everything_is_allowed(ran):
    done = ran(asks("delete"), says(DONE))
    assert done.agent.all_of("permission") == [{"outcome": "selected", "optionId": "yes"}]


def test_what_is_offered_for_ever_only_is_taken_so(ran):
    done = ran(asks("edit", options=[{"optionId": "always", "kind": "allow_always", "name": "Always"}]), says("ok"))
    assert done.agent.all_of("permission") == [{"outcome": "selected", "optionId": "always"}]
    assert done.report.ok


def test_a_denied_permission_fails_the_iteration_and_is_named(ran):
    done = ran(asks("execute"), says(DONE), flags=["--permissions", "deny"])
    assert PermissionDenied("execute", "touch it") in done.events
    assert (done.report.status, done.report.problem.kind) == ("failed", "permission")
    assert done.report.reason == "it was denied a permission: execute(touch it)"


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


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "max_turn_requests", "cancelled"])
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
    done = ran(says(DONE), {"shell": KINDS["a deaf daemon"]}, {"shell": IS_THERE}, {"deaf": 1}, limits=Limits(idle=2))
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
    assert done.report.reason == "the agent lets nobody choose its model, so it cannot be 'large'"


def test_an_agent_of_another_protocol_version_is_not_used(ran):
    done = ran(says(DONE), version=2)
    assert done.report.reason == "the agent speaks version 2 of the protocol, ralph speaks 1"
    assert done.agent.all_of("session/new") == []


def test_a_program_that_speaks_no_acp_is_a_failure(tmp_path):
    done = subprocess.run([*CLIENT, "--", "echo", DONE], input=b"go", capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert b"the agent ended (exit code 0) before it answered" in done.stderr


# --- ending the client ----------------------------------------------------------------------------------------------


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


# --- in settings, and in the loop -------------------------------------------------------------------------------------


def invocation(*flags):
    call = Call(PROMPT, "context.md", "output.md", stream=True)
    return Acp().invocation(["sh", "-c"], list(flags), call).argv


def test_flags_are_the_agents_own_but_for_the_policy_and_the_model():
    argv = invocation("--verbose", "--permissions", "reads", "--model=large", "--", "--permission")
    assert argv[argv.index("ralph.agents.acp_client") + 1 :] == [
        *("--permissions=reads", "--model=large"),
        *("--", "sh", "-c", "--verbose", "--", "--permission"),
    ]


def test_an_unknown_policy_is_refused():
    with pytest.raises(ConfigError, match="--permissions=maybe is no policy.* allow, reads, deny"):
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
    assert [call["prompt"][0]["text"] for call in agent.all_of("session/prompt")] == [PROMPT] * 4


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
        loop.wait_for("survivor")
        below = [each.pid for each in running.descendants]
        running.send(signal.SIGINT)
        assert running.end().code == 130
    assert len(agent.all_of("session/cancel")) == 1
    survivor = int((loop.repo.path / "survivor").read_text())
    assert [pid for pid in (*below, survivor) if is_alive(pid)] == []


# --- the real thing ---------------------------------------------------------------------------------------------------

REAL = "claude-agent-acp"


@pytest.fixture
def real(loop):
    if find_cli(REAL) is None:
        problem = f"{REAL} is neither on PATH nor in the directory that {CACHE_VARIABLE} names"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(problem)

    def start(server, *flags):
        agent = real_agent(REAL, server.url, loop.repo.home)
        entry = {"id": "real", "type": "acp", "command": agent.command, "flags": list(flags)}
        loop.settings(
            tools={"executors": [entry]}, agent={"command": "real"}, guardrails=[{"command": "test -s a.txt"}]
        )
        return agent.env

    return start


@pytest.mark.e2e
def test_the_real_agent_edits_a_file_and_completes(loop, real):
    edits = {"say": "Editing.", "tool": {"shell": "echo hi > a.txt"}}
    with ModelServer({"say": DONE}, edits, {"say": f"Done now. {DONE}"}) as server:
        ended = loop.ralph("run", "-p", PROMPT, env=real(server))
        assert ended.code == 0, ended.err
        assert len(server.conversation) == 3
    assert loop.exists("a.txt")
    assert loop.show()["verdict"] == "verified"


@pytest.mark.e2e
def test_the_real_agent_is_denied_what_the_policy_denies(loop, real):
    edits = {"say": "Editing.", "tool": {"shell": "echo hi > a.txt"}}
    with ModelServer(edits, {"say": DONE}) as server:
        ended = loop.ralph("run", "-p", PROMPT, "-m", "1", env=real(server, "--permissions=deny"))
    assert ended.code == 1
    assert "denied a permission: Bash(echo hi > a.txt)" in ended.out + ended.err
    assert not loop.exists("a.txt")


@pytest.mark.e2e
def test_the_real_agent_leaves_nothing_when_the_loop_is_interrupted(loop, real):
    with ModelServer({"say": "Sleeping.", "tool": {"shell": "touch begun; sleep 600"}}, {"say": DONE}) as server:
        env = real(server)
        with loop.start("run", "-p", PROMPT, env=env) as running:
            loop.wait_for("begun")
            below = [each.pid for each in running.descendants]
            running.send(signal.SIGINT)
            assert running.end().code == 130
    assert [pid for pid in below if is_alive(pid)] == []
