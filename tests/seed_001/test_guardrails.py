"""Seed 001, "Guardrails": each test is named after its line."""

from pathlib import Path

import pytest

from loops import PROMPT
from ralph.testing import done, edits, says
from ralph.workbench.bench import shell_argv

FIXED = edits({"made": ""}) | done()


def fails(output="broken", **options):
    """A guardrail that prints this and fails until the file is made."""
    return {"command": f"printf '{output}'; test -f made", **options}


def feedback(ended):
    """What the second prompt has beyond the first."""
    assert ended.code == 0
    return ended.prompts[1].removeprefix(f"{PROMPT}\n\n")


def test_command_is_a_shell_command_to_run(loop):
    assert loop(done(), guardrails=[{"command": 'echo a b | tr a x > out && [ -n "$HOME" ] # comment'}]).code == 0
    assert loop.repo.read("out") == "x b\n"


def test_a_guardrail_runs_in_the_project(loop):
    loop(done(), guardrails=[{"command": "pwd"}])
    assert loop.repo.read(".ralph/guardrail_1_pwd.log") == f"{loop.repo.path}\n"


@pytest.mark.parametrize("action", ["APPEND", "PREPEND", "REPLACE"])
def test_fail_action_is_one_of_append_prepend_replace(loop, action):
    prompt = loop(says("hm"), FIXED, guardrails=[fails(failAction=action)]).prompts[1]
    place = {"APPEND": prompt.startswith(PROMPT), "PREPEND": prompt.endswith(PROMPT), "REPLACE": PROMPT not in prompt}
    assert place[action]


def test_fail_action_is_append_unless_it_is_set(loop):
    assert loop(says("hm"), FIXED, guardrails=[fails()]).prompts[1].startswith(PROMPT)


@pytest.mark.parametrize("action", ["IGNORE", ""])
def test_an_unknown_fail_action_is_a_configuration_error(loop, action):
    ended = loop(done(), guardrails=[fails(failAction=action)])
    assert ended.code == 2
    assert "failAction" in ended.err
    assert ended.prompts == []


def test_hint_is_injected_into_the_prompt_when_the_guardrail_fails(loop):
    ended = loop(says("hm"), FIXED, guardrails=[fails(hint="Make the file.")])
    assert "\nHint: Make the file.\n" in ended.prompts[1]


def test_unix_runs_sh_c(loop):
    loop(done(), guardrails=[{"command": "ps -o args= -p $$ || cat /proc/$$/cmdline | tr '\\0' ' '"}])
    (log,) = (loop.repo.path / ".ralph").glob("guardrail_1_*.log")
    program, rest = log.read_text().split(" ", 1)
    assert Path(program).name == "sh"
    assert rest.startswith("-c ps -o args")


def test_windows_runs_cmd_c():
    assert shell_argv("make lint", windows=True) == ["cmd", "/c", "make lint"]


@pytest.mark.parametrize("code", [1, 2, 42, 127, 255])
def test_a_failure_is_a_non_zero_exit_code(loop, code):
    ended = loop(says("hm"), FIXED, guardrails=[{"command": f"test -f made || exit {code}"}])
    assert f"failed with exit code {code}.\n" in feedback(ended)


def test_output_on_stderr_alone_is_no_failure(loop):
    assert loop(done(), guardrails=[{"command": "echo warning >&2"}]).code == 0


def test_always_write_full_output_stdout_and_stderr_to_a_file_under_ralph(loop):
    loop(done(), maximumIterations=1, guardrails=[{"command": "seq 3000; echo problem >&2; exit 1"}])
    log = loop.repo.read(".ralph/guardrail_1_seq_3000_echo_problem_2_exit_1.log")
    assert log == "".join(f"{number}\n" for number in range(1, 3001)) + "problem\n"


def test_truncate_output_sent_to_the_agent_to_output_truncate_chars(loop):
    ended = loop(says("hm"), FIXED, outputTruncateChars=10, guardrails=[fails("0123456789abc")])
    assert feedback(ended).endswith("Output (truncated):\n0123456789... [truncated]")


def test_output_truncate_chars_is_5000_by_default(loop):
    ended = loop(says("hm"), FIXED, guardrails=[fails("x" * 5001)])
    assert feedback(ended).endswith("\n" + "x" * 5000 + "... [truncated]")


def test_truncation_keeps_the_first_n_characters_not_bytes(loop):
    ended = loop(says("hm"), FIXED, outputTruncateChars=4, guardrails=[fails("äöü🙂ß")])
    assert feedback(ended).endswith("\näöü🙂... [truncated]")


def test_the_truncation_indicator_is_only_added_when_truncation_occurs(loop):
    ended = loop(says("hm"), FIXED, outputTruncateChars=10, guardrails=[fails("0123456789")])
    assert feedback(ended).endswith("Output (truncated):\n0123456789")


def test_print_guardrail_start_end_exit_status_and_fail_action_used(loop):
    rails = [{"command": "test -f made || exit 3", "failAction": "PREPEND"}]
    lines = [line.strip() for line in loop(says("hm"), FIXED, guardrails=rails).err.splitlines()]
    start = lines.index("… guardrail test -f made || exit 3")
    assert lines[start + 1].startswith("✗ guardrail test -f made || exit 3: exit code 3 (")
    assert "PREPEND" in lines[start + 1]
    assert any(line.startswith("✓ guardrail test -f made || exit 3: exit code 0 (") for line in lines)


def test_the_fail_action_printed_is_that_of_this_guardrail(loop):
    rails = [{"command": "false", "failAction": "APPEND"}, {"command": "false", "failAction": "REPLACE"}]
    printed = [line for line in loop(done(), maximumIterations=1, guardrails=rails).err.splitlines() if "→" in line]
    assert ["APPEND" in line for line in printed] == [True, False]
    assert ["REPLACE" in line for line in printed] == [False, True]


def test_failure_message_format(loop):
    ended = loop(says("hm"), FIXED, guardrails=[{"command": "echo no; test -f made", "hint": "Fix it."}])
    assert feedback(ended) == (
        'Guardrail "echo no; test -f made" failed with exit code 1.\n'
        "Hint: Fix it.\n"
        "Output file: .ralph/guardrail_1_echo_no_test_f_made.log\n"
        "Output (truncated):\n"
        "no\n"
    )


def test_the_hint_line_is_only_included_when_a_hint_is_configured(loop):
    assert "Hint" not in feedback(loop(says("hm"), FIXED, guardrails=[fails()]))


def test_hints_are_literal_strings_and_never_truncated(loop):
    hint = "Read {output} $HOME %s \\n. " * 40
    ended = loop(says("hm"), FIXED, outputTruncateChars=5, guardrails=[fails("0123456789", hint=hint)])
    assert f"\nHint: {hint}\n" in ended.prompts[1]
    assert ended.prompts[1].endswith("\n01234... [truncated]")


def test_log_files_are_named_by_iteration_and_slug(loop):
    loop(says("hm"), FIXED, guardrails=[{"command": "test -f made"}])
    logs = sorted(path.name for path in (loop.repo.path / ".ralph").glob("*.log"))
    assert logs == ["guardrail_1_test_f_made.log", "guardrail_2_test_f_made.log"]


def test_slug_replaces_non_alphanumeric_chars_and_is_truncated_to_50_chars(loop):
    loop(done(), guardrails=[{"command": ": --long " + "word " * 20}])
    assert loop.exists(f".ralph/guardrail_1_{('long_' + 'word_' * 20)[:50].rstrip('_')}.log")


def test_slug_example(loop):
    loop(done(), maximumIterations=1, guardrails=[{"command": "./mvnw clean install -T 2C"}])
    assert "not found" in loop.repo.read(".ralph/guardrail_1_mvnw_clean_install_T_2C.log")
