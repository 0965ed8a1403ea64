import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.config.redact import mask_text, redacted


def test_values_of_secret_keys_are_masked():
    data = {"apiKey": "a", "nested": {"authToken": "b", "db_password": "c", "clientSecret": ["d", "e"]}, "name": "f"}
    assert redacted(data) == {
        "apiKey": "***",
        "nested": {"authToken": "***", "db_password": "***", "clientSecret": ["***", "***"]},
        "name": "f",
    }


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--api-key=abc"], ["--api-key=***"]),
        (["--api-key abc --model opus"], ["--api-key *** --model opus"]),
        (["--api-key", "abc", "--model", "opus"], ["--api-key", "***", "--model", "opus"]),
        (["--token", "--verbose"], ["--token", "--verbose"]),
        (["--max-tokens=5000", "--max-tokens 5000"], ["--max-tokens=5000", "--max-tokens 5000"]),
        (["-c openai_api_key='abc'"], ["-c openai_api_key='***'"]),
        (["--header 'Authorization: Bearer abc.def'"], ["--header 'Authorization: ***'"]),
        (["--model opus", "--no-auto-compact"], ["--model opus", "--no-auto-compact"]),
    ],
)
def test_values_inside_agent_flags_are_masked(flags, shown):
    assert redacted({"agent": {"command": "claude", "flags": flags}})["agent"] == {"command": "claude", "flags": shown}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("GITHUB_TOKEN=abc make test", "GITHUB_TOKEN=*** make test"),
        ("""curl -d '{"password": "abc"}'""", """curl -d '{"password": "***"}'"""),
        ("https://me:abc@example.org/x", "https://***@example.org/x"),
        ("use sk-ant-api03-abcdefgh here", "use *** here"),
        ("ghp_abcdefghijklmnop1234", "***"),
        ("AKIAABCDEFGHIJKLMNOP", "***"),
        ("make test", "make test"),
        (
            "The tokens are counted; a secret is never committed.",
            "The tokens are counted; a secret is never committed.",
        ),
        ("http://localhost:4096", "http://localhost:4096"),
        ("risk-assessment-of-the-parser", "risk-assessment-of-the-parser"),
    ],
)
def test_secrets_inside_text_are_masked_and_other_text_is_kept(text, shown):
    assert mask_text(text) == shown


def test_numbers_booleans_and_nulls_are_shown(project):
    merged = project.load(RALPH_BUDGET__TOKENS="5").merged
    assert redacted(merged) == merged


def test_the_original_is_not_changed():
    data = {"agent": {"flags": ["--api-key=abc"]}}
    redacted(data)
    assert data == {"agent": {"flags": ["--api-key=abc"]}}


@given(st.text(alphabet="abcXYZ019", min_size=1), st.sampled_from(["--api-key=", "TOKEN=", "password: ", "--secret "]))
def test_the_value_never_comes_through(value, before):
    assert mask_text(f"run {before}{value}") == f"run {before}***"


@pytest.mark.parametrize("text", ["a" * 500_000, "token" * 100_000, "--" * 250_000, "a://" * 100_000, "key=" * 100_000])
def test_a_long_text_takes_no_long_time(text):
    begun = time.process_time()
    mask_text(text)
    assert time.process_time() - begun < 5
