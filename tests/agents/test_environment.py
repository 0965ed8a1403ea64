import pytest

from ralph.agents.amp import Amp
from ralph.agents.claude import Claude
from ralph.agents.codex import Codex
from ralph.agents.environment import for_agent, for_check, secrets
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
def test_a_known_agent_sees_the_basics_and_its_own_providers_variables_only(adapter, own):
    assert set(for_agent(adapter(), EVERYTHING, EnvSettings())) == BASICS | own


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
    assert for_agent(Claude(), {variable: "x"}, EnvSettings()) == {variable: "x"}


def test_env_pass_adds_names():
    seen = for_agent(Claude(), EVERYTHING, EnvSettings(pass_=["MY_TOOL"]))
    assert seen["MY_TOOL"] == "mine"
    assert "GITHUB_TOKEN" not in seen


def test_env_inherit_all_turns_the_allow_list_off():
    seen = for_agent(Codex(), EVERYTHING, EnvSettings(inherit="all"))
    assert set(seen) == set(EVERYTHING) - {"RALPH_DATABASE_URL"}


def test_a_generic_command_inherits_everything_but_the_database():
    seen = for_agent(Generic(), EVERYTHING, EnvSettings())
    assert set(seen) == set(EVERYTHING) - {"RALPH_DATABASE_URL"}


def test_not_even_env_pass_hands_on_the_database():
    assert "RALPH_DATABASE_URL" not in for_agent(Claude(), EVERYTHING, EnvSettings(pass_=["RALPH_DATABASE_URL"]))


def test_a_guardrail_inherits_everything_but_provider_keys_and_the_database():
    gone = {"RALPH_DATABASE_URL", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "AMP_API_KEY"}
    assert set(for_check(EVERYTHING)) == set(EVERYTHING) - gone


@pytest.mark.parametrize(
    "key",
    [
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "GEMINI_API_KEY",
    ],
)
def test_every_providers_key_is_kept_from_guardrails(key):
    assert for_check({key: "x"}) == {}


def test_values_of_variables_named_like_secrets_are_secret_the_longest_first():
    environ = {
        "API_KEY": "12345678",
        "github_token": "token-github",
        "DB_PASSWORD": "a-longer-secret",
        "KEYBOARD": "us",
    }
    assert secrets(environ) == ["a-longer-secret", "token-github", "12345678"]


def test_a_value_too_short_to_be_a_secret_is_not_hidden():
    """`KEY=1` would hide every 1 in a log."""
    assert secrets({"API_KEY": "1", "TOKEN": "short-7"}) == []
