"""What holds for every agent: how a prompt reaches it, what it may see, how its model is chosen, and a whole run."""

import asyncio
import os
import subprocess
import sys

import pytest

from ralph.agents.adapter import Call
from ralph.agents.environment import for_agent
from ralph.agents.registry import PROGRAMS, adapter, choose
from ralph.agents.run import OUTPUT, STREAM, TimeLimits, run_agent
from ralph.config.schema import EnvSettings, apply_schema
from ralph.model.errors import ConfigError
from ralph.model.events import Tokens
from ralph.testing import ScriptedAgent, done, says
from ralph.workbench.bench import Workbench

PLAYED = ["claude", "codex", "amp", "opencode", "gemini", "qwen", "copilot"]
"""Those that the scripted agent can play."""
AIDER = "--yes-always --no-pretty --no-check-update --message-file /attempt/context.md"


def invocation(name, prompt="Do it.", flags=(), *, stream=True):
    call = Call(prompt, "/attempt/context.md", "/attempt/output.md", stream)
    # No program of that name, so that none is asked for its help page.
    return adapter(name).invocation([f"/nowhere/{name}"], list(flags), call)


@pytest.mark.parametrize(
    ("name", "streaming", "text"),
    [
        ("claude", "-p --output-format stream-json --verbose", "-p --output-format text"),
        ("codex", "e --json --sandbox workspace-write -", "e -o /attempt/output.md --sandbox workspace-write -"),
        ("amp", "--stream-json --dangerously-allow-all -x Do it.", "--dangerously-allow-all -x Do it."),
        ("opencode", "run --format json", "run --format default"),
        ("gemini", "--output-format stream-json", "--output-format text"),
        ("qwen", "--output-format stream-json", "--output-format text"),
        ("copilot", "--output-format json", "--output-format text --silent"),
        ("goose", "run --output-format stream-json --no-session -i -", "run --quiet --no-session -i -"),
        ("aider", AIDER, AIDER),
    ],
)
def test_the_call_for_events_and_for_text(name, streaming, text):
    assert " ".join(invocation(name).argv) == f"/nowhere/{name} {streaming}"
    assert " ".join(invocation(name, stream=False).argv) == f"/nowhere/{name} {text}"


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "prompt", ["x" * 300_000, "ä" * 80_000, "--help", "a\0b"], ids=["long", "wide", "like a flag", "with NUL"]
)
def test_a_prompt_that_cannot_be_an_argument_is_none(name, stream, prompt):
    called = invocation(name, prompt, stream=stream)
    assert prompt not in called.argv
    assert called.on_stdin or "/attempt/context.md" in called.argv


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_users_flags_are_passed_on(name):
    argv = invocation(name, flags=["--flag", "a value"]).argv
    assert argv[argv.index("--flag") + 1] == "a value"


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "amp"])
def test_the_model_is_chosen_by_a_flag(name):
    agent = choose(
        apply_schema(
            {"tools": {"executors": [{"id": "it", "type": name, "model": "best"}]}, "agent": {"command": "it"}}
        )
    )
    assert agent.flags == ["--model", "best"]


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("claude", "ANTHROPIC_BASE_URL"),
        ("codex", "OPENAI_BASE_URL"),
        ("amp", "AMP_URL"),
        ("gemini", "GOOGLE_GEMINI_BASE_URL"),
        ("qwen", "OPENAI_BASE_URL"),
        ("copilot", "COPILOT_PROVIDER_BASE_URL"),
    ],
)
def test_the_endpoint_is_told_by_a_variable(name, variable):
    assert adapter(name).at("http://127.0.0.1:1")[1] == {variable: "http://127.0.0.1:1"}


@pytest.mark.parametrize("name", ["goose", "aider"])
def test_an_agent_with_many_providers_takes_no_endpoint(name):
    with pytest.raises(ConfigError, match="takes no endpoint"):
        adapter(name).at("http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("opencode", "OPENCODE_CONFIG"),
        ("opencode", "OPENROUTER_API_KEY"),
        ("opencode", "AWS_BEARER_TOKEN_BEDROCK"),
        ("opencode", "GITHUB_TOKEN"),
        ("gemini", "GEMINI_API_KEY"),
        ("gemini", "GOOGLE_CLOUD_PROJECT"),
        ("qwen", "DASHSCOPE_API_KEY"),
        ("copilot", "COPILOT_GITHUB_TOKEN"),
        ("copilot", "GH_TOKEN"),
        ("goose", "GOOSE_PROVIDER"),
        ("goose", "DATABRICKS_HOST"),
        ("goose", "OLLAMA_HOST"),
        ("aider", "AIDER_MODEL"),
        ("aider", "DEEPSEEK_API_KEY"),
    ],
)
def test_an_agent_sees_the_variables_of_its_providers(name, seen):
    assert for_agent(adapter(name), {seen: "1"}, EnvSettings(inherit="allow-list"))[seen] == "1"


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("hidden", ["STRIPE_API_KEY", "DATABASE_URL", "MY_SECRET", "SLACK_TOKEN"])
def test_by_allow_list_no_agent_sees_what_is_none_of_its_business(name, hidden):
    assert hidden not in for_agent(adapter(name), {hidden: "1"}, EnvSettings(inherit="allow-list"))


def test_gemini_is_told_to_trust_the_project_unless_the_user_says_otherwise():
    variable = "GEMINI_CLI_TRUST_WORKSPACE"
    assert for_agent(adapter("gemini"), {}, EnvSettings()) == {variable: "true"}
    assert for_agent(adapter("gemini"), {variable: "false"}, EnvSettings()) == {variable: "false"}


@pytest.fixture
def played(tmp_path):
    """Run a scripted agent of this name once: its report, the attempt's directory, and the agent."""
    project = tmp_path / "project"
    directory = project / "attempt"
    directory.mkdir(parents=True)

    def play(name, step, prompt="Do it.", *, stream=True):
        agent = ScriptedAgent(step, directory=tmp_path / "bin", format=name)
        bench = Workbench(project, {"PATH": os.environ["PATH"]}, "run.1.1", log=directory)
        chosen = choose(apply_schema({"agent": {"command": agent.command}}))
        return asyncio.run(run_agent(bench, chosen, prompt, stream=stream, limits=TimeLimits())), directory, agent

    return play


@pytest.mark.parametrize("name", PLAYED)
def test_a_run_ends_with_the_final_message_the_tools_and_the_tokens(played, name):
    step = {
        "do": [{"say": "I will look."}, {"run": "echo hi > hello.txt; exit 3"}],
        "tokens": {"input": 100, "output": 20},
    }
    report, _, _ = played(name, step | done())
    assert report.ok
    assert report.final == "<response>DONE</response>"
    assert (report.tools, report.tool_errors) == (1, 1)
    # Copilot does not say what it spends.
    assert report.tokens == (Tokens() if name == "copilot" else Tokens(100, 20))


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("stream", [True, False])
def test_a_long_prompt_reaches_the_agent_whole(played, name, stream):
    prompt = "Work through this:\n" + "0123456789 ü\n" * 30_000
    report, _, agent = played(name, done(), prompt, stream=stream)
    assert report.ok
    assert agent.prompts == [prompt]


@pytest.mark.parametrize("name", PLAYED)
def test_as_text_the_answer_is_what_it_prints(played, name):
    report, directory, _ = played(name, says("I will look.") | done(), stream=False)
    assert report.ok
    assert report.final == (directory / (OUTPUT if name == "codex" else STREAM)).read_text()
    assert report.final.strip().endswith("<response>DONE</response>")


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize(("status", "kind"), [(429, "quota"), (401, "auth"), (404, "model")])
def test_a_refusal_of_the_provider_is_a_problem_of_its_kind(played, name, status, kind):
    report, _, _ = played(name, {"is_error": status, "final": f"unexpected status {status}", "exit": 1})
    assert report.status == "failed"
    assert report.problem.kind == kind


@pytest.mark.parametrize("name", PLAYED)
def test_words_in_what_tools_print_or_the_agent_says_make_no_problem(played, name):
    words = "API Error: 429 rate limit exceeded, invalid API key, prompt is too long, credit balance is too low"
    step = {"do": [{"say": words}, {"run": f"echo '{words}'; exit 1"}, {"say": words}], "final": words, "exit": 1}
    report, _, _ = played(name, step)
    assert (report.status, report.problem) == ("failed", None)


def test_no_adapter_is_imported_before_it_is_needed():
    code = "import sys, ralph.agents.registry; print([m for m in sys.modules if m.startswith('ralph.agents.')])"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "opencode" not in seen
    assert "claude" not in seen
