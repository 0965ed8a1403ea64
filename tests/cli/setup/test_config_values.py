"""`ralph config get`, `set`, `unset` and `ralph spec config`, as a person types them."""

import json

import pytest

from task_shell import TaskShell

pytestmark = pytest.mark.e2e


@pytest.fixture
def ralph(tmp_path):
    shell = TaskShell(tmp_path)
    shell.good("spec", "create", "auth")
    return shell


def test_values_go_in_and_out(ralph):
    assert ralph.good("config", "set", "rules", "Use pnpm, never npm", "b") == "Set rules in .ralph/config.yaml.\n"
    assert json.loads(ralph.good("config", "get", "rules")) == ["Use pnpm, never npm", "b"]
    ralph.good("config", "set", "--local", "completionResponse", "READY")
    assert ralph.good("config", "get", "completionResponse") == "READY\n"
    assert ralph.good("config", "get", "completionResponse", "--json") == '"READY"\n'
    missing = ralph("config", "get", "--user", "completionResponse")
    assert (missing.code, missing.out) == (1, "")
    assert missing.err == "ralph: completionResponse is not set there.\n"
    assert ralph.good("config", "unset", "rules") == "Unset rules in .ralph/config.yaml.\n"
    assert ralph.good("config", "unset", "rules") == "rules is not set there.\n"


def test_a_value_that_looks_like_an_option_follows_two_dashes(ralph):
    ralph.good("config", "set", "agent.flags", "--", "--model opus", "-x")
    assert json.loads(ralph.good("config", "get", "agent.flags")) == ["--model opus", "-x"]


def test_what_is_wrong_is_one_line_and_exit_code_2(ralph):
    for args in (("maximumIterations", "x"), ("maxIteratons", "3"), ("--spec", "auth", "budget.usd", "3"),
                 ("--spec", "nowhere", "rules", "x")):  # fmt: skip
        ended = ralph("config", "set", *args)
        assert (ended.code, ended.out) == (2, ""), args
        assert len(ended.err.splitlines()) == 1
    assert "name one layer" in ralph("config", "set", "--user", "--spec", "auth", "rules", "x").err


def test_a_spec_that_shadows_a_file_is_named(ralph):
    assert ralph.good("config", "set", "--spec", "auth", "defaults.executor", "amp") == (
        "Set defaults.executor in spec auth.\n"
    )
    ended = ralph("config", "set", "defaults.executor", "codex")
    assert ended.code == 0
    assert ended.err == "ralph: spec auth sets defaults.executor, too, and is stronger for its tasks.\n"
    assert ralph.good("config", "get", "--spec", "auth", "defaults.executor") == "amp\n"
    unset = ralph("config", "unset", "--spec", "auth", "defaults.executor")
    assert unset.out == "Unset defaults.executor in spec auth.\n"
    assert unset.err == 'ralph: defaults.executor is "codex" now, by .ralph/config.yaml.\n'


def test_spec_config_shows_and_changes_the_five(ralph):
    assert ralph.good("spec", "config", "auth", "maxIterations", "9") == "Set maxIterations in spec auth.\n"
    lines = ralph.good("spec", "config", "auth").splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "executor", "reviewer", "maxIterations", "rules", "verification",
    ]  # fmt: skip
    assert lines[2] == "maxIterations: 9  # set by the spec"
    assert json.loads(ralph.good("spec", "config", "auth", "--json")) == {"maxIterations": 9}
    assert ralph.good("spec", "config", "auth", "maxIterations") == "9\n"
    assert ralph.good("spec", "config", "auth", "maxIterations", "--unset") == "Unset maxIterations in spec auth.\n"
    assert ralph.good("spec", "config", "auth", "rules", "--unset") == "spec auth does not set rules.\n"
    assert ralph("spec", "config", "auth", "--unset").code == 2
