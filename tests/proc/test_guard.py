"""A ralph that is killed takes everything with it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from loops import is_alive, wait_until
from survivors import IS_THERE, KINDS

HOLDS = """
import asyncio, os, sys
from pathlib import Path
from ralph.proc.spawn import spawn

async def main():
    env = {"PATH": os.environ["PATH"]}
    async with spawn(["sh", "-c", sys.argv[1]], cwd=Path.cwd(), env=env, tag="r.1.1", stdout=lambda _: None) as p:
        print(p.pid, flush=True)
        await p.wait()

asyncio.run(main())
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds a tree in a block of `spawn`, as ralph does."""

    def start(script):
        return subprocess.Popen(
            [sys.executable, "-c", HOLDS, script], cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True
        )

    return start


def guards_of(pid):
    return [child for child in psutil.Process(pid).children() if "guard_program" in " ".join(child.cmdline())]


def ignores(pid, number):
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(status["SigIgn"], 16) >> (number - 1) & 1


@pytest.mark.parametrize("kind", KINDS)
def test_killing_ralph_ends_the_tree(holder, survivor, kind):
    with holder(f"{KINDS[kind]}\n{IS_THERE}; sleep 600") as process:
        root, left = int(process.stdout.readline()), survivor()
        assert is_alive(left)
        process.kill()
        wait_until(lambda: not is_alive(root) and not is_alive(left), "the tree lives on")


def test_the_guard_goes_too(holder, survivor):
    with holder(f"{KINDS['a daemon']}\n{IS_THERE}; sleep 600") as process:
        process.stdout.readline()
        survivor()
        (guard,) = guards_of(process.pid)
        process.kill()
        wait_until(lambda: not is_alive(guard.pid), "the guard lives on")


def test_an_orderly_end_leaves_no_guard(holder, tmp_path):
    with holder("while [ ! -e go ]; do sleep 0.01; done") as process:
        process.stdout.readline()
        (guard,) = guards_of(process.pid)
        (tmp_path / "go").touch()
        assert process.wait(30) == 0
        wait_until(lambda: not is_alive(guard.pid), "the guard lives on")


def test_the_guard_is_deaf_to_the_signals_of_a_terminal(holder, survivor):
    with holder(f"{KINDS['a daemon']}\n{IS_THERE}; sleep 600") as process:
        process.stdout.readline()
        left = survivor()
        (guard,) = guards_of(process.pid)
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        # All of them: under nohup one is ignored from the beginning.
        wait_until(lambda: all(ignores(guard.pid, number) for number in numbers), "it is not ready")
        for number in numbers:
            os.kill(guard.pid, number)
        process.kill()
        wait_until(lambda: not is_alive(left), "nobody ended what was left")


def test_a_strangers_process_is_left_alone(holder, survivor, tmp_path):
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        with holder(f"{KINDS['a daemon']}\n{IS_THERE}; sleep 600") as process:
            process.stdout.readline()
            left = survivor()
            process.kill()
            wait_until(lambda: not is_alive(left), "the tree lives on")
        assert is_alive(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()
