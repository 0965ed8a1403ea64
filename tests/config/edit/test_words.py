import pytest

from ralph.config.edit.words import read_key, read_words
from ralph.model.errors import ConfigError


@pytest.mark.parametrize(
    ("key", "words", "value"),
    [
        ("maximumIterations", ["7"], 7),
        ("streamAgentOutput", ["off"], False),
        ("budget.usd", ["2.5"], 2.5),
        ("budget.usd", ["null"], None),
        ("timeouts.agent", ["45m"], "45m"),
        ("defaults.executor", ["codex"], "codex"),
        ("rules", ["Use pnpm, never npm or yarn"], ["Use pnpm, never npm or yarn"]),
        ("rules", ["a", "b"], ["a", "b"]),
        ("rules", ['["a", "b"]'], ["a", "b"]),
        ("rules", ["[]"], []),
        ("proof.require", ["null"], None),
        ("proof.require", ["make"], ["make"]),
        ("verification.steps", ['{"name": "x", "command": "y"}'], [{"name": "x", "command": "y"}]),
        ("verification", ['{"enabled": false}'], {"enabled": False}),
        ("sandbox", ["auto"], "auto"),
        ("sandbox", ['{"backend": "x"}'], {"backend": "x"}),
        ("roles.new.maxIterations", ["3"], 3),
        ("roles.coder.verificationConfig.command", ["make test"], "make test"),
        ("roles.coder.verificationConfig.timeout", ["3"], 3),
        ("maximumIterations", ["many"], "many"),
    ],
)
def test_words_are_read_as_the_schema_wants_them(key, words, value):
    assert read_words(read_key(key), words) == value


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("defaults.exector", 'unknown key "defaults.exector". Did you mean "defaults.executor"?'),
        ("executor", 'unknown key "executor". Did you mean "defaults.executor"?'),
        ("guardrails.0", 'unknown key "guardrails.0"'),
        ("", 'unknown key ""'),
    ],
)
def test_a_key_that_nobody_knows_is_refused(key, told):
    with pytest.raises(ConfigError) as refused:
        read_key(key)
    assert told in str(refused.value)


def test_one_value_is_one_word():
    with pytest.raises(ConfigError, match='"maximumIterations" takes one value, not 2'):
        read_words(("maximumIterations",), ["1", "2"])


def test_an_object_is_json():
    with pytest.raises(ConfigError, match="verification must be JSON"):
        read_words(("verification",), ["on"])
