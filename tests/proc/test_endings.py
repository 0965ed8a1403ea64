"""Leaving the block ends the whole tree, whatever its members do about it."""

import asyncio
import time
from pathlib import Path

import pytest

from loops import is_alive, wait_until
from ralph.proc.tree import end_marked
from survivors import IS_THERE, KINDS, STAYS

every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_nothing_survives_a_process_that_has_ended(run, survivor, kind):
    ending, code, _ = run(f"{KINDS[kind]}\n{IS_THERE}; exit 7")
    assert (ending, code) == ("exited", 7)
    assert not is_alive(survivor())


@every_kind
def test_nothing_survives_a_process_that_is_ended(shell, ready, survivor, kind):
    async def through():
        async with shell(f"{KINDS[kind]}\n{IS_THERE}; echo ready; sleep 600", grace=0.2) as (_, heard):
            await ready(heard, b"ready")
            assert is_alive(survivor())

    asyncio.run(through())
    assert not is_alive(survivor())


LINK = """#!/bin/sh
[ "$1" -gt 0 ] || exit
echo "$1" > left.new; mv left.new left
sleep 0.005
setsid ./link $(($1 - 1)) > /dev/null 2>&1 &
"""


def test_a_chain_of_processes_is_ended(run, tmp_path):
    # Each link lives for a moment only: a list of processes is old as soon as it is made.
    (tmp_path / "link").write_text(LINK)
    (tmp_path / "link").chmod(0o755)
    run("setsid ./link 600 > /dev/null 2>&1 & while [ ! -e left ]; do sleep 0.01; done")
    left = int((tmp_path / "left").read_text())
    assert left > 0
    time.sleep(0.3)  # another link would come every few milliseconds
    assert int((tmp_path / "left").read_text()) == left


def test_a_pipe_that_is_held_open_does_not_block(run, survivor):
    began = time.monotonic()
    ending, code, heard = run(f"setsid sh -c '{STAYS}' & {IS_THERE}; echo said; exit 3")
    assert (ending, code, heard["out"]) == ("exited", 3, b"said\n")
    assert time.monotonic() - began < 10
    assert not is_alive(survivor())


def test_it_is_asked_politely_first(shell, ready, tmp_path):
    async def through():
        async with shell("trap 'echo asked > asked; exit 0' TERM; echo ready; while :; do sleep 600 & wait; done") as (
            process,
            heard,
        ):
            await ready(heard, b"ready")
        return process.exit_code

    assert asyncio.run(through()) == 0
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_one_that_does_not_hear_is_killed_after_the_grace_period(shell, ready):
    async def through():
        async with shell("trap '' TERM; echo ready; while :; do sleep 0.05; done", grace=0.5) as (process, heard):
            await ready(heard, b"ready")
            left = time.monotonic()
        return process.exit_code, time.monotonic() - left

    code, took = asyncio.run(through())
    assert code == -9
    assert 0.5 <= took < 10


def test_an_agent_that_wants_it_is_interrupted_first(shell, ready, tmp_path):
    script = (
        "trap 'echo INT >> asked; exit 0' INT; trap 'echo TERM >> asked' TERM;echo ready; while :; do sleep 0.02; done"
    )

    async def through():
        async with shell(script, interrupt_first=True) as (process, heard):
            await ready(heard, b"ready")
        return process.exit_code

    assert asyncio.run(through()) == 0
    assert (tmp_path / "asked").read_text() == "INT\n"


def test_cancelling_the_waiter_ends_the_tree(shell, ready, survivor):
    async def through():
        async with shell(f"{KINDS['a daemon']}\n{IS_THERE}; echo ready; sleep 600", grace=0.2) as (process, heard):
            await ready(heard, b"ready")
            asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
            await process.wait()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(through())
    assert not is_alive(survivor())


def test_cancelling_again_while_the_tree_is_being_ended_still_ends_it(shell, survivor):
    async def hold():
        async with shell(f"{KINDS['a deaf daemon']}\n{IS_THERE}; sleep 600", grace=1.0) as (process, _):
            await process.wait()

    async def through():
        holding = asyncio.create_task(hold())
        await asyncio.to_thread(survivor)
        holding.cancel()
        await asyncio.sleep(0.3)  # now it is within its grace period
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding

    asyncio.run(through())
    assert not is_alive(survivor())


def test_ending_one_attempt_leaves_another_alone(shell, ready, tmp_path):
    other = f"mkdir other; cd other; {KINDS['a daemon']}\n{IS_THERE}; echo ready; sleep 600"

    async def through():
        async with shell(other, tag="run.2.1", grace=0.2) as (second, heard):
            await ready(heard, b"ready")
            pid = int((tmp_path / "other/survivor").read_text())
            async with shell(f"{KINDS['a daemon']}\n{IS_THERE}; echo ready; exit 0", tag="run.2.10") as (first, _):
                await first.wait()
            assert is_alive(pid)
            assert is_alive(second.pid)
        assert not is_alive(pid)

    asyncio.run(through())
    assert not is_alive(int((tmp_path / "survivor").read_text()))


def test_what_carries_a_mark_is_ended_wherever_it_is(shell, survivor):
    async def through():
        environment = {"PATH": "/usr/bin:/bin", "RALPH_RUN_ID": "abc"}
        async with shell(f"{KINDS['in a session of its own']} sleep 600", env=environment) as (process, _):
            pid = survivor()
            await asyncio.to_thread(end_marked, "RALPH_RUN_ID=ab")
            assert is_alive(pid)
            await asyncio.to_thread(end_marked, "RALPH_RUN_ID=abc")
            assert not is_alive(pid)
            assert await process.wait(limit=10) == "exited"

    asyncio.run(through())


def test_no_zombie_is_left(run, survivor):
    run(f"{KINDS['a daemon']}\n{IS_THERE}")
    entry = Path(f"/proc/{survivor()}")
    wait_until(lambda: not entry.exists(), "it is still in the list of processes")
    assert not entry.exists()
