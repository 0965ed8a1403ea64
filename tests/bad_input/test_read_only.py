"""Places that ralph may not write to."""

import subprocess
import sys

import pytest

from loops import PROMPT, Ended
from mounts import mounted
from ralph.testing import done
from ralph.testing.program import ralph_program
from refusals import one_clear_line

pytestmark = pytest.mark.e2e

OBEYS_PERMISSIONS = """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0):
    sys.exit("the right to write everywhere could not be given up")
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Takes from root the right to write where the permissions say no, then becomes the program."""

WRITES, READS = 0o755, 0o555


@pytest.fixture
def ralph(loop):
    def run(*args):
        done_ = subprocess.run(
            [sys.executable, "-c", OBEYS_PERMISSIONS, ralph_program(), *args],
            cwd=loop.repo.path,
            env=loop.repo.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Ended(done_.returncode, done_.stdout, done_.stderr, loop.agent)

    return run


@pytest.fixture
def forbid():
    """Take away the permission to write; it comes back after the test."""
    changed = []

    def change(*places):
        for place in places:
            place.chmod(READS)
        changed.extend(places)

    yield change
    for place in changed:
        place.chmod(WRITES)


def test_a_project_that_may_not_be_written(loop, ralph, forbid):
    loop.prepare(done())
    settings = loop.repo.path / ".ralph/settings.json"
    settings.rename(loop.repo.home / "settings.json")
    settings.parent.rmdir()
    forbid(loop.repo.path)
    ended = ralph("run", "-p", PROMPT, "--agent", loop.agent.command)
    one_clear_line(ended, 2, ".ralph: Permission denied", "Run ralph in a directory that you may write")
    assert loop.agent.starts == []


def test_a_state_directory_that_may_not_be_written(loop, ralph, forbid):
    loop.prepare(done())
    forbid(loop.repo.path / ".ralph")
    one_clear_line(ralph("run", "-p", PROMPT), 2, ".ralph: Permission denied")
    assert loop.agent.starts == []


def test_a_state_directory_that_may_no_longer_be_written(loop, ralph, forbid):
    loop.prepare(done())
    assert ralph("run", "--quiet", "-p", PROMPT).code == 0
    forbid(loop.repo.path / ".ralph")
    one_clear_line(ralph("run", "-p", PROMPT), 2, ".ralph/lock: Permission denied")
    assert len(loop.agent.starts) == 1


def test_a_lock_that_may_not_be_written(loop, ralph, forbid):
    loop.prepare(done())
    assert ralph("run", "--quiet", "-p", PROMPT).code == 0
    lock = loop.repo.path / ".ralph/lock"
    lock.touch()
    forbid(lock)
    one_clear_line(ralph("run", "-p", PROMPT), 2, ".ralph/lock: Permission denied")


def test_a_run_whose_directory_becomes_read_only_can_be_resumed(loop, ralph, forbid):
    ended = None
    loop.prepare({"run": "chmod 555 .ralph/runs/*"}, done())
    ended = ralph("run", "--quiet", "-p", PROMPT)
    one_clear_line(ended, 9, "Permission denied", "ralph resume")
    (run,) = (loop.repo.path / ".ralph/runs").iterdir()
    run.chmod(WRITES)
    assert ralph("resume", "--quiet").code == 0
    assert loop.show()["verdict"] == "verified"


def test_a_home_that_may_not_be_written(loop, ralph, forbid):
    loop.prepare(done())
    forbid(loop.repo.home)
    one_clear_line(ralph("run", "-p", PROMPT), 2, "home/.ralph/ralph.db: Permission denied", "RALPH_HOME")
    assert loop.agent.starts == []


def test_a_database_that_may_no_longer_be_written(loop, ralph, forbid):
    loop.prepare(done())
    assert ralph("run", "--quiet", "-p", PROMPT).code == 0
    forbid(*(loop.repo.home / ".ralph").iterdir(), loop.repo.home / ".ralph")
    one_clear_line(ralph("run", "-p", PROMPT), 2, "ralph.db: Permission denied", "RALPH_HOME")
    assert len(loop.agent.starts) == 1


@pytest.mark.parametrize("place", ["repo/.ralph", "home/.ralph"])
def test_a_file_system_that_is_mounted_read_only(loop, tmp_path, place):
    with mounted(tmp_path / place) as disk:
        loop.prepare(done())
        disk.make_read_only()
        one_clear_line(loop.ralph("run", "-p", PROMPT), 2, "Read-only file system")
        assert loop.agent.starts == []
        disk.make_writable()
        assert loop.ralph("run", "--quiet", "-p", PROMPT).code == 0
