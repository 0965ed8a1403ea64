"""The window in which a run is watched is closed."""

import psutil
import pytest

from loops import PATIENCE, PROMPT, wait_until, waits
from ralph.testing import done, says
from terminals import RALPH, Terminal

WITH_STDERR_IN_A_FILE = ("/bin/sh", "-c", 'exec "$0" "$@" 2>stderr', RALPH)
BELOW_A_SHELL = ("/bin/sh", "-c", '"$0" "$@"; exit', RALPH)


def on_a_terminal(loop, program=(RALPH,)):
    return Terminal(loop.repo.path, {**loop.repo.env, "TERM": "xterm"}, "run", "-p", PROMPT, program=program)


def is_interrupted_and_goes_on(loop):
    shown = loop.show()
    assert (shown["status"], shown["verdict"]) == ("interrupted", None)
    assert "stopped by SIGHUP" in shown["reason"]
    resumed = loop.ralph("resume")
    assert (resumed.code, "Traceback" in resumed.err) == (0, False)


@pytest.fixture
def working(loop):
    """A loop whose agent says something, is at work when `ready` is there, and says more once `go` is."""
    loop.prepare({**says("I begin"), "run": waits()} | done(), done())
    return loop


def test_closing_the_window_ends_the_run_like_sigterm(working):
    with on_a_terminal(working) as terminal:
        terminal.expect("the agent works")
        wait_until(lambda: working.exists("ready"), "the agent did not begin")
        terminal.hang_up()
        working.repo.write("go", "")
        # Python would say 1 after a traceback, and 120 if it could not write its last lines.
        assert terminal.process.wait(PATIENCE) == 130
    is_interrupted_and_goes_on(working)


def test_what_is_written_elsewhere_has_the_last_line_and_no_traceback(working):
    with on_a_terminal(working, WITH_STDERR_IN_A_FILE) as terminal:
        wait_until(lambda: working.exists("ready"), "the agent did not begin")
        terminal.hang_up()
        stderr = working.repo.path / "stderr"
        wait_until(lambda: "Received signal" in stderr.read_text(), "the closed window was not heard")
        working.repo.write("go", "")
        assert terminal.process.wait(PATIENCE) == 130
    assert "stopped by SIGHUP. Continue: ralph resume" in stderr.read_text()
    assert "Traceback" not in stderr.read_text()
    is_interrupted_and_goes_on(working)


def test_a_run_below_a_shell_ends_with_its_window_too(working):
    with on_a_terminal(working, BELOW_A_SHELL) as terminal:
        terminal.expect("the agent works")
        wait_until(lambda: working.exists("ready"), "the agent did not begin")
        shell = psutil.Process(terminal.process.pid)
        (ralph,) = shell.children()
        terminal.hang_up()
        working.repo.write("go", "")
        ralph.wait(PATIENCE)
    is_interrupted_and_goes_on(working)
