"""What was decided around a run: its environment, its records, a second loop, resume and retry."""

import json
import os
import re
import shutil
import signal

import pytest

from loops import PROMPT, waits
from ralph.testing import done, edits, fails, hangs, says
from refusals import one_clear_line

DUMPS_ENVIRONMENT = (
    '#!/bin/sh\ncat > /dev/null\nenv > seen\necho \'{"type":"result","result":"<response>DONE</response>"}\'\n'
)
RUN_FIELDS = {
    "id", "parentId", "recipe", "status", "verdict", "reason", "proof", "iterations", "startedAt", "endedAt", "costUsd",
    "tokens", "project",
}  # fmt: skip


# The environment


@pytest.fixture
def seen_by(loop):
    """The variables that an agent of this name sees."""

    def run(name, variables, **settings):
        agent = loop.repo.home / name
        agent.write_text(DUMPS_ENVIRONMENT)
        agent.chmod(0o755)
        loop.settings(agent={"command": str(agent)}, **settings)
        loop.ralph("run", "-p", PROMPT, "-m", "1", env=variables)
        return dict(line.split("=", 1) for line in loop.repo.read("seen").splitlines())

    return run


KEYS = {
    "ANTHROPIC_API_KEY": "key-one-1",
    "OPENAI_API_KEY": "key-two-2",
    "AWS_REGION": "eu",
    "GITHUB_TOKEN": "t0ken-hub",
}


def test_by_allow_list_a_known_agent_sees_its_own_variables_and_the_basics_only(seen_by):
    seen = seen_by("claude", {**KEYS, "HTTPS_PROXY": "proxy:1"}, env={"inherit": "allow-list"})
    assert {"ANTHROPIC_API_KEY", "AWS_REGION", "HTTPS_PROXY", "PATH", "HOME", "RALPH_HOME"} <= set(seen)
    assert not {"OPENAI_API_KEY", "GITHUB_TOKEN"} & set(seen)


def test_env_pass_widens_the_allow_list(seen_by):
    assert "GITHUB_TOKEN" in seen_by("claude", KEYS, env={"pass": ["GITHUB_TOKEN"], "inherit": "allow-list"})


def test_an_agent_inherits_the_environment_without_marks_of_a_nested_session(seen_by):
    seen = seen_by("codex", {**KEYS, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"})
    assert set(KEYS) <= set(seen)
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"} & set(seen)


def test_a_generic_command_inherits_the_environment(seen_by):
    assert set(KEYS) <= set(seen_by("my-agent", KEYS))


def test_an_agent_is_told_its_run(loop, seen_by):
    seen = seen_by("claude", {})
    assert seen["RALPH_RUN_ID"] == loop.show()["id"]


def test_a_run_inside_a_run_knows_its_parent(loop):
    loop(done())
    parent = loop.show()["id"]
    loop(done(), env={"RALPH_RUN_ID": parent})
    assert loop.show()["parentId"] == parent


def test_guardrails_inherit_the_environment_without_marks_of_a_nested_session(loop):
    loop(done(), guardrails=[{"command": "env"}], env={**KEYS, "CLAUDECODE": "1"})
    seen = loop.repo.read(".ralph/guardrail_1_env.log")
    assert "AWS_REGION=eu\n" in seen
    assert "ANTHROPIC_API_KEY=[redacted]\n" in seen
    assert "CLAUDECODE" not in seen


# Records


def test_runs_json_is_a_list_in_camel_case(loop):
    loop(says("hm") | {"cost": 0.25, "tokens": {"input": 10, "output": 5}}, done())
    (run,) = json.loads(loop.ralph("runs", "--json").out)
    assert set(run) == RUN_FIELDS
    assert (run["recipe"], run["status"], run["verdict"], run["iterations"]) == ("prompt", "ended", "verified", 2)
    assert (run["costUsd"], run["tokens"], run["parentId"]) == (0.25, 15, None)
    assert run["project"] == loop.repo.path.name
    assert run["startedAt"] < run["endedAt"]


def test_show_json_adds_the_iterations(loop):
    loop(says("hm"), edits({"made": ""}) | done(), guardrails=[{"command": "test -f made"}])
    run = loop.show()
    assert set(run) == RUN_FIELDS | {"doubts"}
    first, second = run["iterations"]
    assert set(first) >= {"number", "attempt", "actions", "evidence", "feedback"}
    assert (first["number"], first["attempt"]) == (1, 1)
    assert [each["passed"] for each in first["evidence"]] == [False]
    assert first["feedback"].startswith('Guardrail "test -f made" failed with exit code 1.')
    assert [each["passed"] for each in second["evidence"]] == [True, True]


def test_the_record_says_that_there_was_no_sandbox(loop):
    loop(done())
    assert loop.show()["iterations"][0]["actions"][0]["result"]["sandbox"] == "none"


def test_the_prompt_of_each_attempt_is_kept(loop):
    loop(says("hm"), done())
    first, second = (each["actions"][0] for each in loop.show()["iterations"])
    assert first["action"]["prompt"] == PROMPT
    assert second["result"]["final"] == "<response>DONE</response>"
    (run,) = (loop.repo.path / ".ralph/runs").iterdir()
    assert sorted(path.name for path in run.glob("*/*")) == ["stream.ndjson"] * 2


# A second loop


def test_a_second_loop_in_the_same_tree_is_refused_naming_the_pid(loop):
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        second = loop.ralph("run", "-p", PROMPT)
        assert second.code == 2
        assert f"another ralph loop runs in this directory (pid {running.pid})" in second.err
        assert loop.ralph("resume", loop.show()["id"]).code == 2
        loop.repo.write("go", "")
        assert running.end().code == 0
    assert len(loop.agent.starts) == 1


def test_a_killed_loop_leaves_no_lock(loop):
    loop.prepare(edits({"ready": ""}) | hangs(), done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send(signal.SIGKILL)
        running.end()
    assert loop.ralph("run", "-p", PROMPT).code == 0


# Resume


def killed(loop, *steps, **settings):
    """A run whose ralph was killed after the agent of the last of these steps had said its words."""
    *before, last = steps
    loop.prepare(*before, last | hangs(), done(), **settings)
    with loop.start() as running:
        running.wait_for_output(last["say"])
        running.send(signal.SIGKILL)
        assert running.end().code == -signal.SIGKILL


def test_a_killed_run_is_interrupted_and_can_be_resumed(loop):
    killed(loop, says("first try"))
    assert loop.show()["status"] == "interrupted"
    ended = loop.ralph("resume")
    assert ended.code == 0
    assert "resumed" in ended.err
    assert loop.show()["verdict"] == "verified"


def test_the_killed_iteration_is_repeated_under_its_own_number_and_both_attempts_stay_readable(loop):
    killed(loop, says("one"), says("first try of two"))
    loop.ralph("resume")
    shown = [(each["number"], each["attempt"]) for each in loop.show()["iterations"]]
    assert shown == [(1, 1), (2, 1), (2, 2)]
    assert "first try of two" in loop.ralph("logs").out
    assert "done by the agent's word after 2 iterations" in loop.ralph("show").out


def test_counters_cost_and_feedback_survive_the_kill(loop):
    rails = [{"command": "echo broken; test -f made"}]
    killed(loop, says("one") | {"cost": 0.25}, says("two") | edits({"made": ""}), guardrails=rails, maximumIterations=2)
    before = loop.agent.prompts[1]
    ended = loop.ralph("resume")
    assert ended.code == 0
    assert "broken" in before
    assert loop.agent.prompts[2] == before
    run = loop.show()
    assert run["costUsd"] == 0.25
    assert [each["number"] for each in run["iterations"]] == [1, 2, 2]


def test_what_was_spent_before_the_kill_counts_against_the_budget(loop):
    killed(loop, says("one") | {"cost": 2}, says("two"), budget={"usd": 3})
    loop.prepare(says("three") | {"cost": 2}, budget={"usd": 3})
    assert loop.ralph("resume").code == 4
    assert loop.show()["costUsd"] == 4


def test_resume_takes_the_settings_of_the_start(loop):
    killed(loop, says("one"), completionResponse="DONE")
    loop.settings(agent={"command": "no-such-agent"}, completionResponse="NEVER")
    assert loop.ralph("resume").code == 0


def test_resume_without_a_run_takes_the_latest_interrupted_one_of_this_project(loop):
    killed(loop, says("one"))
    first = loop.show()["id"]
    assert loop(done(), args=("-p", "Something else.")).code == 0
    loop.prepare(done())
    assert loop.ralph("resume").code == 0
    assert loop.show(first)["verdict"] == "verified"
    nothing = loop.ralph("resume")
    assert nothing.code == 2
    assert "no run of this project can continue" in nothing.err


def test_a_run_that_is_verified_is_not_resumed_but_can_be_retried(loop):
    loop(done(), done())
    run = loop.show()["id"]
    refused = loop.ralph("resume", run)
    assert refused.code == 2
    assert f"ralph retry {run}" in refused.err
    assert loop.ralph("retry", run).code == 0
    assert loop.show()["id"] != run


@pytest.mark.parametrize("flags", [(), ("--raw",), ("--follow",)])
def test_logs_say_that_what_an_agent_said_is_gone(loop, flags):
    loop(says("hm"), fails(), maximumIterations=2)
    run = loop.show()["id"]
    assert loop.ralph("logs", *flags).err == ""
    shutil.rmtree(loop.repo.path / ".ralph/runs")
    gone = f".ralph/runs/{run}/iteration-1/stream.ndjson does not exist."
    # The second one said nothing.
    assert loop.ralph("logs", *flags).err == f"ralph: the output of the agent is gone: {gone}\n"


def test_a_run_that_used_up_its_iterations_goes_on_with_more(loop):
    loop(says("hm"), says("hm"), done(), maximumIterations=1)
    run = loop.show()["id"]
    refused = loop.ralph("resume", run)
    assert refused.code == 2
    hint = re.search(r"ralph (resume \w+ -m \d+)", refused.err)
    assert loop.ralph("resume", run, "-m", "1").code == 2
    assert loop.ralph(*hint[1].split()).code == 1
    assert loop.ralph("resume", "-m", "5").code == 0
    assert [each["number"] for each in loop.show(run)["iterations"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("unit", "budget", "more", "spent"),
    [
        ("usd", 2, "9", "2 of 2 USD"),
        ("tokens", 1_500_000, "9000000", "2000000 of 1500000 tokens"),
        ("seconds", 0.01, "600", "of 0.01 seconds"),
    ],
)
def test_a_run_that_spent_its_budget_names_the_flag_that_raises_it(loop, unit, budget, more, spent):
    step = {"cost": 2, "tokens": {"input": 2_000_000}, **says("hm")}
    ended = loop(step, done(), budget={unit: budget})
    run = loop.show()["id"]
    assert ended.code == 4
    assert spent in ended.err
    for told in (ended.err, loop.ralph("resume").err):
        assert f"ralph resume {run} --budget-{unit} X" in told
    assert loop.ralph("resume", f"--budget-{unit}", more).code == 0


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("-m", "5"), "-m 5 raises nothing: the limit is 5 iterations."),
        (("--budget-usd", "9"), "--budget-usd 9 raises nothing: the run has no such budget."),
        (("--budget-tokens", "70"), "--budget-tokens 70 raises nothing: the budget is 80."),
    ],
)
def test_a_total_that_raises_nothing_is_refused(loop, flags, why):
    loop(fails(), maximumIterations=5, budget={"tokens": 80})
    run = loop.show()["id"]
    one_clear_line(loop.ralph("resume", *flags), 2, why)
    assert f"ralph resume {run}" in loop.ralph("resume", *flags).err
    assert len(loop.agent.starts) == 3


def test_a_prompt_file_that_vanishes_in_iteration_3_ends_the_run_and_the_hint_brings_it_back(loop):
    loop.repo.write("P.md", "The prompt.")
    ended = loop(says("one"), {"run": "mv P.md away"}, done(), args=("-f", "P.md"))
    assert ended.code == 2
    assert "cannot read the prompt file" in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.prompts) == 2
    (loop.repo.path / "away").rename(loop.repo.path / "P.md")
    hint = re.search(r"ralph (resume(?: \w+)?)", ended.err)
    assert loop.ralph(*hint[1].split()).code == 0
    assert [each["number"] for each in loop.show()["iterations"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "is not UTF-8"), (None, "cannot read")],
)
def test_a_prompt_file_that_cannot_be_used_is_refused_before_anything_runs(loop, content, words):
    if content is not None:
        (loop.repo.path / "P.md").write_bytes(content)
    ended = loop(done(), args=("-f", "P.md"))
    assert ended.code == 2
    assert words in ended.err
    assert ended.prompts == []
    assert not os.path.lexists(loop.repo.path / ".ralph/runs")
