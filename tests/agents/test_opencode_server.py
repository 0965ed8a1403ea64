"""An OpenCode server as an agent: its settings, its events, and the client program that ralph starts for it."""

import asyncio
import base64
import os

import pytest

from opencode_stub import HANG_UP, ID, IDLE, MESSAGE, OpenCodeStub, asks, part, says, status, step
from ralph.agents.adapter import Call
from ralph.agents.environment import for_agent
from ralph.agents.models import with_model
from ralph.agents.opencode_events import OpenCodeEvents
from ralph.agents.opencode_server import server_version
from ralph.agents.registry import choose, find
from ralph.agents.run import STDERR, STREAM, Supervision, TimeLimits, run_agent
from ralph.config.schema import EnvSettings, apply_schema
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.events import (
    PermissionDenied,
    Progress,
    Result,
    Retry,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)
from ralph.proc.own_python import own_module
from ralph.workbench.bench import Workbench

URL = "http://localhost:4096"
CALL = Call("Do it.", "context.md", "output.md", stream=True)
SESSION = {"type": "ralph.session", "properties": {"sessionID": ID}}


def settings(endpoint=URL, **executor):
    entry = {"id": "served", "type": "opencode", "endpoint": endpoint, **executor}
    return apply_schema({"tools": {"executors": [entry]}, "defaults": {"executor": "served"}})


def refusal(**executor):
    with pytest.raises(ConfigError) as refused:
        find(settings(**executor), "served")
    return str(refused.value)


def test_an_endpoint_makes_it_a_client_of_a_server_and_no_program():
    agent = find(settings(f"{URL}/", model="zai/glm-4.7", flags=["--agent build --auto"]), "served")
    invocation = agent.adapter.invocation(agent.command, agent.flags, CALL)
    assert invocation.argv == [
        *own_module("ralph.agents.opencode_client"),
        *("--agent", "build", "--auto", "--model", "zai/glm-4.7", URL),
    ]
    assert invocation.on_stdin
    assert (agent.name, agent.adapter.name, agent.adapter.server) == ("served", "opencode", URL)


def test_without_an_endpoint_it_is_the_program():
    agent = find(settings(None), "served")
    assert agent.adapter.invocation(agent.command, agent.flags, CALL).argv[:2] == ["opencode", "run"]


@pytest.mark.parametrize(
    "endpoint",
    ["localhost:4096", "ftp://localhost", "http://", "http://a b", "http://x?y=1", "http://x:99999", "http://[x"],
)
def test_what_is_no_address_is_refused(endpoint):
    assert refusal(endpoint=endpoint) == (
        f"the endpoint {endpoint!r} is not the address of a server. Use one such as http://localhost:4096"
    )


def test_a_login_in_the_address_is_refused_and_not_repeated():
    told = refusal(endpoint="http://me:open-sesame@localhost:4096")
    assert "Set OPENCODE_SERVER_PASSWORD" in told
    assert "sesame" not in told


def test_what_would_have_no_effect_is_refused():
    assert refusal(command="opencode").startswith("a running server takes no command.")
    assert refusal(flags=["--thinking"]).startswith("an OpenCode server takes no flag '--thinking'. Known: --model, ")
    assert refusal(flags=["--agent"]) == "the flag --agent has no value. Add one, or remove it."
    assert refusal(model="glm-4.7").startswith("the model 'glm-4.7' names no provider.")


def test_a_model_takes_the_place_of_another():
    assert with_model(find(settings(model="a/b"), "served"), "c/d").flags == ["--model", "c/d"]


def test_the_client_sees_its_password_and_no_keys_of_providers():
    environ = {"OPENCODE_SERVER_PASSWORD": "x", "OPENAI_API_KEY": "y", "PATH": "/bin"}
    seen = for_agent(find(settings(), "served").adapter, environ, EnvSettings(inherit="allow-list"))
    assert seen == {"OPENCODE_SERVER_PASSWORD": "x", "PATH": "/bin"}


def test_the_version_is_asked_of_the_server():
    with OpenCodeStub() as stub:
        assert server_version(stub.url, {}, 5) == "9.9"
    with pytest.raises(AgentUnusable, match=r"no OpenCode server answers at .*: Connection refused. Start it"):
        server_version(stub.url, {}, 5)
    with OpenCodeStub(password="x") as stub, pytest.raises(AgentUnusable, match="Set OPENCODE_SERVER_PASSWORD to"):
        server_version(stub.url, {}, 5)


def parsed(*lines):
    import json

    parser, events = OpenCodeEvents(), []
    parser.feed("\n".join(map(json.dumps, (SESSION, MESSAGE, *lines))).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events[1:]


def tool(state, number=5, **fields):
    return part(
        "tool", number, tool="bash", callID="call_1", state={"status": state, "input": {"command": "make"}, **fields}
    )


def test_a_tool_is_told_of_when_it_begins_and_when_it_ends():
    running = tool("running")
    ended = tool("completed", output="out", metadata={"exit": 3})
    _, events = parsed(tool("pending"), running, running, ended, ended)
    assert events == [ToolStart("call_1", "bash", "make"), ToolEnd("call_1", "out", is_error=True)]


def test_todos_come_as_they_change():
    todos = [
        {"content": "Look", "status": "completed", "priority": "high"},
        {"content": "Fix", "status": "in_progress"},
    ]
    _, events = parsed({"type": "todo.updated", "properties": {"sessionID": ID, "todos": todos}})
    assert events == [Todo([TodoItem("Look", "completed"), TodoItem("Fix", "in_progress")])]


def test_cost_is_told_after_each_step_and_is_that_of_all_at_the_end():
    first = step(0.25, 90, input=100, output=20, reasoning=5, cache={"read": 7, "write": 3})
    _, events = parsed(first, first, step(0.5, 91, input=10, output=2), says("over"), IDLE)
    assert events == [
        Progress("$0.2500 so far"),
        Progress("$0.7500 so far"),
        Text("over"),
        Result("over", cost_usd=0.75, tokens=Tokens(110, 27, 7, 3)),
    ]


def test_a_text_is_told_once_and_whole():
    begun = part("text", 1, text="", time={"start": 1})
    _, events = parsed(begun, says("a\nb"), says("a\nb"), part("reasoning", 2, text="hm", time={"end": 2}))
    assert events == [Text("a\nb"), Thinking("hm")]


def test_the_prompt_is_part_of_the_stream_and_nothing_that_the_agent_said():
    _, events = parsed(says("<response>DONE</response>", message="msg_of_the_user"), IDLE)
    assert [type(event) for event in events] == [Result]
    assert events[0].text == ""


def test_what_was_said_in_an_earlier_step_or_by_a_subagent_is_not_the_final_message():
    start = part("step-start", 7)
    parser, _ = parsed(says("<response>DONE</response>"), start, says("sub", 3, session="ses_2"), IDLE)
    assert parser.final == ""


def test_a_retry_is_told():
    assert parsed(status("retry", attempt=2, message="slow down", next=1))[1] == [Retry(2, 5, "slow down")]


def test_an_error_after_which_it_goes_on_is_forgotten():
    error = {"type": "session.error", "properties": {"sessionID": ID, "error": {"name": "APIError", "data": {}}}}
    parser, _ = parsed(error, part("step-start", 7), says("over"), IDLE)
    assert (parser.result.text, parser.result.is_error) == ("over", False)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"message": "no server", "kind": "missing"}, "missing"),
        ({"message": "no login", "kind": "auth"}, "auth"),
        ({"message": "Rate limit reached", "kind": "", "until": 1.5e9}, "quota"),
        ({"message": "it hung up", "kind": "other"}, "other"),
    ],
)
def test_what_the_client_says_is_the_result_if_the_server_said_nothing(told, kind):
    parser, _ = parsed({"type": "ralph.problem", "properties": told})
    assert (parser.result.problem.kind, parser.result.text, parser.result.is_error) == (kind, told["message"], True)
    assert parser.result.problem.until == told.get("until")


class Ran:
    def __init__(self, tmp_path, stub, *, limits=None, env=None, secrets=()):
        self.folder = tmp_path / "attempt"
        self.folder.mkdir()
        self.events = []
        bench = Workbench(
            tmp_path, {"PATH": os.environ["PATH"], **(env or {})}, "served.1.1", log=self.folder, secrets=secrets
        )
        watch = Supervision(emit=self.events.extend)
        agent = choose(settings(stub.url))
        done = run_agent(bench, agent, "Do it.", stream=True, limits=limits or TimeLimits(run=60), watch=watch)
        self.report = asyncio.run(done)

    @property
    def logs(self):
        return "".join(path.read_text() for path in self.folder.iterdir())


def test_the_client_program_answers_a_prompt(tmp_path):
    """The whole way: a program in the task's directory, with a login, whose lines become events as they come."""
    login = base64.b64encode(b"opencode:open-sesame").decode()
    events = (MESSAGE, tool("running"), tool("completed", output="out"), says("All done."), step(0.5), IDLE)
    with OpenCodeStub(*events, password=login) as stub:
        ran = Ran(tmp_path, stub, env={"OPENCODE_SERVER_PASSWORD": "open-sesame"})
    assert (ran.report.status, ran.report.final, ran.report.cost_usd, ran.report.tools) == ("ok", "All done.", 0.5, 1)
    assert stub.headers("/session")["x-opencode-directory"] == str(tmp_path)
    assert "sesame" not in ran.logs
    assert login not in ran.logs
    assert (ran.folder / STREAM).exists()
    assert not (ran.folder / STDERR).exists()


@pytest.mark.e2e
def test_a_time_limit_aborts_the_session_and_keeps_what_it_cost(tmp_path):
    with OpenCodeStub(MESSAGE, step(0.25), until_aborted=True) as stub:
        ran = Ran(tmp_path, stub, limits=TimeLimits(run=2))
    assert (ran.report.status, ran.report.cost_usd) == ("timeout", 0.25)
    assert stub.aborted.is_set()


@pytest.mark.e2e
def test_silence_but_for_heartbeats_is_silence(tmp_path):
    beats = [{"type": "server.heartbeat", "properties": {}}] * 5
    with OpenCodeStub(MESSAGE, *beats, until_aborted=True) as stub:
        ran = Ran(tmp_path, stub, limits=TimeLimits(idle=2))
    assert ran.report.status == "idle"
    assert stub.aborted.is_set()


@pytest.mark.e2e
def test_a_denied_permission_is_a_problem_with_its_flag(tmp_path):
    error = "The user rejected permission to use this specific tool call."
    with OpenCodeStub(MESSAGE, asks(), tool("running"), tool("error", error=error), IDLE) as stub:
        ran = Ran(tmp_path, stub)
    assert PermissionDenied("bash", "make") in ran.events
    assert (ran.report.problem.kind, ran.report.problem.allowed_by) == ("permission", "--auto")


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("events", "answers", "kind", "reason"),
    [
        (
            (MESSAGE, HANG_UP),
            {"GET /global/health": (502, b"")},
            "missing",
            "closed the connection before the work was done",
        ),
        ((), {"POST /session": (200, b"hello")}, "missing", "does not answer POST /session as OpenCode does: 'hello'"),
    ],
)
def test_a_server_that_dies_or_talks_nonsense_is_a_failure_in_one_line(tmp_path, events, answers, kind, reason):
    with OpenCodeStub(*events, answers=answers) as stub:
        ran = Ran(tmp_path, stub)
    assert (ran.report.status, ran.report.problem.kind) == ("failed", kind)
    assert reason in ran.report.reason
    assert "Traceback" not in ran.logs
