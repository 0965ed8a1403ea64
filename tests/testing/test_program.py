"""The real program, started with a clean environment."""

import ralph
from ralph.testing import run_ralph, temp_repo


def test_it_is_the_real_program(tmp_path):
    done = run_ralph(temp_repo(tmp_path), "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ralph {ralph.__version__}\n", "")


def test_a_mistake_gives_its_exit_code_and_message(tmp_path):
    done = run_ralph(temp_repo(tmp_path), "no-such-command")
    assert done.returncode == 2
    assert "no-such-command" in done.stderr
