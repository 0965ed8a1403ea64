"""Lines for a pipe or a file are held for a moment, and written together: none is lost, and none changes its place."""

import asyncio
import os
import subprocess
from contextlib import contextmanager

from ralph.cli.display.terminal import A_MOMENT, Terminal
from ralph.testing import done, says
from ralph.testing.program import ralph_program


def test_in_one_file_ralphs_lines_and_the_agents_stay_in_order(loop):
    loop.prepare(says("I begin"), says("I go on") | done())
    ended = subprocess.run(
        [ralph_program(), "run", "-p", "Do it. <response>"],
        cwd=loop.repo.path,
        env=loop.repo.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    wanted = ("iteration 1/", "I begin", "Complete", "no <response> tag", "iteration 2/", "I go on", "Complete")
    at = 0
    for words in (*wanted, "verified"):
        assert words in ended.stdout[at:], ended.stdout
        at = ended.stdout.index(words, at) + len(words)


@contextmanager
def two_pipes(monkeypatch):
    """The reading ends of standard output and standard error."""
    pipes = [os.pipe() for _ in range(2)]
    streams = [os.fdopen(write, "w", encoding="utf-8") for _, write in pipes]
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", streams[0])
        patched.setattr("sys.stderr", streams[1])
        for read_end, _ in pipes:
            os.set_blocking(read_end, False)
        yield [read_end for read_end, _ in pipes]
    for stream, (read_end, _) in zip(streams, pipes, strict=True):
        stream.close()
        os.close(read_end)


def read(end):
    try:
        return os.read(end, 65536).decode()
    except BlockingIOError:
        return ""


def test_they_are_written_after_a_moment_each_to_its_own_place(monkeypatch):
    async def show(ends):
        terminal = Terminal()
        with terminal.holding():
            terminal.say("one")
            terminal.out([("two", ""), ("three", "")])
            at_once = [read(end) for end in ends]
            await asyncio.sleep(5 * A_MOMENT)
            return at_once, [read(end) for end in ends]

    with two_pipes(monkeypatch) as ends:
        assert asyncio.run(show(ends)) == (["", ""], ["two\nthree\n", "one\n"])


def test_what_is_held_is_written_at_the_end_and_before_what_must_be_said(monkeypatch):
    async def show(end):
        terminal = Terminal()
        with terminal.holding():
            terminal.say("one")
            terminal.insist("two")
            insisted = read(end)
            terminal.say("three")
        return insisted, read(end)

    with two_pipes(monkeypatch) as (_, err):
        assert asyncio.run(show(err)) == ("one\ntwo\n", "three\n")


def test_outside_of_a_run_each_line_is_written_at_once(monkeypatch):
    with two_pipes(monkeypatch) as (_, err):
        Terminal().say("one")
        assert read(err) == "one\n"
