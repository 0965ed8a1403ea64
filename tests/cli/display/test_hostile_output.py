"""Nothing that an agent, a check or a file name says reaches a terminal as anything but text."""

import json

import pytest

from ralph.model.words import first_words, last_lines, visible
from ralph.testing import done, run_ralph, says
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


@pytest.mark.parametrize("command", [("run", "-p", f"Do {CLEAR} it."), ("logs",), ("show",), ("runs",), ("status",)])
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
