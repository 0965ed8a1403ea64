"""Checks that write files, kill whoever started them, never end, or print without measure."""

import json
import sys
from contextlib import suppress

import psutil
import pytest

from loops import wait_until
from ralph.testing import run_ralph, temp_repo
from ralph.testing.program import ralph_program

pytestmark = pytest.mark.e2e
GIGABYTE = 1_000_000_000
BOUND = 150_000_000
"""Bytes of memory that ralph takes at most, whatever a check prints."""
# A program of its own: Linux counts the memory of the process that starts another into the other's peak.
MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024)
"""


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, {"work.txt": "old\n"})
    (repo.home / ".ralph").mkdir()
    repo.write("work.txt", "new\n")
    repo.commit_all("work")
    return repo


def settings(repo, *commands, **more):
    given = {"guardrails": [{"command": each} if isinstance(each, str) else each for each in commands], **more}
    (repo.home / ".ralph/config.yaml").write_text(json.dumps(given))


def left(repo):
    """Processes that know of the project's home."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("HOME") == str(repo.home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.cmdline())
    return found


def test_what_a_check_writes_is_neither_the_users_nor_the_next_checks(repo):
    settings(
        repo,
        "echo spoilt > work.txt; echo more > more.txt; mkdir -p deep/er; echo x > deep/er/x",
        "grep -q new work.txt && test ! -e more.txt && test ! -e deep",
    )
    done = run_ralph(repo, "verify")
    assert done.returncode == 0, done.stderr
    assert repo.read("work.txt") == "new\n"
    assert repo.git("status", "--porcelain") == ""


def test_a_check_that_kills_whoever_started_it_verifies_nothing_and_can_be_gone_on_with(repo):
    kills = 'if [ ! -e "$HOME/killed" ]; then touch "$HOME/killed"; kill -9 $PPID; sleep 60; fi'
    settings(repo, f"{kills}; grep -q new work.txt")
    first = run_ralph(repo, "verify")
    assert first.returncode == -9
    wait_until(lambda: not left(repo), f"still alive: {left(repo)}")
    [run] = json.loads(run_ralph(repo, "runs", "--json").stdout)
    assert (run["status"], run["verdict"]) == ("interrupted", None)
    resumed = run_ralph(repo, "resume", run["id"])
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(run_ralph(repo, "show", run["id"], "--json").stdout)["verdict"] == "verified"
    assert not list((repo.path / ".ralph").rglob("*lock")), "nor is a lock of the killed one left"


def test_a_check_that_never_ends_is_ended_with_all_that_it_started(repo):
    settings(repo, "(trap '' TERM INT HUP; sleep 3600) & sleep 3600", timeouts={"guardrail": 1})
    done = run_ralph(repo, "verify")
    assert done.returncode == 9
    assert "its timeout" in done.stderr
    wait_until(lambda: not left(repo), f"still alive: {left(repo)}")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("end", ["x", "\\n"], ids=["one line", "many lines"])
def test_a_check_that_prints_a_gigabyte_takes_no_memory(repo, end):
    repo.write(
        "print.py",
        f"import sys\nfor _ in range({GIGABYTE // 100_000}):\n    sys.stdout.write('x' * 99_999 + '{end}')\n",
    )
    repo.commit_all("print")
    settings(repo, {"command": "python3 print.py", "canary": False})
    done = repo.run(sys.executable, "-c", MEASURED, ralph_program(), "verify", "--quiet", timeout=500)
    code, peak = map(int, done.stdout.split())
    assert code == 0, done.stderr
    assert peak < BOUND
