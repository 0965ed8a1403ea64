"""Seed 001, "Loop Behavior": each test is named after its line."""

import os

import pytest

from loops import PROMPT, waits
from ralph.testing import done, edits, floods, says

NEEDS_FILE = {"command": "echo broken; test -f made"}
MAKES_FILE = edits({"made": ""})


def test_if_prompt_is_provided_use_it(loop):
    ended = loop(says("hm"), done(), args=("--prompt", "Build it. <response>"))
    assert ended.prompts == ["Build it. <response>"] * 2


def test_if_prompt_file_is_provided_re_read_the_file_on_each_iteration(loop):
    first, second, third = (f"{word} <response>\n" for word in ("first", "second", "third"))
    loop.repo.write("PROMPT.md", first)
    ended = loop(edits({"PROMPT.md": second}), edits({"PROMPT.md": third}), done(), args=("-f", "PROMPT.md"))
    assert ended.prompts == [first, second, third]


@pytest.mark.parametrize("action", ["APPEND", "PREPEND"])
def test_if_a_guardrail_failed_in_the_previous_iteration_add_its_output_to_the_base_prompt(loop, action):
    ended = loop(says("hm"), MAKES_FILE, done(), guardrails=[{**NEEDS_FILE, "failAction": action}])
    first, second, third = ended.prompts
    assert first == third == PROMPT
    assert "broken" in second
    assert second.startswith(PROMPT) is (action == "APPEND")
    assert second.endswith(PROMPT) is (action == "PREPEND")


@pytest.mark.parametrize("action", ["APPEND", "PREPEND"])
def test_separate_new_text_from_existing_text_with_two_newlines(loop, action):
    ended = loop(says("hm"), MAKES_FILE | done(), guardrails=[{**NEEDS_FILE, "failAction": action}])
    around = ended.prompts[1].split(f"{PROMPT}\n\n" if action == "APPEND" else f"\n\n{PROMPT}")
    text = around[1] if action == "APPEND" else around[0]
    assert text.startswith('Guardrail "')
    assert text.endswith("broken\n")


def test_if_include_iteration_count_in_prompt_is_enabled_prepend_it_with_two_newlines(loop):
    ended = loop(says("hm"), says("hm"), done(), maximumIterations=3, includeIterationCountInPrompt=True)
    assert ended.prompts == [
        f"Iteration 1 of 3, 2 remaining.\n\n{PROMPT}",
        f"Iteration 2 of 3, 1 remaining.\n\n{PROMPT}",
        f"Iteration 3 of 3, 0 remaining.\n\n{PROMPT}",
    ]


def test_the_iteration_count_stands_before_prepended_feedback(loop):
    rails = [{**NEEDS_FILE, "failAction": "PREPEND"}]
    ended = loop(says("hm"), MAKES_FILE | done(), guardrails=rails, includeIterationCountInPrompt=True)
    assert ended.prompts[1].startswith('Iteration 2 of 10, 8 remaining.\n\nGuardrail "')


def test_invoke_the_agent_with_configured_command_and_flags(loop):
    agent = loop.prepare(done())
    loop.settings(agent={"command": agent.command, "flags": ["--model opus", "--no-auto-compact"]})
    assert loop.ralph("run", "-p", PROMPT).code == 0
    (start,) = agent.starts
    assert start.argv[:4] == ["-p", "--model", "opus", "--no-auto-compact"]
    assert start.cwd == str(loop.repo.path)


@pytest.mark.parametrize("stream", [True, False])
def test_always_capture_full_agent_output_for_completion_detection(loop, stream):
    ended = loop(floods(3_000_000) | done(), streamAgentOutput=stream)
    assert ended.code == 0
    assert len(ended.prompts) == 1


def test_if_stream_agent_output_is_enabled_tee_the_output_to_the_console_as_it_arrives(loop):
    loop.prepare({"do": [{"say": "I am at work"}, {"run": waits()}], "final": "<response>DONE</response>"})
    with loop.start() as running:
        running.wait_for("ready")
        running.wait_for_output("I am at work")
        loop.repo.write("go", "")
        assert running.end().code == 0


def test_without_stream_agent_output_the_console_shows_nothing_of_it(loop):
    ended = loop(says("I am at work") | done(), streamAgentOutput=False)
    assert (ended.code, ended.out) == (0, "")
    assert "I am at work" not in ended.err


def test_run_guardrails_after_the_agent_response(loop):
    ended = loop(MAKES_FILE | done(), guardrails=[{"command": "test -f made && touch checked"}])
    assert ended.code == 0
    assert loop.exists("checked")


def test_save_each_guardrail_output_to_its_log_file(loop):
    rails = [{"command": "echo linted"}, {"command": "echo tested; test -f made"}]
    loop(says("hm"), MAKES_FILE | done(), guardrails=rails)
    for iteration in (1, 2):
        assert loop.repo.read(f".ralph/guardrail_{iteration}_echo_linted.log") == "linted\n"
        assert loop.repo.read(f".ralph/guardrail_{iteration}_echo_tested_test_f_made.log") == "tested\n"


@pytest.mark.parametrize("action", ["APPEND", "PREPEND", "REPLACE"])
def test_if_guardrails_failed_apply_their_fail_action_to_the_next_prompt_and_continue(loop, action):
    ended = loop(done(), MAKES_FILE | done(), guardrails=[{**NEEDS_FILE, "failAction": action}])
    assert ended.code == 0
    message = (
        f'Guardrail "{NEEDS_FILE["command"]}" failed with exit code 1.\n'
        "Output file: .ralph/guardrail_1_echo_broken_test_f_made.log\nOutput (truncated):\nbroken\n"
    )
    expected = {"APPEND": f"{PROMPT}\n\n{message}", "PREPEND": f"{message}\n\n{PROMPT}", "REPLACE": message}
    assert ended.prompts == [PROMPT, expected[action]]


def test_if_all_guardrails_pass_check_for_completion_response_and_stop_if_matched(loop):
    ended = loop(says("not yet"), done(), done(), guardrails=[{"command": "true"}])
    assert ended.code == 0
    assert len(ended.prompts) == 2


def test_if_max_iterations_is_reached_without_completion_exit_code_1(loop):
    ended = loop(says("still at it"), maximumIterations=3)
    assert ended.code == 1
    assert len(ended.prompts) == 3
    assert "not done after 3 iterations" in ended.err


# Prompt Construction


@pytest.mark.parametrize(
    "prompt",
    [
        "  leading and trailing blanks \n\n",
        "two\nlines and \"quotes\" 'of' `every` $kind {prompt} %s \\n",
        "--not-a-flag",
        "größer 🙂 \u202e",
        "x" * 120_000,
    ],
)
def test_prompt_uses_the_value_as_is(loop, prompt):
    assert loop(done(), args=(f"--prompt={prompt}",)).prompts == [prompt]


def test_prompt_file_is_re_read_each_iteration_to_construct_the_base_prompt(loop):
    loop.repo.write("P.md", "first")
    ended = loop(edits({"P.md": "second"}), MAKES_FILE | done(), args=("-f", "P.md"), guardrails=[NEEDS_FILE])
    assert ended.prompts[1].startswith('second\n\nGuardrail "echo broken')


def test_a_prompt_file_is_used_as_is_with_its_line_ends(loop):
    (loop.repo.path / "P.md").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    assert loop(done(), args=("-f", "P.md")).prompts == ["\ufeffone\r\ntwo\r\n"]


def test_a_prompt_file_may_lie_anywhere(loop, tmp_path):
    file = tmp_path / "else where.md"
    file.write_text("from afar")
    assert loop(done(), args=("-f", os.fspath(file))).prompts == ["from afar"]
