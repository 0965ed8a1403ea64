"""Programs started through a workbench: where they work, what they see, how they end, what is kept of them."""

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from loops import is_alive, wait_until
from ralph.model.errors import AgentUnusable
from ralph.proc.marks import TAG
from ralph.testing import temp_repo
from ralph.workbench.bench import MOST_HELD, Workbench, shell_argv
from ralph.workbench.ceiling import CEILING
from survivors import IS_THERE, KINDS

ENV = {"PATH": os.environ["PATH"]}


@pytest.fixture
def bench(tmp_path):
    return Workbench(tmp_path, ENV, "run/run-command/1/x.1", log=tmp_path / "the.log")


def ran(bench, script, **options):
    return asyncio.run(bench.run(["sh", "-c", script], **options))


def shelled(bench, command, **options):
    return asyncio.run(bench.shell(command, **options)), bench.log.read_bytes()


def test_a_program_works_in_the_folder_and_sees_the_environment(bench, tmp_path):
    (tmp_path / "sub").mkdir()
    assert ran(bench.at(tmp_path / "sub"), "pwd").text == str(tmp_path / "sub")
    seen = ran(bench, "env", env={"MORE": "1"}).text.splitlines()
    assert {"MORE=1", f"PATH={ENV['PATH']}"} <= set(seen)
    assert not [line for line in seen if line.startswith("HOME=")]


def test_both_streams_and_the_exit_code_are_held(bench):
    done = ran(bench, "echo out; echo err >&2; exit 3")
    assert (done.code, done.out, done.text, done.err, done.timed_out) == (3, b"out\n", "out", "err\n", False)
    assert done.duration > 0


def test_a_death_by_signal_is_a_negative_code(bench):
    assert ran(bench, "kill -SEGV $$").code == -11


def test_the_beginning_of_long_output_is_held_and_the_rest_is_drained(bench):
    done = ran(bench, f"head -c {MOST_HELD * 20} /dev/zero | tr '\\0' x; exit 4")
    assert (done.code, done.out) == (4, b"x" * MOST_HELD)


def test_a_sink_gets_all_of_it(bench):
    got = bytearray()
    done = ran(bench, f"head -c {MOST_HELD * 20} /dev/zero; echo err >&2", sink=got.extend)
    assert (len(got), done.out, done.err) == (MOST_HELD * 20, b"", "err\n")


def test_names_that_are_not_utf8_come_through(bench):
    name = ran(bench, r"printf 'a\377b'").text
    assert os.fsencode(name) == b"a\xffb"


def test_it_reads_what_it_is_given(bench, tmp_path):
    (tmp_path / "given").write_text("from a file")
    assert ran(bench, "cat", stdin=b"some bytes").text == "some bytes"
    assert ran(bench, "cat", stdin=tmp_path / "given").text == "from a file"
    assert ran(bench, "cat").text == ""


def test_one_that_does_not_end_in_time_is_ended_and_has_no_code(bench):
    began = time.monotonic()
    done = ran(bench, "echo begun; exec sleep 600", limit=0.3)
    assert (done.code, done.timed_out, done.out) == (None, True, b"begun\n")
    assert time.monotonic() - began < 10


def test_a_missing_program_has_no_code_and_says_why(bench):
    done = asyncio.run(bench.run(["no-such-program"]))
    assert (done.code, done.timed_out, done.err) == (None, False, "no-such-program is not on PATH.")
    with pytest.raises(AgentUnusable, match="not on PATH"):
        asyncio.run(_entered(bench, ["no-such-program"]))


async def _entered(bench, argv):
    async with bench.start(argv, stdout=lambda _: None):
        pass


def test_what_a_program_leaves_behind_ends_with_it(bench, tmp_path):
    ran(bench, f"{KINDS['a daemon']}\n{IS_THERE}")
    assert not is_alive(int((tmp_path / "survivor").read_text()))


def test_programs_of_one_bench_have_marks_of_their_own_so_that_none_ends_what_is_anothers(bench, tmp_path):
    async def both():
        async with bench.start(["sleep", "600"], stdout=lambda _: None) as beside:
            done = await bench.run(["sh", "-c", f"{KINDS['a daemon']}\n{IS_THERE}; echo ${TAG}"])
            assert is_alive(beside.pid)
            return done.text, beside.tag, beside.pid

    mark, other, pid = asyncio.run(both())
    assert not is_alive(pid)
    assert not is_alive(int((tmp_path / "survivor").read_text()))
    assert not mark.endswith(f".{other}")
    assert f".{bench.tag}." in mark
    assert other.startswith(f"{bench.tag}.")


@pytest.mark.parametrize("inside", [".", "sub"])
def test_git_stays_in_a_worktree_that_has_lost_its_link(tmp_path, inside):
    """Whoever starts it: an agent, a check or ralph itself."""
    repo = temp_repo(tmp_path)
    worktree = repo.path / ".ralph/worktrees/T-1"
    (worktree / "sub").mkdir(parents=True)
    lost = Workbench(worktree / inside, repo.env, "run")
    assert asyncio.run(lost.run(["git", "rev-parse", "--show-toplevel"])).code == 128
    kept = Workbench(repo.path, repo.env, "run")
    assert asyncio.run(kept.run(["git", "rev-parse", "--show-toplevel"])).text == str(repo.path)
    assert asyncio.run(kept.at(worktree).run(["sh", "-c", f"echo ${CEILING}"])).text == str(worktree.parent)


def test_both_streams_of_a_command_go_into_the_log_in_their_order(bench):
    done, log = shelled(bench, "echo one; echo two >&2; echo three; exit 3")
    assert (done.code, log) == (3, b"one\ntwo\nthree\n")
    assert (done.out, done.err) == (b"", "")


def test_a_command_may_be_given_variables_of_its_own(bench):
    assert shelled(bench, "echo $ONE", env={"ONE": "1"})[1] == b"1\n"


def test_the_time_limit_of_a_command_keeps_what_it_had_printed(bench, tmp_path):
    done, log = shelled(bench, "echo begun; sleep 600 & echo $! > child; wait", limit=0.5)
    assert (done.code, done.timed_out, log) == (None, True, b"begun\n")
    wait_until(lambda: not is_alive(int((tmp_path / "child").read_text())), "it still runs")


def test_secrets_are_masked_in_the_log(tmp_path):
    bench = Workbench(tmp_path, ENV, "run", log=tmp_path / "log", secrets=[b"s3cret-value"])
    assert shelled(bench, "echo a s3cret-value b")[1] == b"a [redacted] b\n"


def test_secrets_are_masked_also_when_all_is_to_end_at_once(tmp_path):
    bench = Workbench(tmp_path, ENV, "run", log=tmp_path / "log", secrets=[b"s3cret-value"])

    async def cancelled():
        task = asyncio.create_task(bench.shell("echo a s3cret-value b; touch said; exec sleep 600"))
        async with asyncio.timeout(30):
            while not (tmp_path / "said").exists():  # noqa: ASYNC110 - the test looks from outside
                await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert bench.log.read_bytes() == b"a [redacted] b\n"


def test_a_bench_without_a_log_keeps_nothing(tmp_path):
    done = asyncio.run(Workbench(tmp_path, ENV, "run").shell("echo lost"))
    assert (done.code, list(tmp_path.iterdir())) == (0, [])
    assert Path(os.devnull).stat().st_mode & 0o170000 == 0o020000


def test_windows_and_the_others_have_their_own_shells():
    assert shell_argv("make test", windows=True) == ["cmd", "/c", "make test"]
    assert shell_argv("make test", windows=False) == [shutil.which("sh"), "-c", "make test"]


def test_the_shell_is_chosen_by_the_system_it_runs_on():
    assert Path(shell_argv("x")[0]).name == ("cmd" if os.name == "nt" else "sh")
