import pytest

from ralph.agents.amp import Amp
from ralph.agents.claude import Claude
from ralph.agents.codex import Codex
from ralph.agents.environment import SESSION_MARKS, for_agent, for_check
from ralph.agents.generic import Generic
from ralph.config.schema import EnvSettings

EVERYTHING = {
    "PATH": "/bin",
    "HOME": "/home/dev",
    "LC_TIME": "C",
    "XDG_CONFIG_HOME": "/home/dev/.config",
    "https_proxy": "proxy:3128",
    "NO_PROXY": "localhost",
    "NODE_EXTRA_CA_CERTS": "/ca.pem",
    "RALPH_HOME": "/home/dev/.ralph",
    "RALPH_DATABASE_URL": "postgresql://u:p@db/ralph",
    "ANTHROPIC_API_KEY": "key-anthropic",
    "CLAUDE_CODE_OAUTH_TOKEN": "token-claude",
    "OPENAI_API_KEY": "key-openai",
    "AMP_API_KEY": "key-amp",
    "GITHUB_TOKEN": "token-github",
    "MY_TOOL": "mine",
}
BASICS = {"PATH", "HOME", "LC_TIME", "XDG_CONFIG_HOME", "https_proxy", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "RALPH_HOME"}


@pytest.mark.parametrize(
    ("adapter", "own"),
    [
        (Claude, {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"}),
        (Codex, {"OPENAI_API_KEY"}),
        (Amp, {"AMP_API_KEY"}),
    ],
)
def test_by_allow_list_a_known_agent_sees_the_basics_and_its_own_providers_variables_only(adapter, own):
    assert set(for_agent(adapter(), EVERYTHING, EnvSettings(inherit="allow-list"))) == BASICS | own


@pytest.mark.parametrize(
    "variable",
    [
        # Bedrock
        "CLAUDE_CODE_USE_BEDROCK",
        "AWS_REGION",
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "ANTHROPIC_BEDROCK_BASE_URL",
        # Vertex
        "CLAUDE_CODE_USE_VERTEX",
        "CLOUD_ML_REGION",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "VERTEX_REGION_CLAUDE_HAIKU_4_5",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
        "GCLOUD_PROJECT",
        # both
        "ANTHROPIC_MODEL",
        "API_TIMEOUT_MS",
    ],
)
def test_claude_sees_the_variables_of_bedrock_and_vertex(variable):
    assert for_agent(Claude(), {variable: "x"}, EnvSettings(inherit="allow-list")) == {variable: "x"}


def test_env_pass_adds_names():
    seen = for_agent(Claude(), EVERYTHING, EnvSettings(pass_=["MY_TOOL"], inherit="allow-list"))
    assert seen["MY_TOOL"] == "mine"
    assert "GITHUB_TOKEN" not in seen


def test_a_known_agent_inherits_everything_but_the_database():
    seen = for_agent(Codex(), EVERYTHING, EnvSettings())
    assert set(seen) == set(EVERYTHING) - {"RALPH_DATABASE_URL"}


def test_a_generic_command_inherits_everything_but_the_database():
    seen = for_agent(Generic(), EVERYTHING, EnvSettings())
    assert set(seen) == set(EVERYTHING) - {"RALPH_DATABASE_URL"}


def test_not_even_env_pass_hands_on_the_database():
    assert "RALPH_DATABASE_URL" not in for_agent(Claude(), EVERYTHING, EnvSettings(pass_=["RALPH_DATABASE_URL"]))


def test_a_guardrail_inherits_everything_but_the_database():
    assert set(for_check(EVERYTHING, EnvSettings())) == set(EVERYTHING) - {"RALPH_DATABASE_URL"}


def test_the_allow_list_holds_for_guardrails_too():
    seen = for_check(EVERYTHING, EnvSettings(pass_=["MY_TOOL"], inherit="allow-list"))
    assert set(seen) == BASICS | {"MY_TOOL"}


@pytest.mark.parametrize("mark", SESSION_MARKS)
@pytest.mark.parametrize("adapter", [Claude, Codex, Generic])
@pytest.mark.parametrize("inherit", ["all", "allow-list"])
def test_what_marks_a_nested_agent_session_does_not_reach_children(adapter, mark, inherit):
    rule = EnvSettings(inherit=inherit, pass_=[mark])
    assert mark not in for_agent(adapter(), {mark: "1"}, rule)
    assert mark not in for_check({mark: "1"}, rule)


def test_ralphs_own_variables_are_on_the_allow_list():
    own = {"TASK_FOLDER": "/t", "RUN_FOLDER": "/r", "RALPH_MESSAGE_BUS": "/t/bus"}
    assert for_agent(Claude(), own, EnvSettings(inherit="allow-list")) == own
