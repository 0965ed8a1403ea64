"""Runs that nobody watches: in the background, with budgets, an end hook, and a summary in the morning."""

import json
import time

import pytest

from ralph.agents.registry import choose
from ralph.app.moments import since_moment
from ralph.app.runs.measured import budget_warning
from ralph.config.schema import apply_schema
from ralph.model.errors import ConfigError
from ralph.testing import done, edits, hangs, says
from stored_runs import HOUR, StoredRuns
from task_crew import GOOD, TaskCrew

PATIENCE = 30.0


def wait_for_end(loop):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        [run] = json.loads(loop.ralph("runs", "--json").out)
        if run["status"] == "ended":
            return run
        time.sleep(0.2)
    pytest.fail(f"it has not ended: {run}")


def test_run_detach_returns_at_once_and_the_run_ends_by_itself(loop):
    loop.prepare(edits({"made": ""}) | done())
    started = loop.ralph("run", "--detach", "-p", "Do it. <response>")
    assert started.code == 0, started.err
    assert "runs in the background" in started.out
    assert "ralph logs -f" in started.out
    assert wait_for_end(loop)["verdict"] == "verified"
    assert loop.exists("made")


def test_supervise_detach_returns_at_once_and_can_be_cancelled(loop):
    loop.settings()
    started = loop.ralph("supervise", "--detach", "--", "sh", "-c", "sleep 60")
    assert started.code == 0, started.err
    assert "runs in the background" in started.out
    assert loop.ralph("cancel").code == 0
    assert wait_for_end(loop)["verdict"] == "cancelled"


def test_what_keeps_a_detached_run_from_beginning_is_said_at_once(loop):
    loop.prepare(edits({"ready": ""}) | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        second = loop.ralph("run", "--detach", "-p", "Do it. <response>")
    assert second.code == 2
    assert "pid" in second.err


HOOK = 'cat > "$HOOK_FILE.json"; env > "$HOOK_FILE.env"'


@pytest.fixture
def hook_file(loop):
    return loop.repo.home / "hook"


def test_the_end_hook_hears_how_the_run_ended(loop, hook_file):
    ended = loop(done(), onEnd=HOOK, env={"HOOK_FILE": str(hook_file)})
    assert ended.code == 0
    seen = dict(line.split("=", 1) for line in hook_file.with_suffix(".env").read_text().splitlines() if "=" in line)
    shown = json.loads(hook_file.with_suffix(".json").read_text())
    assert shown == loop.show()
    assert seen["RALPH_END_RUN"] == shown["id"]
    assert seen["RALPH_END_VERDICT"] == "verified"
    assert seen["RALPH_END_REASON"] == shown["reason"]
    assert "RALPH_RUN_ID" not in seen


def test_the_end_hook_sees_no_marks_of_a_nested_session(loop, hook_file):
    marks = {"CLAUDECODE": "1", "CODEX_SANDBOX": "seatbelt", "GEMINI_CLI": "1"}
    loop(done(), onEnd=HOOK, env={"HOOK_FILE": str(hook_file), "MINE": "1", **marks})
    seen = {line.split("=", 1)[0] for line in hook_file.with_suffix(".env").read_text().splitlines()}
    assert "MINE" in seen
    assert not seen & set(marks)


def test_a_ralph_in_the_end_hook_is_not_part_of_the_run(loop, hook_file):
    loop(done(), onEnd=f"{ralph()} runs --json > $HOOK_FILE.json", env={"HOOK_FILE": str(hook_file)})
    [run] = json.loads(hook_file.with_suffix(".json").read_text())
    assert run["verdict"] == "verified"


def ralph():
    from ralph.testing.program import ralph_program

    return ralph_program()


def test_an_end_hook_that_fails_is_a_warning_with_the_same_exit_code(loop):
    ended = loop(says("Hm."), onEnd="echo no mail today >&2; exit 3", maximumIterations=1)
    assert ended.code == 1
    assert "ralph: onEnd failed with exit code 3: no mail today. The verdict of the run stays." in ended.err


def test_a_run_that_an_agent_started_has_no_end_hook(loop, hook_file):
    top = StoredRuns(loop.repo.home / ".ralph").unfinished(loop.repo.path)
    env = {"HOOK_FILE": str(hook_file), "RALPH_RUN_ID": top}
    other = loop.repo.path / "other"
    other.mkdir()
    loop(done(), onEnd=HOOK, env=env)
    assert not hook_file.with_suffix(".json").exists()


def settings(agent, **more):
    return apply_schema({"agent": {"command": agent}, "budget": {"usd": 5}, **more})


def warning(agent, **more):
    known = settings(agent, **more)
    return budget_warning(known, choose(known))


def test_a_budget_in_dollars_is_measured_where_the_agent_reports_its_cost():
    assert warning("claude") == ""


def test_a_budget_in_dollars_is_measured_by_tokens_and_prices():
    models = {"mine": {"agent": "codex", "price": {"input": 1, "output": 2}}}
    assert "is measured by its tokens and models.*.price" in warning("codex", models=models)


@pytest.mark.parametrize(
    ("agent", "more", "why"),
    [
        ("codex", {}, "budget.usd cannot be measured: codex reports no cost. Set the price of its model"),
        (
            "claude",
            {"streamAgentOutput": False},
            "claude reports no cost with streamAgentOutput: false. Set streamAgentOutput: true, or another budget",
        ),
        ("./own.sh", {}, "budget.usd cannot be measured: ./own.sh reports no cost. Set another budget"),
        (
            "./own.sh",
            {"budget": {"usd": 5, "tokens": 100}},
            "budget.usd and budget.tokens cannot be measured: ./own.sh reports no cost and no tokens. Set another",
        ),
        (
            "./own.sh",
            {"budget": {"tokens": 100}},
            "budget.tokens cannot be measured: ./own.sh reports no tokens. Set another budget",
        ),
    ],
)
def test_a_budget_that_nobody_can_measure_is_refused_with_what_helps(agent, more, why):
    with pytest.raises(ConfigError) as refused:
        warning(agent, **more)
    assert why in str(refused.value)
    assert refused.value.exit_code == 2


def test_what_the_refusal_of_a_budget_names_helps():
    assert warning("claude", streamAgentOutput=True) == ""
    assert "budget.seconds still applies" in warning("./own.sh", budget={"tokens": 5, "seconds": 60})
    assert warning("codex", budget={"tokens": 5}) == ""


def test_beside_a_budget_that_holds_it_is_only_said():
    said = warning("codex", budget={"usd": 5, "tokens": 1000, "seconds": 60})
    assert (
        said
        == "budget.usd cannot be measured, because codex reports no cost; budget.seconds and budget.tokens still apply."
    )


def test_the_start_of_a_run_says_and_refuses_it(loop):
    refused = loop(done(), budget={"usd": 5}, scripted={"format": "text"})
    assert refused.code == 2
    assert "budget.usd cannot be measured" in refused.err
    said = loop(done(), budget={"usd": 5, "seconds": "1h"}, scripted={"format": "text"})
    assert said.code == 0
    assert "budget.usd cannot be measured, because" in said.err


def test_since_yesterday_is_one_line_for_each_run_with_what_to_do(loop):
    loop(done(), args=("-p", "Good. <response>"))
    loop(says("Hm."), args=("-p", "Bad. <response>"), maximumIterations=1)
    ended = loop.ralph("runs", "--since", "yesterday")
    bad, good, total = ended.out.splitlines()
    assert "max_iterations" in bad
    assert "not done after 1 iteration" in bad
    assert f"in {loop.repo.path}" in bad
    assert "→ ralph resume" in bad
    assert "verified" in good
    assert "→" not in good
    assert total.startswith("2 runs, 1 verified")


def test_since_yesterday_names_a_command_that_can_be_given(loop):
    """Guidance is refused while nothing runs, so a stalled run is continued first."""
    loop(says("Hm."), guardrails=[{"command": "false"}], maximumIterations=9, stall={"after": 2})
    [stalled, _] = loop.ralph("runs", "--since", "yesterday").out.splitlines()
    command = stalled.partition("→ ralph ")[2].split()
    assert command[0] == "resume"
    loop.prepare(done(), maximumIterations=9)
    assert "── iteration 3" in loop.ralph(*command).err


def test_since_yesterday_says_where_the_work_of_a_task_is_that_waits_for_a_person(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[GOOD])
    crew.task(acceptance_criteria=[{"check": "true"}, {"person": "it looks good"}])
    assert crew.run().code == 3
    [line, _] = crew.ralph("runs", "--since", "yesterday").out.splitlines()
    assert f"in {crew.repo.path}/.ralph/worktrees/T-1" in line
    assert "Approve: ralph approve T-1" in line
    assert "→" not in line
    # Without the approval it would only stop again.
    for args in (("show",), ("logs", "-f")):
        assert "ralph resume" not in crew.ralph(*args).out
    refused = crew.run()
    assert refused.code == 2
    assert "--skip" not in refused.err
    assert "or leave it out: --skip T-1" in crew.ralph("spec", "run", "s").err
    assert crew.ralph("approve", "T-1").code == 0
    [line, _] = crew.ralph("runs", "--since", "yesterday").out.splitlines()
    assert "on branch ralph/s · → git merge ralph/s" in line


def test_a_spec_that_waits_for_a_person_names_the_command_that_approves(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[GOOD])
    crew.task(acceptance_criteria=[{"check": "true"}, {"person": "it looks good"}])
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 3
    [last] = [line for line in ended.err.splitlines() if line.startswith("✗ blocked")]
    assert 'Approve: ralph approve T-1, or: ralph reject T-1 "why". Then continue: ralph resume' in last


def test_what_is_older_is_left_out(tmp_path, loop):
    stored = StoredRuns(loop.repo.home / ".ralph")
    stored.add(loop.repo.path, age=50 * HOUR)
    assert loop.ralph("runs", "--since", "yesterday").out == "Nothing has run here since yesterday.\n"
    assert "1 run, 1 verified" in loop.ralph("runs", "--since", "60h").out
    refused = loop.ralph("runs", "--since", "whenever")
    assert refused.code == 2
    assert "--since 'whenever' is not a time" in refused.err


def test_yesterday_begins_at_midnight():
    now = time.time()
    assert 0 <= now - since_moment("today") <= 25 * HOUR
    assert 23 * HOUR <= since_moment("today") - since_moment("yesterday") <= 25 * HOUR
