"""Seed 001, "Exit Codes", and those that the other endings of `ralph run` have."""

import signal

import pytest

from loops import waits
from ralph.testing import answers, done, edits, fails, says


def test_0_success_completion_response_matched(loop):
    ended = loop(done())
    assert ended.code == 0
    assert "✓ verified: done by the agent's word after 1 iteration; nothing was checked" in ended.err


def test_1_max_iterations_reached_without_completion(loop):
    ended = loop(says("hm"), maximumIterations=2)
    assert ended.code == 1
    assert "✗ max_iterations: not done after 2 iterations" in ended.err


@pytest.mark.parametrize(
    ("args", "settings", "words"),
    [
        ((), {}, "exactly one of --prompt and --prompt-file is needed, neither given"),
        (("-p", "x", "-f", "x"), {}, "exactly one of --prompt and --prompt-file is needed, both given"),
        (("-f", "none.md"), {}, "cannot read the prompt file"),
        (("-p", " \n"), {}, "the prompt is empty"),
        (("-p", "x", "-m", "0"), {}, "maximum-iterations"),
        (("-p", "x", "-m", "-1"), {}, "maximum-iterations"),
        (("-p", "x", "-m", "many"), {}, "many"),
        (("-p", "x", "--no-such-flag"), {}, "--no-such-flag"),
        (("-p", "x"), {"maximumIteration": 3}, "maximumIterations"),
        (("-p", "x"), {"outputTruncateChars": 0}, "outputTruncateChars"),
        (("-p", "x"), {"maximumIterations": "3"}, "maximumIterations"),
        (("-p", "x"), {"agent": {}}, "no agent is chosen"),
        (("-p", "x"), {"scm": {"tasks": ["commit"]}}, "is not a git repository"),
    ],
)
def test_2_configuration_or_validation_error(loop, args, settings, words):
    ended = loop(done(), args=args, **settings)
    assert ended.code == 2
    assert words in ended.err
    assert "Traceback" not in ended.err
    assert ended.prompts == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_130_interrupted_by_signal(loop, number):
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear(number)
        loop.repo.write("go", "")
        assert running.end().code == 130


def test_4_budget_spent(loop):
    ended = loop(says("hm") | {"cost": 0.75}, budget={"usd": 1})
    assert ended.code == 4
    assert "the budget is spent: 1.5 of 1 USD" in ended.err


def test_7_agent_error(loop):
    loop.settings(agent={"command": "no-such-agent"})
    ended = loop.ralph("run", "-p", "x")
    assert ended.code == 7
    assert "✗ agent_error: no-such-agent is not on PATH." in ended.err


def test_7_three_failures_in_a_row_without_output(loop):
    ended = loop(fails(1))
    assert ended.code == 7
    assert len(ended.prompts) == 3


def test_9_completion_matched_but_scm_tasks_failed(git_loop):
    work = edits({"new.txt": "1"}) | done()
    ended = git_loop(work, answers("commit message", "Add it"), scm={"tasks": ["commit", "push"]})
    assert ended.code == 9
    assert "✗ failed: the work is done, but the SCM tasks failed: git push: " in ended.err
    assert len(ended.prompts) == 1
    assert git_loop.repo.log() == ["base", "Add it"]
