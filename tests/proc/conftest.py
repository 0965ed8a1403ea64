"""Real children: small shell scripts that say what they are and then stay."""

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from loops import wait_until
from ralph.proc.spawn import spawn


@pytest.fixture
def survivor(tmp_path):
    """The pid of what was left behind, once it is there."""

    def pid():
        file = tmp_path / "survivor"
        wait_until(file.exists, "no survivor came")
        return int(file.read_text())

    return pid


@pytest.fixture
def shell(tmp_path):
    """`async with shell(script, ...) as (process, heard)`: a script that runs, and what its sinks have got."""

    @asynccontextmanager
    async def start(script, *, tag="run.1.1", **options):
        heard = {"out": b"", "err": b""}

        def sink(name):
            def take(data):
                heard[name] += data

            return take

        options = {"stdout": sink("out"), "stderr": sink("err"), "env": {"PATH": os.environ["PATH"]}} | options
        async with spawn(["sh", "-c", script], cwd=tmp_path, tag=tag, **options) as process:
            yield process, heard

    return start


@pytest.fixture
def run(shell):
    """A script run to its end: how it ended, its exit code, what it wrote."""

    def finish(script, *, limit=None, idle=None, **options):
        async def through():
            async with shell(script, **options) as (process, heard):
                ending = await process.wait(limit=limit, idle=idle)
            return ending, process.exit_code, heard

        return asyncio.run(through())

    return finish


async def until_heard(heard, text, seconds=30.0):
    """The child says `ready` before anything is done to it."""
    async with asyncio.timeout(seconds):
        while text not in heard["out"]:  # noqa: ASYNC110 - the sink is called by the loop, and knows no event
            await asyncio.sleep(0.005)


@pytest.fixture
def ready():
    return until_heard
