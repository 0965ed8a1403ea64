"""Seed 001, "Verbose Output": each test is named after its line."""

import re

import pytest

from loops import PROMPT
from ralph.testing import answers, done, edits, says


@pytest.fixture
def lines(loop):
    """The lines that --verbose adds to a run."""

    def run(*steps, args=("-p", PROMPT, "--verbose"), **settings):
        err = loop(*(steps or (done(),)), args=args, **settings).err
        return [line.removeprefix("[ralph] ") for line in err.splitlines() if line.startswith("[ralph] ")]

    return run


def test_settings_loaded_from_each_file(loop, lines):
    loop.repo.write(".ralph/settings.local.json", "{}")
    assert lines()[:2] == [
        "Loading settings from .ralph/settings.json",
        "Loading settings from .ralph/settings.local.json",
    ]


def test_merged_configuration(loop, lines):
    loop.repo.write(".ralph/settings.local.json", '{"completionResponse": "READY"}')
    (settings,) = [line for line in lines(done("READY"), maximumIterations=7) if line.startswith("Settings: ")]
    assert '"maximumIterations": 7' in settings
    assert '"completionResponse": "READY"' in settings


def test_merged_configuration_is_redacted_if_sensitive(loop, lines):
    agent = loop.prepare(done())
    shown = "\n".join(lines(agent={"command": agent.command, "flags": ["--api-key sk-12345678abcdef"]}))
    assert "--api-key" in shown
    assert "sk-12345678abcdef" not in shown


def test_agent_command_being_executed(loop, lines):
    agent = loop.prepare(done())
    shown = lines(agent={"command": agent.command, "flags": ["--model opus"]})
    assert f"Agent command: {agent.command} -p --model opus --output-format stream-json --verbose" in shown


def test_iteration_starting(lines):
    shown = lines(says("hm"), done(), maximumIterations=4)
    assert [line for line in shown if line.startswith("Iteration")] == [
        "Iteration 1/4 starting",
        "Iteration 2/4 starting",
    ]


def test_prompt_being_sent_truncated_to_first_200_chars(lines):
    shown = lines(args=("-p", "a" * 200 + "b" * 50, "-V"))
    assert [line for line in shown if line.startswith("Prompt: ")] == ["Prompt: " + "a" * 200]


def test_guardrail_commands_and_exit_codes(lines):
    shown = lines(says("hm"), edits({"made": ""}) | done(), guardrails=[{"command": "test -f made"}])
    about = [re.sub(r"\d+\.\d+s", "TIME", line) for line in shown if line.startswith(("Running", "Guardrail exited"))]
    assert about == [
        "Running guardrail: test -f made",
        "Guardrail exited with code 1 (TIME)",
        "Running guardrail: test -f made",
        "Guardrail exited with code 0 (TIME)",
    ]


def test_completion_detection_attempts(lines):
    shown = [line for line in lines(done("almost"), says("hm"), done()) if line.startswith("Completion: ")]
    assert shown == [
        "Completion: expected DONE; the response was almost, expected DONE",
        "Completion: expected DONE; no <response> tag in the final message, expected DONE",
        "Completion: expected DONE; the response was DONE",
    ]


def test_timing_information_for_each_operation(git_loop):
    work = edits({"new.txt": "1"}) | done()
    ended = git_loop(
        work,
        answers("commit message", "Add it"),
        args=("-p", PROMPT, "-V"),
        guardrails=[{"command": "true"}],
        scm={"tasks": ["commit"]},
    )
    timed = [line for line in ended.err.splitlines() if re.fullmatch(r"\[ralph\] .*\(\d+\.\d+s\)", line)]
    operations = ["Agent", "Guardrail", "ommit message", "git commit"]
    assert [word in line for word, line in zip(operations, timed, strict=True)] == [True] * 4


def test_without_verbose_there_are_no_such_lines(loop):
    assert "[ralph]" not in loop(done()).err


def test_verbose_lines_go_to_stderr(loop):
    assert "[ralph]" not in loop(done(), args=("-p", PROMPT, "-V")).out
