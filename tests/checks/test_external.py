import asyncio
import os
import subprocess
import sys

import psutil
import pytest

from ralph.checks.command import TRUNCATED
from ralph.checks.external import PIECE, run_external
from ralph.model.verification import External
from ralph.workbench.bench import Workbench

GIGABYTE = 1_000_000_000
MEASURED = """
import asyncio, os, resource, sys
from pathlib import Path
from ralph.checks.external import run_external
from ralph.model.verification import External
from ralph.workbench.bench import Workbench

here, size = Path(sys.argv[1]), sys.argv[2]
check = External(
    f"yes 0123456789 | head -c {size}; echo the end", output_contains="the end", output_not_contains="FAILED"
)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
evidence = asyncio.run(run_external(check, Workbench(here, dict(os.environ), "a", log=here / "log")))
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(evidence.passed, grown // (1024 if sys.platform == "linux" else 1024 * 1024))
"""


@pytest.fixture
def check(tmp_path):
    """Run a check in a worktree that has a folder `sub`: the evidence."""
    worktree = tmp_path / "worktree"
    (worktree / "sub").mkdir(parents=True)

    def run(command, *, keep=5000, env=None, secrets=(), **config):
        seen = {"PATH": os.environ["PATH"], **(env or {})}
        bench = Workbench(worktree, seen, "run.1.1", log=tmp_path / "the.log", keep=keep, secrets=secrets)
        return asyncio.run(run_external(External(command, **config), bench))

    return run


@pytest.mark.parametrize(
    ("command", "config", "reason"),
    [
        ("exit 0", {}, "exit code 0, as expected"),
        ("exit 3", {"success_exit_code": 3}, "exit code 3, as expected"),
        ("echo 12 passed", {"output_contains": "passed"}, "exit code 0, as expected"),
        ("echo 12 passed >&2", {"output_contains": "12 passed"}, "exit code 0, as expected"),
        ("echo fine", {"output_not_contains": "FAILED"}, "exit code 0, as expected"),
        ("echo fine", {"output_contains": "", "output_not_contains": ""}, "exit code 0, as expected"),
        ("printf 'größer\\n'", {"output_contains": "größer"}, "exit code 0, as expected"),
    ],
)
def test_a_command_that_does_what_is_wanted_passes(check, tmp_path, command, config, reason):
    evidence = check(command, **config)
    assert (evidence.check, evidence.passed, evidence.reason) == (command, True, reason)
    assert evidence.output == ""
    assert evidence.log == str(tmp_path / "the.log")


@pytest.mark.parametrize(
    ("command", "config", "reason"),
    [
        ("echo no; exit 3", {}, "exit code 3, expected 0"),
        ("echo no", {"success_exit_code": 1}, "exit code 0, expected 1"),
        ("echo no; kill -9 $$", {}, "exit code -9, expected 0"),
        ("echo no", {"output_contains": "passed"}, 'the output does not contain "passed"'),
        ("echo no", {"output_not_contains": "no"}, 'the output contains "no"'),
        (
            "echo no; exit 3",
            {"output_contains": "passed", "output_not_contains": "no"},
            'exit code 3, expected 0; the output does not contain "passed"; the output contains "no"',
        ),
    ],
)
def test_every_condition_that_fails_is_named(check, command, config, reason):
    evidence = check(command, **config)
    assert (evidence.passed, evidence.reason, evidence.output) == (False, reason, "no\n")


def test_a_command_that_the_shell_cannot_start_is_named_with_the_error(check):
    evidence = check("no-such-command --now")
    assert not evidence.passed
    assert evidence.reason.startswith('exit code 127, expected 0: "no-such-command --now" could not be started: ')
    assert evidence.reason.endswith("not found")


def test_a_missing_command_may_be_what_is_wanted(check):
    assert check("no-such-command", success_exit_code=127).passed


def test_without_a_shell_the_command_and_the_error_are_named(check):
    evidence = check("make test", env={"PATH": "/nowhere"})
    assert (evidence.passed, evidence.exit_code) == (False, None)
    assert evidence.reason == '"make test": it could not be started: sh is not on PATH'


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud800", "x" * 3_000_000])
def test_a_command_that_no_system_takes_is_a_failure(check, command):
    evidence = check(command)
    assert not evidence.passed
    assert "could not be started" in evidence.reason
    assert len(evidence.reason) < 500


def test_a_command_that_never_ends_is_ended_with_all_it_started(check, tmp_path):
    evidence = check("echo begun; sleep 300 & echo $! > child; wait", timeout=0.3)
    assert (evidence.passed, evidence.exit_code) == (False, None)
    assert evidence.reason.endswith(": it ran longer than its timeout (0.3 s) and was ended")
    assert evidence.output == "begun\n"
    assert not psutil.pid_exists(int((tmp_path / "worktree/child").read_text()))


@pytest.mark.parametrize("working_dir", [".", "sub", "sub/../sub", "./sub/"])
def test_it_runs_in_the_working_directory(check, tmp_path, working_dir):
    assert check("pwd", working_dir=working_dir).passed
    place = (tmp_path / "worktree" / working_dir).resolve()
    assert (tmp_path / "the.log").read_text() == f"{place}\n"


def test_a_link_that_stays_inside_is_followed(check, tmp_path):
    (tmp_path / "worktree/inside").symlink_to("sub")
    assert check("true", working_dir="inside").passed


@pytest.mark.parametrize(
    "working_dir", ["..", "../..", "sub/../..", "/", "/etc", "out", "sub/out", "missing", "file", "circle", "a\0b"]
)
def test_nothing_is_started_outside_the_worktree(check, tmp_path, working_dir):
    worktree = tmp_path / "worktree"
    (worktree / "out").symlink_to(tmp_path)
    (worktree / "sub/out").symlink_to("/etc")
    (worktree / "circle").symlink_to("circle")
    (worktree / "file").write_text("")
    evidence = check(f"touch {tmp_path}/started", working_dir=working_dir)
    assert not evidence.passed
    assert (
        evidence.reason == f"working_dir {working_dir!r} is not a directory inside the worktree, so nothing was started"
    )
    assert not (tmp_path / "started").exists()
    assert not (tmp_path / "the.log").exists()


def test_a_name_that_is_too_long_is_no_directory(check):
    assert "is not a directory inside" in check("true", working_dir="x" * 5000).reason


def test_a_worktree_may_itself_be_reached_by_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    bench = Workbench(tmp_path / "link", {"PATH": os.environ["PATH"]}, "a", log=tmp_path / "log")
    assert asyncio.run(run_external(External("true"), bench)).passed


def test_the_agent_sees_the_beginning_and_the_log_has_everything(check, tmp_path):
    evidence = check("yes 0123456789 | head -c 1000000; exit 1", keep=100)
    log = (tmp_path / "the.log").read_text()
    assert len(log) == 1_000_000
    assert evidence.output == log[:100] + TRUNCATED


@pytest.mark.parametrize("before", [PIECE - 7, PIECE - 3, PIECE, 2 * PIECE - 1])
def test_words_are_found_wherever_a_piece_ends(check, before):
    command = f"head -c {before} /dev/zero; printf needle; head -c 100 /dev/zero"
    assert check(command, output_contains="needle").passed
    assert not check(command, output_not_contains="needle").passed
    assert not check(command, output_contains="needles").passed


def test_words_longer_than_a_piece_are_found(check):
    assert check("head -c 3000000 /dev/zero | tr '\\0' x", output_contains="x" * (PIECE + 5)).passed
    assert not check("printf xxx", output_contains="x" * (PIECE + 5)).passed


def test_a_secret_is_not_shown(check, tmp_path):
    evidence = check("echo s3cret-value; exit 1", secrets=[b"s3cret-value"])
    assert evidence.output == "[redacted]\n"
    assert "s3cret" not in (tmp_path / "the.log").read_text()


@pytest.mark.parametrize("ending", ["exit 0", "exit 1"])
@pytest.mark.parametrize("secrets", [(), (b"s3cret-value",)])
@pytest.mark.parametrize("harm", ["rm ../the.log", "rm ../the.log; mkdir ../the.log"])
def test_a_command_that_takes_its_log_away_is_a_failure(check, harm, secrets, ending):
    evidence = check(f"{harm}; {ending}", output_contains="x", secrets=secrets)
    assert (evidence.passed, evidence.reason) == (False, "its output is lost: the.log was removed")


def _measured(tmp_path, size):
    argv = [sys.executable, "-c", MEASURED, str(tmp_path), str(size)]
    passed, megabytes = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert (tmp_path / "log").stat().st_size == size + len("the end\n")
    return passed, int(megabytes)


def test_a_hundred_megabytes_of_output_take_no_memory(tmp_path):
    passed, megabytes = _measured(tmp_path, GIGABYTE // 10)
    assert passed == "True"
    assert megabytes < 30


@pytest.mark.e2e
def test_a_gigabyte_of_output_takes_no_memory(tmp_path):
    passed, megabytes = _measured(tmp_path, GIGABYTE)
    assert passed == "True"
    assert megabytes < 30
