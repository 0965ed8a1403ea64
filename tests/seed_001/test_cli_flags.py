"""Seed 001, "CLI" and "Settings File": every flag of `ralph run`, and what wins over what."""

import json

import pytest

from loops import PROMPT
from ralph import __version__
from ralph.testing import done, says


@pytest.mark.parametrize("flag", ["--prompt", "-p"])
def test_prompt(loop, flag):
    assert loop(done(), args=(flag, "Build it.")).prompts == ["Build it."]


@pytest.mark.parametrize("flag", ["--prompt-file", "-f"])
def test_prompt_file(loop, flag):
    loop.repo.write("P.md", "From the file.")
    assert loop(done(), args=(flag, "P.md")).prompts == ["From the file."]


@pytest.mark.parametrize("flag", ["--maximum-iterations", "-m"])
def test_maximum_iterations(loop, flag):
    ended = loop(says("hm"), args=("-p", PROMPT, flag, "2"), maximumIterations=5)
    assert (ended.code, len(ended.prompts)) == (1, 2)


def test_maximum_iterations_is_10_by_default(loop):
    assert len(loop(says("hm")).prompts) == 10


@pytest.mark.parametrize("flag", ["--completion-response", "-c"])
def test_completion_response(loop, flag):
    ended = loop(done("DONE"), done("READY"), args=("-p", PROMPT, flag, "READY"))
    assert (ended.code, len(ended.prompts)) == (0, 2)


def test_completion_response_is_done_by_default(loop):
    assert loop(done("DONE"), maximumIterations=1).code == 0


@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize(("flag", "streams"), [("--stream-agent-output", True), ("--no-stream-agent-output", False)])
def test_stream_agent_output_and_its_negation(loop, flag, streams, setting):
    ended = loop(says("I am at work") | done(), args=("-p", PROMPT, flag), streamAgentOutput=setting)
    assert ("I am at work" in ended.out) is streams


def test_stream_agent_output_is_true_by_default(loop):
    assert "I am at work" in loop(says("I am at work") | done()).out


@pytest.mark.parametrize("flag", ["--verbose", "-V"])
def test_verbose(loop, flag):
    assert "[ralph] Iteration 1/10 starting" in loop(done(), args=("-p", PROMPT, flag)).err


@pytest.mark.parametrize("flag", ["--quiet", "-q"])
def test_quiet_says_nothing_about_a_run_that_ends_well(loop, flag):
    ended = loop(says("hm"), done(), args=("-p", PROMPT, flag))
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_quiet_still_says_why_it_ended_badly(loop):
    ended = loop(says("hm"), args=("-p", PROMPT, "-q", "-m", "1"))
    assert ended.out == ""
    assert ended.err.startswith("✗ max_iterations: not done after 1 iteration")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_version(loop, flag):
    ended = loop.ralph(flag)
    assert (ended.code, ended.out) == (0, f"ralph {__version__}\n")


def test_the_run_flags_follow_the_subcommand(loop):
    assert loop.ralph("-p", "x").code == 2


def test_help_names_every_flag(loop):
    ended = loop.ralph("run", "--help")
    assert ended.code == 0
    for flag in (
        "-p, --prompt",
        "-f, --prompt-file",
        "-m, --maximum-iterations",
        "-c, --completion-response",
        "--stream-agent-output / --no-stream-agent-output",
        "-V, --verbose",
        "-q, --quiet",
        "--agent",
        "--dry-run",
    ):
        assert flag in ended.out


def test_the_prompt_file_and_the_prompt_exclude_each_other(loop):
    loop.repo.write("P.md", "x")
    assert loop(done(), args=("-p", "x", "-f", "P.md")).code == 2
    assert loop(done(), args=()).code == 2


def test_local_settings_override_settings_and_flags_override_both(loop):
    loop.repo.write(".ralph/settings.local.json", json.dumps({"maximumIterations": 3, "completionResponse": "READY"}))
    assert len(loop(says("hm"), maximumIterations=5).prompts) == 3
    assert len(loop(says("hm"), maximumIterations=5, args=("-p", PROMPT, "-m", "2")).prompts) == 2
    assert loop(done("READY"), maximumIterations=5, completionResponse="NEVER").code == 0


def test_objects_merge_and_arrays_replace(loop):
    agent = loop.prepare(done())
    settings = {"command": agent.command, "flags": ["--model opus"]}
    loop.settings(agent=settings, guardrails=[{"command": "false"}])
    loop.repo.write(".ralph/settings.local.json", json.dumps({"agent": {"flags": ["--fast"]}, "guardrails": []}))
    assert loop.ralph("run", "-p", PROMPT).code == 0
    assert "--fast" in agent.starts[0].argv
    assert "--model" not in agent.starts[0].argv


@pytest.mark.parametrize(
    ("variable", "value", "iterations"), [("RALPH_MAXIMUM_ITERATIONS", "2", 2), ("RALPH_COMPLETION_RESPONSE", "hm", 1)]
)
def test_the_environment_overrides_the_files(loop, variable, value, iterations):
    ended = loop(done("hm"), env={variable: value}, maximumIterations=5)
    assert len(ended.prompts) == iterations


def test_flags_override_the_environment(loop):
    ended = loop(says("hm"), env={"RALPH_MAXIMUM_ITERATIONS": "4"}, args=("-p", PROMPT, "-m", "2"))
    assert len(ended.prompts) == 2


def test_nested_settings_have_variables_too(loop):
    ended = loop(says("hm") | {"cost": 1}, env={"RALPH_BUDGET__USD": "2"})
    assert (ended.code, len(ended.prompts)) == (4, 2)


def test_an_unknown_variable_is_a_configuration_error_that_names_the_nearest(loop):
    ended = loop(done(), env={"RALPH_MAXIMUM_ITERATION": "2"})
    assert ended.code == 2
    assert "RALPH_MAXIMUM_ITERATIONS" in ended.err
