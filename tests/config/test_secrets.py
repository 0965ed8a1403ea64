import pytest

from ralph.config.redact import secrets_in
from ralph.config.secrets import is_secret_name, secrets_of

VALUE = "s3cret-value-1"


def test_values_of_variables_named_like_secrets_are_secret_the_longest_first():
    environ = {
        "API_KEY": "12345678",
        "github_token": "token-github",
        "DB_PASSWORD": "a-longer-secret",
        "EDITOR": "emacs-nox",
    }
    assert secrets_of(environ) == ["a-longer-secret", "token-github", "12345678"]


def test_a_value_too_short_to_be_a_secret_is_not_hidden():
    """`KEY=1` would hide every 1 in a log."""
    assert secrets_of({"API_KEY": "1", "TOKEN": "short-7"}) == []


@pytest.mark.parametrize(
    "name",
    [
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "GIT_AUTHOR_NAME",
        "GIT_ASKPASS",
        "KEYBOARD_LAYOUT",
        "TOKENIZERS_PARALLELISM",
    ],
)
def test_an_ordinary_name_is_not_secret(name):
    assert not is_secret_name(name)
    assert secrets_of({name: "an ordinary value"}) == []


def test_a_number_of_tokens_is_not_secret():
    assert secrets_of({"MAX_OUTPUT_TOKENS": "64000000"}) == []


def test_a_password_inside_a_url_is_secret_whatever_the_variable_is_called():
    environ = {"DATABASE_URL": "postgres://app:p%40ss-word-1@db:5432/shop", "HOMEPAGE": "https://example.org/a:b"}
    assert set(secrets_of(environ)) == {"p%40ss-word-1", "p@ss-word-1"}


def test_settings_can_call_a_variable_secret():
    environ = {"ACME_LICENSE": VALUE, "OTHER": "another-value"}
    assert secrets_of(environ, ["ACME_*"]) == [VALUE]


def test_a_value_that_is_part_of_where_ralph_works_is_not_secret():
    assert secrets_of({"DB_PASSWORD": "postgres"}, places=["/home/dev/postgres-tools"]) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"agent": {"flags": ["--api-key", VALUE]}},
        {"agent": {"flags": [f"--api-key={VALUE} --model opus"]}},
        {"tools": {"executors": [{"endpoint": f"https://me:{VALUE}@host"}]}},
        {"guardrails": [{"command": f"TOKEN={VALUE} make test"}]},
        {"anything": {"clientSecret": VALUE}},
    ],
)
def test_what_settings_call_a_secret_is_found(settings):
    assert list(dict.fromkeys(secrets_in(settings))) == [VALUE]


def test_a_variable_that_settings_name_is_no_value():
    assert list(secrets_in({"guardrails": [{"command": "TOKEN=${GITHUB_TOKEN} make test"}]})) == []
