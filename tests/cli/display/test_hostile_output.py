"""Nothing that an agent, a check or a file name says reaches a terminal as anything but text."""

import json

import pytest

from ralph.model.words import first_words, last_lines, visible
from ralph.testing import done, run_ralph, says
from task_crew import TaskCrew, promise
from terminals import Terminal

CLEAR = "\x1b[2J\x1b]0;pwned\x07"
SHOWN = r"\x1b[2J\x1b]0;pwned\x07"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ✓ 👩‍💻 é\n\tnext", "plain ✓ 👩‍💻 é\n\tnext"),
        (CLEAR, SHOWN),
        ("a\r\nb", "a\r\nb"),
        ("a\r\nb\x00", "a\nb\\x00"),
        ("10%\r20%", "10%\\x0d20%"),
        ("\x9b31m", "\\x9b31m"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("caf\udce9.py", "caf\\udce9.py"),
        ("a\u200bb\ufeff\U000e0041", "a\\u200bb\\ufeff\\U000e0041"),
    ],
)
def test_characters_that_control_or_hide_are_spelt_out(text, shown):
    assert visible(text) == shown.replace("\r\n", "\n")


def test_first_words_and_last_lines():
    assert first_words("Make the\n tests pass now", 14) == "Make the…"
    assert first_words("x" * 30, 10) == "x" * 9 + "…"
    assert first_words("short", 10) == "short"
    assert last_lines("a\n\nb \n\n c\n", 2) == ["b", " c"]


@pytest.mark.parametrize(
    "command",
    [
        ("run", "-p", f"Do {CLEAR} it."),
        ("logs",),
        ("show",),
        ("runs",),
        ("runs", "--since", "yesterday"),
        ("status",),
        ("status", "--watch"),
    ],
    ids=" ".join,
)
def test_escape_sequences_are_shown_as_text_under_a_terminal(loop, command):
    loop.prepare(
        says(f"agent {CLEAR}") | {"stderr": f"complaint {CLEAR}\n"} | done(),
        maximumIterations=1,
        guardrails=[{"command": f"printf '%s' '{CLEAR}'; exit 1"}],
    )
    if command[0] != "run":
        loop.ralph("run", "-p", f"Do {CLEAR} it.")
    with Terminal(loop.repo.path, {**loop.repo.env, "TERM": "xterm"}, *command) as terminal:
        terminal.end()
    assert SHOWN in terminal.screen
    assert "\x1b[2J" not in terminal.screen
    assert "\x1b]0;" not in terminal.screen


def test_a_pipe_gets_no_escape_sequence_either_but_raw_is_raw(loop):
    guardrail = {"command": f"echo '{CLEAR}'; false"}
    ended = loop(
        says(f"agent {CLEAR}") | done(), scripted={"format": "text"}, maximumIterations=1, guardrails=[guardrail]
    )
    assert SHOWN in ended.out
    for shown in (ended.out, ended.err, loop.ralph("logs").out, loop.ralph("show", "--json").out):
        assert "\x1b" not in shown
    assert CLEAR in loop.ralph("logs", "--raw").out


TASK = {
    "id": "T-1",
    "spec": "s",
    "title": f"title {CLEAR}",
    "description": f"more {CLEAR}",
    "completion": {"outcome": f"outcome {CLEAR}", "acceptance_criteria": [f"criterion {CLEAR}"]},
}


@pytest.mark.parametrize(
    "command",
    [
        ("task", "list"),
        ("task", "show", "T-1"),
        ("task", "run", "T-1", "--dry-run"),
        ("spec", "show", "s"),
        ("spec", "graph", "s"),
        ("spec", "preview", "s"),
        ("bus", "read", "--task-dir", "."),
        ("run", "-p", f"Do {CLEAR} it.", "--dry-run"),
    ],
    ids=" ".join,
)
def test_what_planners_and_messages_say_is_shown_as_text_under_a_terminal(git_loop, command):
    git_loop.prepare(done())
    assert run_ralph(git_loop.repo, "task", "import", "-", input=json.dumps(TASK)).returncode == 0
    git_loop.ralph("bus", "post", "--task-dir", ".", "--type", "INFO", f"message {CLEAR}")
    with Terminal(git_loop.repo.path, {**git_loop.repo.env, "TERM": "xterm"}, *command) as terminal:
        terminal.end()
    assert SHOWN in terminal.screen
    assert "\x1b[2J" not in terminal.screen
    assert "\x1b]0;" not in terminal.screen


HIDES = "\u202e\x9b31m\U000e0041"


@pytest.mark.parametrize(
    "command",
    [
        ("config", "show"),
        ("config", "show", "--json"),
        ("config", "get", "worktree.init"),
        ("config", "get", "worktree"),
        ("run", "-p", "Do it.", "--dry-run"),
    ],
    ids=" ".join,
)
def test_settings_are_shown_as_text_under_a_terminal(loop, command):
    """They come with the repository: anybody may have written them."""
    loop.prepare(done(), worktree={"init": f"true {CLEAR}{HIDES}"})
    with Terminal(loop.repo.path, {**loop.repo.env, "TERM": "xterm"}, *command) as terminal:
        assert terminal.end() == 0
    assert "pwned" in terminal.screen
    assert not [sign for sign in ("\x1b[2J", "\x1b]0;", *HIDES[:2], HIDES[-1]) if sign in terminal.screen]


def test_a_program_gets_the_value_of_a_setting_as_it_is(loop):
    loop.prepare(done(), worktree={"init": f"true {CLEAR}{HIDES}"})
    assert loop.ralph("config", "get", "worktree.init").out == f"true {CLEAR}{HIDES}\n"
    assert json.loads(loop.ralph("config", "get", "worktree").out)["init"] == f"true {CLEAR}{HIDES}"
    assert json.loads(loop.ralph("config", "show", "--json").out)["worktree"]["init"] == f"true {CLEAR}{HIDES}"


def test_json_escapes_what_controls_a_terminal_and_means_the_same(git_loop):
    text = json.dumps({**TASK, "description": HIDES})
    assert run_ralph(git_loop.repo, "task", "import", "-", input=text).returncode == 0
    shown = git_loop.ralph("task", "show", "T-1", "--json").out
    assert not [sign for sign in (*HIDES[:2], HIDES[-1]) if sign in shown]
    assert json.loads(shown)["description"] == HIDES


def test_a_diff_is_text_on_a_terminal_and_a_patch_for_a_program(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[promise("MADE", {"work.txt": f"good {CLEAR} ghp_abcdefghijklmnop1234\n"})])
    crew.task()
    assert crew.run().code == 0
    diff = ("show", "T-1", "--diff", "0..1")
    with Terminal(crew.repo.path, {**crew.repo.env, "TERM": "xterm"}, *diff) as terminal:
        assert terminal.end() == 0
    assert f"+good {SHOWN} [redacted]" in terminal.screen
    assert f"+good {CLEAR} ghp_abcdefghijklmnop1234\n" in crew.ralph(*diff).out
