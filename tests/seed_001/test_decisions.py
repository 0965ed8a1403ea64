"""What was decided where the seed is silent, or where it went wrong: of the completion, guardrails, SCM and limits."""

import base64
import json
import os

import pytest

from git_calls import GitCalls
from loops import PROMPT, is_alive
from ralph.testing import answers, crash, done, edits, fails, hangs, says

TAG = "<response>DONE</response>"
COMMIT = {"tasks": ["commit"]}


def line(**fields):
    return json.dumps(fields)


# Completion


@pytest.mark.parametrize(
    "step",
    [
        {"think": TAG} | says("hm"),
        {"tool": {"name": "Bash", "output": TAG}} | says("hm"),
        {"tool": {"name": "Write", "input": {"file_path": "a", "content": TAG}}} | says("hm"),
        {"do": [{"say": TAG}, {"say": "but no, not yet"}]},
        {"raw": TAG} | says("hm"),
        {"stderr": TAG} | says("hm"),
        edits({"notes.md": TAG}) | says("hm"),
    ],
    ids=["thinking", "tool output", "tool input", "earlier message", "noise", "stderr", "file"],
)
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_the_completion_tag_is_read_from_the_final_message_only(loop, step, agent):
    ended = loop(step, scripted={"format": agent}, maximumIterations=1)
    assert ended.code == 1, ended.out


@pytest.mark.parametrize("agent", ["claude", "codex", "amp", "text"])
def test_an_echo_of_the_prompt_is_not_a_claim(loop, agent):
    prompt = f"Make the tests pass. When they do, end with {TAG} on a line of its own."
    echo = {"do": [{"echo_prompt": True}, {"say": "I have begun."}]}
    ended = loop(echo, maximumIterations=1, args=("-p", prompt), scripted={"format": agent})
    assert ended.code == 1


def test_a_plain_text_agent_may_echo_the_prompt_and_then_be_done(loop):
    prompt = f"Make the tests pass. When they do, end with {TAG} on a line of its own."
    steps = {"echo_prompt": True} | says("I have begun."), {"echo_prompt": True} | done()
    ended = loop(*steps, args=("-p", prompt), scripted={"format": "text"})
    assert (ended.code, len(ended.prompts)) == (0, 2)


def test_a_claim_on_the_last_iteration_counts(loop):
    assert loop(says("hm"), done(), maximumIterations=2).code == 0


def test_white_space_and_newlines_around_the_word_are_trimmed(loop):
    assert loop({"final": "<response>\n  DONE\t\n</response>"}, maximumIterations=1).code == 0


@pytest.mark.parametrize(("texts", "code"), [((TAG, "not yet"), 1), (("not yet", TAG), 0)])
def test_of_several_result_lines_the_last_wins(loop, texts, code):
    results = "\n".join(line(type="result", subtype="success", is_error=False, result=text) for text in texts)
    assert loop({"raw": results, "no_result": True}, maximumIterations=1).code == code


@pytest.mark.parametrize("bad_end", [{"exit": 1}, {"is_error": True}, {"is_error": True, "exit": 1}])
def test_a_tag_with_a_non_zero_exit_or_is_error_does_not_count(loop, bad_end):
    ended = loop(done() | bad_end, maximumIterations=1)
    assert ended.code == 1


def test_no_result_line_the_last_message_counts_if_the_exit_code_is_0(loop):
    assert loop(says(TAG) | {"no_result": True}, maximumIterations=1).code == 0
    assert loop(says(TAG) | {"no_result": True, "exit": 1}, maximumIterations=1).code == 1


# Guardrails


def test_several_failing_guardrails_combine(loop):
    rails = [
        {"command": f"test -f made || (echo {name}; false)", "failAction": action}
        for name, action in [("a1", "APPEND"), ("p1", "PREPEND"), ("a2", "APPEND"), ("p2", "PREPEND")]
    ]
    prompt = loop(says("hm"), edits({"made": ""}) | done(), guardrails=rails).prompts[1]
    blocks = prompt.split("\n\n")
    assert [block.split("\n")[-1] or block.split("\n")[-2] for block in blocks] == ["p1", "p2", PROMPT, "a1", "a2"]


def test_replaces_stand_in_the_place_of_the_prompt_among_the_others(loop):
    rails = [
        {"command": f"test -f made || (printf {action}; false)", "failAction": action}
        for action in ("APPEND", "REPLACE", "PREPEND")
    ]
    prompt = loop(says("hm"), edits({"made": ""}) | done(), guardrails=rails).prompts[1]
    assert PROMPT not in prompt
    assert [block.rsplit("\n", 1)[-1] for block in prompt.split("\n\n")] == ["PREPEND", "REPLACE", "APPEND"]


def test_the_same_slug_twice_gets_a_number(loop):
    loop(done(), guardrails=[{"command": "echo one"}, {"command": "echo 'one'"}, {"command": "echo one"}])
    logs = sorted(path.name for path in (loop.repo.path / ".ralph").glob("*.log"))
    assert logs == ["guardrail_1_echo_one.log", "guardrail_1_echo_one_2.log", "guardrail_1_echo_one_3.log"]


# SCM tasks


def test_the_last_iterations_work_is_committed(git_loop):
    git_loop(edits({"a": "1"}) | done(), answers("commit message", "Add a"), scm=COMMIT, maximumIterations=1)
    assert git_loop.repo.log() == ["base", "Add a"]
    assert git_loop.repo.git("status", "--porcelain") == ""


def test_commit_stages_new_files_but_no_ignored_ones_and_no_state_of_ralph(git_loop):
    git_loop.repo.write(".gitignore", "*.o\n")
    git_loop.repo.commit_all("ignore")
    work = edits({"src/new.c": "1", "src/new.o": "1"}) | done()
    git_loop(work, answers("commit message", "Add new"), scm=COMMIT, guardrails=[{"command": "true"}])
    assert git_loop.repo.git("show", "--name-only", "--format=", "HEAD").split() == ["src/new.c"]
    assert git_loop.exists(".ralph/guardrail_1_true.log")


def test_nothing_to_commit_is_not_an_error(git_loop):
    ended = git_loop(done(), answers("commit message", "Nothing"), scm=COMMIT)
    assert ended.code == 0
    assert git_loop.repo.log() == ["base"]


def test_a_message_that_looks_like_a_stream_line_aborts_the_scm_tasks(git_loop):
    said = line(type="system", subtype="init")
    ended = git_loop(edits({"a": "1"}) | done(), answers("commit message", said), scm=COMMIT)
    assert ended.code == 9
    assert "looks like a line of its stream" in ended.err
    assert git_loop.repo.log() == ["base"]


def test_a_failed_push_burns_no_more_iterations(git_loop):
    ended = git_loop(edits({"a": "1"}) | done(), answers("commit message", "Add a"), scm={"tasks": ["commit", "push"]})
    assert (ended.code, len(ended.prompts)) == (9, 1)
    assert "git push" in ended.err


# An agent that fails


def test_an_agent_that_exits_non_zero_is_a_failed_iteration_recorded_and_fed_back(loop):
    ended = loop(says("I tried") | fails(3, stderr="boom"), done(), guardrails=[{"command": "true"}])
    assert ended.code == 0
    assert ended.prompts[1].startswith(f"{PROMPT}\n\nThe previous iteration failed: it exited with code 3: boom.")
    assert ended.prompts[1].endswith("boom\nI tried")
    first, second = loop.show()["iterations"]
    assert [action["result"]["status"] for action in first["actions"]] == ["failed"]
    assert "it exited with code 3" in first["feedback"]
    assert second["feedback"] == ""


def test_an_agent_that_dies_of_a_signal_is_a_failed_iteration(loop):
    ended = loop(says("hm") | crash("SIGKILL"), done())
    assert ended.code == 0
    assert "it was killed by SIGKILL" in ended.prompts[1]


def test_a_missing_agent_ends_the_run_at_once(loop):
    loop.settings(agent={"command": "/nowhere/claude"})
    ended = loop.ralph("run", "-p", PROMPT)
    assert ended.code == 7
    assert "/nowhere/claude does not exist. Correct the path, or choose another agent: ralph doctor" in ended.err


def test_an_agent_that_is_not_executable_ends_the_run_at_once(loop):
    agent = loop.repo.write("claude", "#!/bin/sh\n")
    loop.settings(agent={"command": str(agent)})
    ended = loop.ralph("run", "-p", PROMPT)
    assert ended.code == 7
    assert "is not executable" in ended.err


def test_three_failures_in_a_row_without_standard_output_end_it_with_the_cause(loop):
    silent = {"format": "text"}
    ended = loop(fails(1, stderr="what?\nno API key\n"), scripted=silent)
    assert (ended.code, len(ended.prompts)) == (7, 3)
    verdict = "the agent failed 3 times in a row without standard output: it exited with code 1: no API key"
    assert f"✗ agent_error: {verdict} · " in ended.err
    assert ended.err.count("the agent failed in less than a second: trying again in ") == 2


def test_why_an_agent_failed_is_on_the_screen_and_in_show_and_logs(loop):
    ended = loop({"raw": "error: unknown option\n"} | fails(2, stderr="first\nno API key\n"), maximumIterations=1)
    run = loop.show()["id"]
    assert "  stderr: first\n  stderr: no API key\n" in ended.out
    assert "  error: unknown option\n" in ended.out
    failure = "✗ the agent failed: it exited with code 2: no API key"
    end = f"first\n      no API key\n      see .ralph/runs/{run}/iteration-1/stderr.log\n"
    for shown in (ended.err, loop.ralph("show").out):
        assert failure in shown
        assert f"      {end}" in shown
    logs = loop.ralph("logs").out
    assert logs.index("stderr: first\nstderr: no API key\n") < logs.index(failure) < logs.index("    first\n")


def test_a_line_that_is_not_in_the_agents_format_is_the_cause_where_there_is_no_other(loop):
    ended = loop({"raw": "error: unknown option\n"} | fails(2), maximumIterations=1)
    assert "✗ the agent failed: it exited with code 2: error: unknown option · " in ended.err


# Limits


def test_timeouts_agent_ends_the_iteration_and_keeps_the_work(loop):
    ended = loop(edits({"half.txt": "done so far"}) | hangs(), done(), timeouts={"agent": 3})
    assert ended.code == 0
    assert "it ran longer than timeouts.agent (3 s)" in ended.prompts[1]
    assert loop.repo.read("half.txt") == "done so far"
    assert not is_alive(ended.agent.starts[0].pid)


@pytest.mark.e2e
def test_timeouts_idle_ends_an_agent_that_writes_nothing(loop):
    ended = loop(says("begun") | hangs(), done(), timeouts={"idle": "3s"})
    assert ended.code == 0
    assert "it wrote nothing for timeouts.idle (3 s)" in ended.prompts[1]


@pytest.mark.e2e
def test_timeouts_guardrail_is_a_failure_that_is_fed_back(loop):
    rails = [{"command": "echo $$ > pid; test -f made || sleep 300", "hint": "Be quick."}]
    ended = loop(says("hm"), edits({"made": ""}) | done(), guardrails=rails, timeouts={"guardrail": 0.5})
    assert ended.code == 0
    assert "it ran longer than timeouts.guardrail (0.5 s) and was ended.\nHint: Be quick." in ended.prompts[1]


def test_timeouts_are_off_30_minutes_and_30_minutes_by_default(loop):
    loop.prepare(done())
    settings, _ = json.JSONDecoder().raw_decode(loop.ralph("run", "-p", PROMPT, "--dry-run").out)
    assert settings["timeouts"] == {"agent": None, "guardrail": 1800.0, "idle": 1800.0}


@pytest.mark.parametrize(
    ("budget", "step", "words"),
    [
        ({"usd": 0.5}, {"cost": 0.3}, "0.6 of 0.5 USD"),
        ({"tokens": 250}, {"tokens": {"input": 100, "output": 20, "cache_read": 10}}, "260 of 250 tokens"),
    ],
    ids=["usd", "tokens"],
)
def test_a_budget_is_checked_between_iterations(loop, budget, step, words):
    ended = loop(says("hm") | step, budget=budget)
    assert (ended.code, len(ended.prompts)) == (4, 2)
    assert "✗ budget: the budget is spent: " in ended.err
    assert words in ended.err


def test_a_budget_of_seconds_is_checked_between_iterations(loop):
    ended = loop(says("hm") | {"sleep": 0.2}, budget={"seconds": 0.3})
    assert ended.code == 4
    assert "of 0.3 seconds" in ended.err
    assert len(ended.prompts) <= 2


# --dry-run


def test_dry_run_prints_settings_argv_and_first_prompt_and_runs_nothing(loop):
    loop.prepare(done(), guardrails=[{"command": "touch ran"}], includeIterationCountInPrompt=True)
    ended = loop.ralph("run", "-p", PROMPT, "-m", "4", "--dry-run")
    assert ended.code == 0
    settings, end = json.JSONDecoder().raw_decode(ended.out)
    assert settings["maximumIterations"] == 4
    assert f"Command: {ended.agent.command} -p --output-format stream-json --verbose\n" in ended.out[end:]
    assert ended.out.endswith(f"First prompt:\nIteration 1 of 4, 3 remaining.\n\n{PROMPT}\n")
    assert ended.agent.starts == []
    assert not loop.exists("ran")
    assert not loop.exists(".ralph/runs")
    assert not (loop.repo.home / ".ralph/ralph.db").exists()


def test_dry_run_finds_the_same_mistakes(loop):
    assert loop(done(), args=("--dry-run",)).code == 2
    assert loop(done(), args=("-p", PROMPT, "--dry-run", "-m", "0")).code == 2


# Bytes


def test_stream_ndjson_is_the_agents_bytes_as_they_came(loop):
    raw = bytes(range(256)) + b'\r\n{"type": "assistant"\n\n\xf0\x9f' + b"end without newline"
    loop({"raw_base64": base64.b64encode(raw).decode(), "no_result": True}, maximumIterations=1)
    (stream,) = (loop.repo.path / ".ralph/runs").glob("*/iteration-1/stream.ndjson")
    assert stream.read_bytes() == raw


def test_known_secret_values_are_the_only_thing_replaced(loop):
    env = {"MY_SERVICE_TOKEN": "s3cret-value-123"}
    loop({"raw": "before s3cret-value-123 after", "no_result": True}, maximumIterations=1, env=env)
    (stream,) = (loop.repo.path / ".ralph/runs").glob("*/iteration-1/stream.ndjson")
    assert stream.read_bytes() == b"before [redacted] after\n"


def test_output_that_is_not_utf_8_disturbs_nothing(loop):
    rails = [{"command": "printf '\\377\\376bad\\n'; test -f made"}]
    first = {"raw_base64": base64.b64encode(b"\xff\xfe\n").decode()} | says("hm")
    ended = loop(first, edits({"made": ""}) | done(), guardrails=rails)
    assert ended.code == 0
    assert ended.prompts[1].endswith("\n��bad\n")


OF_THE_USER = {
    "DEPLOY_TOKEN": "t0ken-of-the-user",
    "DATABASE_URL": "postgres://me:pw12345678@db/x",
    "JAVA_HOME": "/jdk",
}


def test_ralphs_own_git_runs_with_a_minimal_environment(git_loop, tmp_path):
    """Only the tasks that the settings name see all of it: a hook or a push may need it."""
    calls = GitCalls(tmp_path, os.environ["PATH"])
    env = {**calls.env, **OF_THE_USER, "GIT_AUTHOR_NAME": "Somebody"}
    scm = {"command": "git", "tasks": ["commit", "tag after"]}
    checks = [{"command": "test $DEPLOY_TOKEN = t0ken-of-the-user"}]
    work = edits({"new.txt": "1\n"}) | done()
    ended = git_loop(work, answers("commit message", "Add it"), env=env, scm=scm, guardrails=checks)
    assert ended.code == 0, ended.err
    own = [(words, names) for words, names in calls.saw if words.split()[0] not in ("commit", "tag")]
    assert len(own) > 5
    assert [words for words, names in own if names & OF_THE_USER.keys()] == []
    assert all({"PATH", "HOME", "GIT_AUTHOR_NAME"} <= names for _, names in own)
    tasks = [names for words, names in calls.saw if words.startswith(("commit -", "tag after"))]
    assert len(tasks) == 2
    assert all(OF_THE_USER.keys() <= names for names in tasks)


def test_a_fallback_agent_that_is_missing_is_named_before_the_first_agent_works(loop):
    ended = loop(done(), quota={"fallbackAgent": "spare-agent"})
    assert ended.code == 7
    assert "spare-agent, which quota.fallbackAgent names, is not on PATH." in ended.err
    assert ended.agent.starts == []
    assert loop(done(), quota={"fallbackAgent": "sh"}).code == 0
