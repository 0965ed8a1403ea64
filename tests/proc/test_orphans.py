"""Orphans in numbers: each look reads the table of processes once, and the dead are reaped on the way."""

import asyncio
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loops import is_alive, wait_until
from ralph.proc.reaper import start
from survivors import IS_THERE, KINDS

MANY = 1000
PROMISED = 3.0
"""Seconds: three times what is promised, because tests run side by side."""
ORPHANS = """
import os, time
for _ in range({many}):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep({seconds})
        os._exit(0)
    os.wait()
print("ready", flush=True)
"""
CHAIN = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
until = time.monotonic() + 40
links = 0
file = os.open("links", os.O_WRONLY | os.O_CREAT)
while time.monotonic() < until:
    if os.fork():
        os._exit(0)
    os.setsid()
    links += 1
    os.pwrite(file, b"%d" % links, 0)
"""


def python(tmp_path, text):
    (tmp_path / "program.py").write_text(text)
    return f"{sys.executable} -S program.py"


def zombies():
    listed = subprocess.run(["ps", "--ppid", str(Path("/proc/self").readlink()), "-o", "stat="], stdout=-1, check=False)
    return sum(state.startswith(b"Z") for state in listed.stdout.split())


@pytest.mark.parametrize("seconds", [0.01, 600], ids=["short-lived", "living"])
def test_a_thousand_orphans_cost_little_time(shell, ready, tmp_path, seconds):
    async def through():
        async with shell(python(tmp_path, ORPHANS.format(many=MANY, seconds=seconds))) as (process, heard):
            await ready(heard, b"ready")
            await process.wait()
            left = time.monotonic()
        return time.monotonic() - left

    assert asyncio.run(through()) < PROMISED


def test_dead_orphans_are_reaped_while_the_process_goes_on(shell, ready, tmp_path):
    async def through():
        many = python(tmp_path, ORPHANS.format(many=100, seconds=0.01))
        async with shell(f"{many}; exec sleep 600", grace=0.2) as (process, heard):
            await ready(heard, b"ready")
            until = time.monotonic() + 30
            while zombies() and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.1)
            assert process.exit_code is None
            return zombies()

    assert asyncio.run(through()) == 0


def test_a_chain_without_a_pause_is_ended(shell, tmp_path):
    async def through():
        async with shell(f"{python(tmp_path, CHAIN)} & exec sleep 600", grace=0.2):
            await asyncio.to_thread(
                wait_until,
                lambda: (tmp_path / "links").exists() and (tmp_path / "links").read_text(),
                "it did not begin",
            )
            left = time.monotonic()
        return time.monotonic() - left

    assert asyncio.run(through()) < 10
    links = (tmp_path / "links").read_text()
    time.sleep(0.2)  # another link would come within a millisecond
    assert (tmp_path / "links").read_text() == links


def test_an_orphan_without_its_environment_belongs_to_its_own_attempt(shell, ready, tmp_path):
    """Another attempt that ends beside it leaves it alone; its own ends it, though others still run."""
    bare = KINDS["a daemon without its environment"]

    async def through():
        async with shell("echo ready; exec sleep 600", tag="run.1.1", grace=0.2) as (_, heard):
            await ready(heard, b"ready")
            async with shell(f"{bare}\n{IS_THERE}", tag="run.2.1") as (process, _):
                await process.wait()
                pid = int((tmp_path / "survivor").read_text())
                async with shell("true", tag="run.3.1") as (beside, _):
                    await beside.wait()
                assert is_alive(pid)
            assert not is_alive(pid)

    asyncio.run(through())


def test_what_is_to_outlive_us_has_no_mark(run, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_RTTIME)
    _, _, heard = run("tail -n 1 /proc/self/limits")
    child = start(lambda: subprocess.Popen(["sleep", "600"]))
    try:
        unmarked = Path(f"/proc/{child.pid}/limits").read_text().splitlines()[-1]
    finally:
        child.kill()
        child.wait()
    assert heard["out"].decode().strip() != unmarked.strip()
    assert resource.getrlimit(resource.RLIMIT_RTTIME) == before
