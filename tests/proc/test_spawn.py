import asyncio
import errno
import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import psutil
import pytest

from ralph.model.errors import AgentUnusable, StateError
from ralph.proc.guard import start_guard
from ralph.proc.marks import TAG
from ralph.proc.reaper import started
from ralph.proc.spawn import spawn


@pytest.fixture(autouse=True, params=["here", "elsewhere", "unreported"])
def where(request, tmp_path, monkeypatch):
    """A process in the directory of this one is started in another way than one elsewhere, and must be the same. So
    must one whose end the system does not report: an old kernel, or one that a container keeps from it.
    """
    if request.param == "here":
        monkeypatch.chdir(tmp_path)
    if request.param == "unreported":
        monkeypatch.setattr(os, "pidfd_open", _not_implemented)
    return request.param


def _not_implemented(*_):
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def test_each_stream_goes_to_its_sink(run):
    assert run("echo out; echo err >&2") == ("exited", 0, {"out": b"out\n", "err": b"err\n"})


def test_without_a_sink_for_errors_both_go_to_the_one(run):
    _, _, heard = run("echo out; sleep 0.05; echo err >&2", stderr=None)
    assert heard["out"] == b"out\nerr\n"


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -9 $$", -9), ("true", 0)])
def test_the_exit_code_is_told(run, script, code):
    assert run(script)[:2] == ("exited", code)


def test_a_flood_arrives_byte_for_byte(shell):
    seen = {"size": 0, "hash": hashlib.sha256()}

    def take(data):
        seen["size"] += len(data)
        seen["hash"].update(data)

    async def through():
        async with shell("head -c 20000000 /dev/zero | tr '\\0' 'x'; printf end", stdout=take) as (process, _):
            await process.wait()

    asyncio.run(through())
    assert seen["size"] == 20_000_003
    assert seen["hash"].digest() == hashlib.sha256(b"x" * 20_000_000 + b"end").digest()


@pytest.mark.e2e
def test_a_sink_that_is_slower_than_the_child_gets_all_the_same(shell):
    seen = []

    def slow_disk(data):
        seen.append(len(data))
        time.sleep(0.5)

    async def through():
        async with shell("head -c 1000000 /dev/zero", stdout=slow_disk) as (process, _):
            assert await process.wait() == "exited"

    asyncio.run(through())
    assert sum(seen) == 1_000_000


def test_what_it_says_while_it_is_being_ended_is_heard(shell, ready):
    async def through():
        async with shell("trap 'echo farewell; exit' TERM; echo ready; while :; do sleep 600 & wait; done") as (
            _,
            heard,
        ):
            await ready(heard, b"ready")
        return heard

    assert asyncio.run(through())["out"] == b"ready\nfarewell\n"


def test_both_streams_can_be_one_file(run, tmp_path):
    with (tmp_path / "log").open("wb") as file:
        run("echo one; echo two >&2; echo three", stdout=file.fileno())
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\nthree\n"


def test_standard_input_is_the_file(run, tmp_path):
    (tmp_path / "in").write_bytes(b"\xff\x00 the prompt")
    assert run("cat", stdin=tmp_path / "in")[2]["out"] == b"\xff\x00 the prompt"


@pytest.mark.parametrize("size", [0, 1, 3_000_000], ids=["nothing", "a byte", "more than a pipe holds"])
def test_standard_input_is_the_bytes(run, size):
    data = bytes(range(256)) * (size // 256) + b"\xff" * (size % 256)
    assert run("cat", stdin=data)[2]["out"] == data


def test_bytes_for_standard_input_leave_no_file_and_no_descriptor(run, tmp_path):
    run("true", stdin=b"not read at all")
    before = psutil.Process().num_fds()
    for _ in range(5):
        run("true", stdin=b"not read at all")
    assert list(tmp_path.iterdir()) == []
    assert psutil.Process().num_fds() == before


def test_standard_input_is_empty_without_one(run):
    assert run("cat; echo end")[2]["out"] == b"end\n"


def test_it_sees_the_given_environment_and_its_mark(run):
    _, _, heard = run("env", env={"PATH": os.environ["PATH"], "GIVEN": "yes"}, tag="run.7.2")
    seen = dict(line.split("=", 1) for line in heard["out"].decode().splitlines())
    assert seen["GIVEN"] == "yes"
    assert seen[TAG].endswith(".run.7.2")
    assert set(seen) <= {"GIVEN", "PATH", TAG, "PWD", "OLDPWD", "SHLVL", "_"}


OPEN_FILES = """
import asyncio, os, sys
from pathlib import Path
from ralph.proc.spawn import spawn

async def main():
    script, where = f"ls /proc/self/fd | grep -cx {sys.argv[2]}", Path(sys.argv[1])
    say = sys.stdout.buffer.write
    async with spawn(["sh", "-c", script], cwd=where, env=os.environ, tag="t", stdout=say) as process:
        await process.wait()

asyncio.run(main())
"""


def test_it_does_not_get_files_that_this_process_inherited(tmp_path):
    with (tmp_path / "secret").open("w") as file:
        number = file.fileno()
        argv = [sys.executable, "-c", OPEN_FILES, tmp_path, str(number)]
        assert subprocess.run(argv, pass_fds=[number], capture_output=True, check=True, timeout=60).stdout == b"0\n"


def starts(argv, cwd):
    async def begin():
        async with spawn(argv, cwd=cwd, env={"PATH": os.environ["PATH"]}, tag="run.1.1", stdout=lambda _: None):
            pytest.fail("it must not start")

    asyncio.run(begin())


def test_a_missing_program_is_named(tmp_path):
    with pytest.raises(AgentUnusable, match="no-such-agent is not on PATH"):
        starts(["no-such-agent"], tmp_path)


def test_a_program_without_permission_is_named(tmp_path):
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    with pytest.raises(AgentUnusable, match="agent is not executable"):
        starts([str(tmp_path / "agent")], tmp_path)


def test_a_program_that_is_none_is_named(tmp_path):
    (tmp_path / "agent").write_bytes(b"\0\1\2")
    (tmp_path / "agent").chmod(0o755)
    with pytest.raises(AgentUnusable, match="agent cannot be started"):
        starts([str(tmp_path / "agent")], tmp_path)


@pytest.mark.parametrize("named", ["./own-agent", "own-agent"])
def test_a_script_whose_interpreter_is_missing_says_which(tmp_path, monkeypatch, named):
    (tmp_path / "own-agent").write_text("#!/no/such/python3 -I\n")
    (tmp_path / "own-agent").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(AgentUnusable) as told:
        starts([named], tmp_path)
    assert told.value.message == f"{named} cannot be started: /no/such/python3 does not exist."
    assert told.value.hint == f"Install it, or correct the first line of {tmp_path / 'own-agent'}."


def test_a_path_that_does_not_exist_is_not_looked_for_elsewhere(tmp_path):
    with pytest.raises(AgentUnusable, match=r"\./claude does not exist\. Correct the path"):
        starts(["./claude"], tmp_path)


def test_a_directory_that_is_gone_is_named(tmp_path):
    with pytest.raises(AgentUnusable, match=r"the directory .*gone is gone"):
        starts(["true"], tmp_path / "gone")


def test_a_limit_ends_the_waiting(run):
    began = time.monotonic()
    ending, code, _ = run("exec sleep 600", limit=0.2)
    assert (ending, code) == ("timeout", -15)
    assert 0.2 <= time.monotonic() - began < 10


def test_silence_ends_the_waiting(run):
    ending, _, heard = run("echo ready; exec sleep 600", idle=1)
    assert (ending, heard["out"]) == ("idle", b"ready\n")


def test_output_on_either_stream_is_not_silence(run):
    script = "for i in 1 2 3 4; do echo $i; sleep 0.4; echo $i >&2; sleep 0.4; done"
    ending, code, heard = run(script, idle=1.5)
    assert (ending, code, heard["out"]) == ("exited", 0, b"1\n2\n3\n4\n")


def test_a_child_that_closes_its_output_is_waited_for(run):
    began = time.monotonic()
    ending, code, _ = run("exec >&- 2>&-; sleep 0.4; exit 5")
    assert (ending, code) == ("exited", 5)
    assert time.monotonic() - began >= 0.4


def test_a_child_that_closes_its_output_and_stays_is_silent(run):
    assert run("exec >&- 2>&-; exec sleep 600", idle=0.3)[0] == "idle"


def test_one_that_said_its_last_word_may_take_a_moment_only(shell, ready):
    async def through():
        async with shell("echo ready; exec sleep 600") as (process, heard):
            await ready(heard, b"ready")
            process.expect_exit(0.1)
            return await process.wait()

    assert asyncio.run(through()) == "lingering"


def test_what_a_sink_meets_reaches_the_waiter_and_ends_the_child(shell):
    def full_disk(data):
        raise OSError(28, "No space left on device")

    pids = []

    async def through():
        async with shell("echo ready; exec sleep 600", stdout=full_disk) as (process, _):
            pids.append(process.pid)
            await process.wait()

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(through())
    assert not Path(f"/proc/{pids[0]}").exists()


def test_only_the_first_error_of_a_sink_is_told(shell):
    told = iter(["first", "second", "third"])

    def breaks(data):
        raise ValueError(next(told))

    async def through():
        async with shell("echo a; sleep 0.1; echo b; sleep 0.1; echo c", stdout=breaks) as (process, _):
            await process.wait()

    with pytest.raises(ValueError, match="first"):
        asyncio.run(through())


def test_more_processes_than_the_event_loop_has_threads_can_be_ended(shell):
    async def one(number):
        async with shell("exec sleep 600", tag=f"run.{number}.1") as (process, _):
            return await process.wait(limit=0.1)

    async def through():
        return await asyncio.gather(*map(one, range(40)))

    assert asyncio.run(through()) == ["timeout"] * 40


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_nothing_stays_open_after_many_children(run):
    run("true")
    before = open_files()
    for _ in range(20):
        run("echo x")
    assert open_files() == before


def test_many_that_start_while_others_end_are_never_taken_for_orphans(tmp_path):
    """Each end looks for orphans in a thread of its own; a process that has only just been started is none."""

    async def one(number):
        command = ["sh", "-c", "sleep 30 & true"] if number % 2 else ["sh", "-c", "exit 7"]
        async with spawn(command, cwd=tmp_path, env=dict(os.environ), tag=f"many.{number}", stdout=list) as process:
            await process.wait(limit=20)
        return process.exit_code

    async def all_of_them():
        return await asyncio.gather(*(one(number) for number in range(60)))

    assert asyncio.run(all_of_them()) == [0 if number % 2 else 7 for number in range(60)]


def test_the_end_of_the_process_itself_is_told_once_all_it_wrote_was_read_and_before_what_others_write_later(
    shell, tmp_path
):
    heard = []
    go, done = tmp_path / "go", tmp_path / "done"
    os.mkfifo(go)
    os.mkfifo(done)

    def exited():
        heard.append("ENDED")
        go.write_text("now\n")
        done.read_text()  # what it left behind has written and gone

    async def through():
        late = f"{{ read now < {go}; printf late; echo > {done}; }} &"
        async with shell(
            f"{late} head -c 60000 /dev/zero | tr '\\0' x; printf own",
            stdout=lambda data: heard.append(data.decode()),
            exited=exited,
        ) as (process, _):
            assert await process.wait() == "exited"

    asyncio.run(through())
    before, _, after = "".join(heard).partition("ENDED")
    assert before == "x" * 60_000 + "own"
    assert after == "late"


def test_a_listener_to_the_end_that_fails_is_the_waiters_to_hear(shell):
    def full():
        raise OSError("no space left")

    async def through():
        async with shell("true", exited=full) as (process, _):
            await process.wait()

    with pytest.raises(OSError, match="no space left"):
        asyncio.run(through())


def test_a_process_that_was_expected_to_go_is_forgotten_at_its_end(shell, ready):
    """An agent may take 15 seconds to go after its last word; the timer for that must not keep what it read."""

    async def through():
        async with shell("echo ready; head -n 1 > /dev/null", stdin=b"go\n") as (process, heard):
            await ready(heard, b"ready")
            process.expect_exit(600)
            await process.wait(limit=600, idle=600)
        forgotten = weakref.ref(process)
        del process
        gc.collect()
        return forgotten()

    assert asyncio.run(through()) is None


def test_a_lost_exit_code_is_an_error_and_keeps_nobody_waiting(shell, where):
    """It must not count as 0."""
    if where == "unreported":
        pytest.skip("a thread waits for the process already, so nobody else can take its exit code")

    async def through():
        async with shell("sleep 60") as (process, _):
            os.kill(process.pid, signal.SIGKILL)
            os.waitpid(process.pid, 0)  # noqa: ASYNC222 - the loop must not hear of it first
            await process.wait(limit=20)

    before = set(started)
    with pytest.raises(StateError, match="exit code of process"):
        asyncio.run(through())
    assert started - before <= {start_guard().pid}
