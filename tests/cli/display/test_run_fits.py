"""What `ralph run` prints on a terminal breaks no word; what it prints into a pipe is not wrapped at all."""

import re

import pytest

from loops import wait_until, waits
from ralph.testing import done, says
from terminals import RALPH, Terminal

LONG = (
    "The quick brown fox jumps over the lazy dog, turns around, looks at it with some surprise, jumps over it once "
    "more, and then goes home to tell the others everything about it."
)
TOOL = {"name": "Bash", "input": {"command": f"echo {LONG[:100]}"}, "output": f"{LONG}\n\tindented {LONG}\n"}
TODO = [{"text": LONG, "status": "in_progress"}]
FAILS = {"command": f"echo '{LONG}'; exit 1"}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
STDERR_ELSEWHERE = ("/bin/sh", "-c", 'exec "$0" "$@" 2>stderr', RALPH)
STDOUT_ELSEWHERE = ("/bin/sh", "-c", 'exec "$0" "$@" >stdout', RALPH)


@pytest.fixture
def talkative(loop):
    """A loop in which everything that is said is longer than a line."""
    step = {**says(f"{LONG}\n\n- {LONG}"), "todo": TODO, "tool": TOOL, "stderr": f"{LONG}\n"}
    loop.prepare(step | done(), maximumIterations=1, guardrails=[FAILS])
    return loop


def on_a_terminal(loop, *arguments, term="xterm", columns=80, **more):
    return Terminal(loop.repo.path, {**loop.repo.env, "TERM": term}, *arguments, columns=columns, **more)


def rows_of(screen):
    """What is on the screen for good: the live line is drawn over and over again after a carriage return."""
    lines = ESCAPES.sub("", screen).split("\n")
    return [line.rpartition("\r")[2] for line in lines]


def fits(screen, columns=80):
    """Check each row, apart from those with a word that is too long for any, such as a path. Returns the text."""
    rows = rows_of(screen)
    assert [row for row in rows if len(row) > columns and max(map(len, row.split())) <= columns * 2 // 3] == []
    return " ".join(" ".join(rows).split())


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_no_word_is_broken(talkative, term):
    with on_a_terminal(talkative, "run", "-p", LONG, term=term) as terminal:
        assert terminal.end() == 1
    text = fits(terminal.screen)
    # Twice by the agent, in the list and the output of a tool, as a complaint, and as the output of a guardrail.
    assert text.count("others everything about it.") >= 6
    assert "max_iterations: " in text


def test_continued_lines_are_indented_below_their_text(talkative):
    with on_a_terminal(talkative, "run", "-p", LONG) as terminal:
        terminal.end()
    rows = rows_of(terminal.screen)
    item = next(number for number, row in enumerate(rows) if row.startswith("  - The quick brown"))
    assert rows[item + 1].startswith("    ")
    assert rows[item + 1][4] != " "


@pytest.mark.parametrize("program", [STDERR_ELSEWHERE, STDOUT_ELSEWHERE])
def test_only_what_goes_to_the_terminal_is_wrapped(talkative, program):
    with on_a_terminal(talkative, "run", "-p", LONG, program=program) as terminal:
        terminal.end()
    fits(terminal.screen)
    (elsewhere,) = [path for path in talkative.repo.path.iterdir() if path.name in ("stdout", "stderr")]
    assert LONG in elsewhere.read_text()


def test_a_pipe_gets_whole_lines_whatever_the_environment_says(talkative):
    ended = talkative.ralph("run", "-p", LONG, env={"COLUMNS": "80"})
    assert f"  {LONG}\n" in ended.out
    assert f"  stderr: {LONG}\n" in ended.out
    assert f"{LONG}\n" in ended.err


def test_what_comes_after_a_change_of_the_size_fits_the_new_one(loop):
    steps = [{"do": [{"say": LONG}, {"run": waits()}, {"say": LONG}]} | done()]
    loop.prepare(*steps)
    with on_a_terminal(loop, "run", "-p", "Do it.", columns=80) as terminal:
        terminal.expect("everything about it.")
        wait_until(lambda: loop.exists("ready"), "the agent did not begin")
        before = len(terminal.screen)
        terminal.resize(40)
        loop.repo.write("go", "")
        assert terminal.end() == 0, terminal.screen
    assert max(map(len, rows_of(terminal.screen[:before]))) > 40
    assert "The quick brown fox jumps over the\n" in ESCAPES.sub("", terminal.screen[before:])
    fits(terminal.screen[before:].partition("\n")[2], 40)


def test_errors_fit_too(loop):
    words = "_".join(["word"] * 5)
    with on_a_terminal(loop, "run", "-p", "Do it.", "--agent", f"{words} {words} {words} {words}") as terminal:
        assert terminal.end() != 0
    rows = rows_of(terminal.screen)
    assert any(row.startswith("ralph: ") for row in rows)
    fits(terminal.screen)
