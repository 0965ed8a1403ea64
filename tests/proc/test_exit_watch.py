import asyncio
import os
import subprocess

import pytest

from ralph.proc.child import Child
from ralph.proc.exit_watch import watch_exit
from ralph.proc.readiness import readiness


@pytest.fixture(autouse=True, params=["reported", "unreported"])
def system(request, monkeypatch):
    """A system that reports the end of a process, and one that does not."""
    if request.param == "unreported":
        monkeypatch.delattr(os, "pidfd_open")


@pytest.fixture
def watched():
    """Watch a child that is killed; `then` is called with the function that stops the watch. How often it was heard."""

    def watch(then):
        heard = []
        made = subprocess.Popen(["sleep", "600"])
        child = Child(made.pid, made)

        async def through():
            stop = watch_exit(child, readiness(), lambda: heard.append("exit"))
            then(stop)
            os.kill(child.pid, 9)
            assert await asyncio.to_thread(child.wait) == -9
            # Whatever was to be called has been put before this into the queue of the loop.
            for _ in range(3):
                await asyncio.to_thread(lambda: None)
            stop()

        asyncio.run(through())
        return heard

    return watch


def test_an_exit_is_heard_once(watched):
    assert watched(lambda _: None) == ["exit"]


def test_nothing_is_heard_after_the_watch_has_stopped(watched):
    """The descriptors of the process are closed by then, and may already belong to another one."""
    assert watched(lambda stop: stop()) == []
