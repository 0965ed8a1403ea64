"""Nobody reads the output: the run ends all the same."""

import subprocess

from ralph.testing import done, floods
from ralph.testing.program import ralph_program


def test_a_reader_that_never_reads_does_not_hold_up_the_run(loop):
    loop.prepare(floods(20_000_000, line=200) | done())
    with subprocess.Popen(
        [ralph_program(), "run", "-p", "x"],
        cwd=loop.repo.path,
        env=loop.repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        # Its standard output is a pipe of 64 KiB that stays full.
        assert process.wait(60) == 0
    assert loop.show()["verdict"] == "verified"


def test_a_reader_that_goes_away_does_not_end_the_run(loop):
    loop.prepare(floods(2_000_000, line=200), done())
    with subprocess.Popen(
        [ralph_program(), "run", "-p", "x"],
        cwd=loop.repo.path,
        env=loop.repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.stdout.read(100)
        process.stdout.close()
        assert process.wait(60) == 0
