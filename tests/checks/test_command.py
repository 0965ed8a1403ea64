import asyncio
import os

import psutil
import pytest

from ralph.checks.command import TRUNCATED, beginning, run_command
from ralph.workbench.bench import Workbench


@pytest.fixture
def check(tmp_path):
    def run(command, *, limit=None, keep=5000, env=None):
        log = tmp_path / "the.log"
        bench = Workbench(tmp_path, {"PATH": os.environ["PATH"], **(env or {})}, "run.1.1", log=log, keep=keep)
        return asyncio.run(run_command(bench, command, limit=limit)), log.read_bytes()

    return run


def test_a_command_that_passes_shows_the_agent_nothing(check):
    evidence, log = check("echo fine")
    assert (evidence.passed, evidence.exit_code, evidence.output) == (True, 0, "")
    assert log == b"fine\n"


def test_both_streams_go_to_the_log_in_their_order(check):
    evidence, log = check("echo one; echo two >&2; echo three; exit 3")
    assert log == b"one\ntwo\nthree\n"
    assert (evidence.passed, evidence.exit_code, evidence.reason) == (False, 3, "exit code 3")
    assert evidence.output == log.decode()


def test_a_command_that_the_shell_does_not_know_fails(check):
    evidence, log = check("no-such-command-anywhere")
    assert (evidence.passed, evidence.exit_code) == (False, 127)
    assert b"not found" in log


def test_a_command_that_dies_of_a_signal_fails(check):
    assert check("kill -9 $$")[0].exit_code == -9


def test_a_shell_that_is_not_there_is_a_failure_with_words(check):
    evidence, _ = check("true", env={"PATH": "/nowhere"})
    assert (evidence.passed, evidence.exit_code) == (False, None)
    assert evidence.reason.startswith("it could not be started")


def test_it_reads_nothing_from_the_terminal(check):
    assert check("cat; echo over")[1] == b"over\n"


def test_the_time_limit_ends_the_whole_tree(check, tmp_path):
    evidence, log = check("echo begun; sleep 300 & echo $! > child; wait", limit=0.3)
    assert (evidence.passed, evidence.exit_code) == (False, None)
    assert evidence.reason == "it ran longer than timeouts.guardrail (0.3 s) and was ended"
    assert log == b"begun\n"
    assert not psutil.pid_exists(int((tmp_path / "child").read_text()))


def test_what_it_leaves_behind_is_ended_with_it(check, tmp_path):
    evidence, _ = check("setsid sleep 300 >/dev/null 2>&1 & echo $! > child")
    assert evidence.passed
    assert not psutil.pid_exists(int((tmp_path / "child").read_text()))


def test_the_agent_sees_the_beginning_and_the_log_has_everything(check):
    evidence, log = check("yes 0123456789 | head -c 1000000; exit 1", keep=100)
    assert len(log) == 1_000_000
    assert evidence.output == log[:100].decode() + TRUNCATED


@pytest.mark.parametrize(
    ("content", "keep", "shown"),
    [
        (b"abc", 3, "abc"),
        (b"abcd", 3, "abc... [truncated]"),
        ("äöü".encode(), 3, "äöü"),
        ("äöüß".encode(), 3, "äöü... [truncated]"),
        ("🙂🙂🙂".encode(), 3, "🙂🙂🙂"),
        ("🙂🙂🙂🙂".encode(), 3, "🙂🙂🙂... [truncated]"),
        (b"\xff\xff", 3, "��"),
        (b"", 3, ""),
    ],
)
def test_characters_are_counted_not_bytes_and_the_mark_stands_only_for_what_is_missing(tmp_path, content, keep, shown):
    log = tmp_path / "log"
    log.write_bytes(content)
    assert beginning(log, keep) == shown


def test_a_link_in_the_place_of_the_log_is_not_followed(check, tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "the.log").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match=r"the\.log"):
        check("echo overwritten")
    assert (tmp_path / "precious").read_text() == "mine"


async def _logged(tmp_path, command, secrets):
    log = tmp_path / "log"
    bench = Workbench(tmp_path, {"PATH": os.environ["PATH"]}, "a", log=log, secrets=secrets)
    evidence = await run_command(bench, command, limit=None)
    return evidence.output, log.read_bytes()


def test_a_secret_in_the_output_reaches_neither_the_log_nor_the_agent(tmp_path):
    output, log = asyncio.run(_logged(tmp_path, "echo before s3cret-value after; exit 1", [b"s3cret-value"]))
    assert output == "before [redacted] after\n"
    assert log == b"before [redacted] after\n"


def test_output_without_a_secret_stays_as_it_is(tmp_path):
    _, log = asyncio.run(_logged(tmp_path, "printf 'a\\0b'", [b"s3cret-value"]))
    assert log == b"a\0b"
