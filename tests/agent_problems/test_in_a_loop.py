"""What agents' problems mean to a running loop, through the real program."""

import json
import re
import signal
import time

import pytest

from loops import PROMPT, wait_until
from ralph.testing import done, edits, says

QUICK = {"quota": {"initialWait": 0.05, "maxWait": 0.1}}
LIMITED = {"is_error": 429, "final": "API Error: Request rejected (429) · rate limit", "exit": 1}


def kinds(loop):
    """What was done, without the question for guidance before each prompt."""
    done = [action["kind"] for attempt in loop.show()["iterations"] for action in attempt["actions"]]
    return [kind for kind in done if kind != "read-prompt"]


def test_a_rate_limit_waits_and_repeats_the_same_iteration(loop):
    ended = loop(LIMITED, LIMITED, done(), maximumIterations=1, **QUICK)
    assert ended.code == 0, ended.err
    assert "done by the agent's word after 1 iteration; nothing was checked" in ended.err
    assert ended.err.count("not counted as an iteration") == 2
    shown = loop.show()
    assert [(each["number"], each["attempt"]) for each in shown["iterations"]] == [(1, 1), (1, 2), (1, 3)]
    assert kinds(loop) == ["run-agent", "wait", "run-agent", "wait", "run-agent", "read-response"]


def test_each_refused_call_keeps_its_own_stream(loop):
    loop(LIMITED, done(), maximumIterations=1, **QUICK)
    (run,) = (loop.repo.path / ".ralph/runs").iterdir()
    assert b"429" in (run / "iteration-1/stream.ndjson").read_bytes()
    assert b"DONE" in (run / "iteration-1-retry-1/stream.ndjson").read_bytes()


def test_words_about_rate_limits_in_tool_output_never_trigger_a_wait(loop):
    step = {"tool": {"name": "Read", "input": {"file_path": "a"}, "output": "5-hour limit reached, ratelimit 429"}}
    ended = loop(step | says("I read about a rate limit.") | done(), **QUICK)
    assert ended.code == 0
    assert "waiting" not in ended.err


def test_a_waiting_run_says_so_and_stops_at_once_on_a_signal(loop):
    loop.prepare(LIMITED, quota={"initialWait": 600})
    with loop.start() as running:
        wait_until(lambda: _status(loop) == "waiting", "the run never waited")
        running.send(signal.SIGINT)
        assert running.end().code == 130
    assert _status(loop) == "interrupted"


@pytest.mark.e2e
def test_a_resumed_run_goes_on_waiting_until_the_reset_time(loop):
    reset = time.time() + 6
    loop.prepare({**LIMITED, "final": f"Claude AI usage limit reached|{int(reset)}"}, done())
    with loop.start() as running:
        wait_until(lambda: _status(loop) == "waiting", "the run never waited")
        running.send(signal.SIGKILL)
        running.end()
    ended = loop.ralph("resume")
    assert ended.code == 0, ended.err
    assert time.time() >= int(reset)
    assert len(loop.agent.starts) == 2


def test_the_fallback_agent_takes_over(loop, tmp_path):
    from ralph.testing import ScriptedAgent

    other = ScriptedAgent(done(), directory=tmp_path / "other", format="codex")
    ended = loop(LIMITED, quota={"fallbackAgent": other.command})
    assert ended.code == 0, ended.err
    assert len(other.starts) == 1
    assert loop.show()["iterations"][1]["actions"][0]["result"]["agent"] == other.command


def test_expired_authentication_ends_the_run_at_once_with_what_to_do(loop):
    ended = loop({"is_error": 401, "final": "Invalid API key · Please run /login", "exit": 1})
    assert ended.code == 7
    assert len(ended.agent.starts) == 1
    assert "Invalid API key · Please run /login. Log the agent in again" in ended.err


def test_an_invalid_model_ends_the_run_at_once(loop):
    ended = loop({"is_error": 404, "final": "There's an issue with the selected model (x).", "exit": 1})
    assert ended.code == 7
    assert "Choose a model" in ended.err


def test_a_server_error_is_a_failed_iteration(loop):
    ended = loop({"is_error": 500, "final": "API Error: 500 Internal server error", "exit": 1}, done())
    assert ended.code == 0
    assert "done by the agent's word after 2 iterations; nothing was checked" in ended.err
    assert "500 Internal server error" in ended.prompts[1]


def denied(command="make install", **more):
    """An agent that says that it is done although it was denied a command."""
    denial = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command}}
    line = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "<response>DONE</response>",
        "permission_denials": [denial],
    }
    return {"raw": json.dumps(line) + "\n", "no_result": True, **more}


DENIED = "it was denied a permission: Bash(make install)"


def test_a_denied_permission_without_a_guardrail_is_never_done(loop):
    ended = loop(denied(), maximumIterations=1)
    assert ended.code == 1
    assert "✓ the agent has finished" not in ended.err
    assert f"· {DENIED}" in ended.err
    assert f"{DENIED}, and no guardrail shows that the work is done anyway" in ended.err


def test_with_a_guardrail_that_passes_a_denied_permission_is_told_and_the_work_is_done(loop):
    ended = loop(denied(write={"ok": "1"}), guardrails=[{"command": "test -e ok"}], maximumIterations=1)
    assert ended.code == 0, ended.err
    assert DENIED in ended.err


def test_the_agent_is_told_what_was_denied_once(loop):
    ended = loop(denied(), says("hm"), done(), maximumIterations=3)
    assert ended.code == 0, ended.err
    assert DENIED not in ended.prompts[0]
    assert DENIED in ended.prompts[1]
    assert DENIED not in ended.prompts[2]


def test_a_failed_guardrail_and_a_denied_permission_are_told_together(loop):
    ended = loop(denied(), edits({"ok": "1"}) | done(), guardrails=[{"command": "test -e ok"}])
    assert ended.code == 0, ended.err
    assert 'Guardrail "test -e ok" failed' in ended.prompts[1]
    assert DENIED in ended.prompts[1]


def test_the_same_denial_in_three_iterations_in_a_row_ends_the_run_and_names_the_flag(loop):
    ended = loop(denied(), denied(), denied(), done())
    assert ended.code == 7
    reason, step, _ = ended.err.splitlines()[-3:]
    assert f"in 3 iterations in a row {DENIED}" in reason
    assert "Allow it (agent.flags: --allowedTools 'Bash(make install:*)'), then run again" in reason
    assert "it keeps its settings; for new ones, run again" in step
    assert len(ended.prompts) == 3


def test_the_flag_is_in_the_last_line_of_a_quiet_run(loop):
    ended = loop(denied(), args=("-q", "-p", PROMPT))
    assert ended.code == 7
    assert "agent.flags: --allowedTools 'Bash(make install:*)'" in ended.err.splitlines()[-1]


def test_the_flag_that_three_denials_name_reaches_the_agent_when_it_is_added(loop):
    loop(denied())
    flag = re.search(r"agent\.flags: (.+?)\), then run again", loop.show()["reason"])[1]
    agent = loop.prepare(done())
    loop.settings(agent={"command": agent.command, "flags": [flag]})
    ended = loop.ralph("run", "-p", PROMPT)
    assert ended.code == 0, ended.err
    words = agent.starts[0].argv
    assert words[words.index("--allowedTools") + 1] == "Bash(make install:*)"


def test_another_denial_between_them_begins_the_count_again(loop):
    ended = loop(denied(), denied(), denied("make all"), denied(), done())
    assert ended.code == 0, ended.err


def test_a_prompt_that_is_too_long_loses_feedback_and_is_tried_again(loop):
    too_long = {"is_error": 400, "final": "Prompt is too long", "exit": 1}
    ended = loop(
        edits({"a": "1"}),
        too_long,
        edits({"ok": "1"}) | done(),
        guardrails=[{"command": "test -e ok || { yes feedback | head -c 4000; false; }"}],
    )
    assert ended.code == 0, ended.err
    assert "proven done after 2 iterations" in ended.err
    _, long, short = ended.prompts
    assert len(short) < len(long)


@pytest.mark.e2e
def test_an_agent_that_answers_and_then_stays_is_ended_and_its_answer_counts(loop):
    ended = loop({"do": [done(), {"hang": True}]})
    assert ended.code == 0, ended.err
    assert "done by the agent's word after 1 iteration; nothing was checked" in ended.err


def _status(loop):
    listed = json.loads(loop.ralph("runs", "--json").out)
    return listed[0]["status"] if listed else ""


def test_a_run_that_ended_for_want_of_a_login_is_resumed_when_the_agent_is_logged_in_again(loop):
    refused = {"is_error": 401, "final": "Invalid API key · Please run /login", "exit": 1}
    assert loop(says("Begun."), refused, edits({"a.txt": "1"}) | done()).code == 7
    ended = loop.ralph("resume")
    assert ended.code == 0, ended.err
    assert "done by the agent's word after 2 iterations; nothing was checked" in ended.err
    assert [(each["number"], each["attempt"]) for each in loop.show()["iterations"]] == [(1, 1), (2, 1), (2, 2)]
