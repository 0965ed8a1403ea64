import pytest

from ralph.agents.models import judge_agent, with_model
from ralph.agents.registry import choose, find
from ralph.config.schema import apply_schema

EXECUTORS = [
    {"id": "cheap", "type": "codex", "command": "/opt/codex", "flags": ["--quiet"], "model": "mini"},
    {"id": "gpt-local", "type": "command", "command": "llm {prompt}"},
]


def settings(**more):
    return apply_schema({"agent": {"command": "amp"}, "tools": {"executors": EXECUTORS}} | more)


@pytest.fixture
def judge():
    """The command line of the agent that judges for a model's name."""

    def chosen(name, own="amp", **more):
        given = settings(**more)
        agent = judge_agent(given, name, find(given, own))
        return [agent.adapter.name, *agent.command, *agent.flags]

    return chosen


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("cheap", "codex /opt/codex --quiet --model mini"),
        ("gpt-local", "generic llm {prompt}"),
        ("haiku", "claude claude --model haiku"),
        ("claude-sonnet-4-5", "claude claude --model claude-sonnet-4-5"),
        ("Claude-Opus-4", "claude claude --model Claude-Opus-4"),
        ("gpt-5-mini", "codex codex --model gpt-5-mini"),
        ("o3", "codex codex --model o3"),
        ("o4-mini", "codex codex --model o4-mini"),
        ("gemini-2.5-pro", "gemini gemini --model gemini-2.5-pro"),
        ("smart", "amp amp --mode smart"),
        ("ollama3", "amp amp --mode ollama3"),
        ("claude", "amp amp --mode claude"),
        ("", "amp amp"),
        ("  ", "amp amp"),
    ],
)
def test_a_name_means_an_executor_a_model_of_the_settings_a_vendors_or_the_agents_own(judge, name, line):
    assert judge(name) == line.split()


def test_models_of_the_settings_name_any_agent(judge):
    models = {
        "judge": {"agent": "cheap", "model": "large"},
        "plain": {"agent": "gemini"},
        "gpt-5": {"agent": "opencode", "model": "openai/gpt-5"},
        "mine": {"agent": "/opt/bin/claude", "model": "x"},
    }
    assert judge("judge", models=models) == ["codex", "/opt/codex", "--quiet", "--model", "large"]
    assert judge("plain", models=models) == ["gemini", "gemini"]
    assert judge("gpt-5", models=models) == ["opencode", "opencode", "--model", "openai/gpt-5"]
    assert judge("mine", "claude", models=models) == ["claude", "/opt/bin/claude", "--model", "x"]


@pytest.mark.parametrize("name", ["haiku", "claude-haiku-4-5"])
def test_an_agent_of_that_kind_is_taken_as_it_is_set_up(judge, name):
    assert judge(name, "/opt/bin/claude") == ["claude", "/opt/bin/claude", "--model", name]


def test_an_executor_of_the_programs_name_comes_first(judge):
    tools = {"executors": [{"id": "claude", "type": "claude", "command": "/opt/other/claude"}]}
    assert judge("haiku", "/opt/bin/claude", tools=tools) == ["claude", "/opt/other/claude", "--model", "haiku"]


@pytest.mark.parametrize(
    ("semantic_model", "line"),
    [("haiku", "claude claude --model haiku"), ("cheap", "codex /opt/codex --quiet --model mini"), (None, "amp amp")],
)
def test_without_a_name_the_settings_decide(judge, semantic_model, line):
    ralph = {"semantic_model": semantic_model}
    assert judge("", ralph=ralph) == line.split()
    assert judge("gpt-5", ralph=ralph) == ["codex", "codex", "--model", "gpt-5"]


@pytest.mark.parametrize(
    ("command", "flags", "line"),
    [
        ("codex", ["--model old", "-c x=1"], "-c x=1 --model new"),
        ("codex", ["-m old", "--model=older"], "--model new"),
        ("claude", ["--model opus", "-m kept"], "-m kept --model new"),
        ("aider", ["-m kept", "--model old"], "-m kept --model new"),
        ("amp", ["--mode rush"], "--mode new"),
        ("claude", ["--model"], "--model new"),
        ("claude", [], "--model new"),
    ],
)
def test_a_model_takes_the_place_of_the_one_in_the_flags(command, flags, line):
    agent = choose(apply_schema({"agent": {"command": command, "flags": flags}}))
    assert with_model(agent, "new").flags == line.split()


def test_the_agents_own_variables_stay():
    tools = {"executors": [{"id": "far", "type": "claude", "endpoint": "http://127.0.0.1:1"}]}
    given = apply_schema({"tools": tools})
    assert judge_agent(given, "smart", find(given, "far")).env == {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}


def test_without_a_model_it_is_the_agent_itself():
    agent = find(settings(), "claude")
    assert with_model(agent, None) is agent
