"""Two hundred other ralph processes read and write while a run is under way: its database stays its own."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kill_crowd import LOOKS, OTHERS, create
from loops import PROMPT, wait_until
from ralph.store.journal import check_chain
from ralph.testing import run_ralph
from stored_runs import StoredRuns

PROCESSES, AT_ONCE = 200, 8
GO = "while [ ! -e go ]; do sleep 0.05; done"
"""The agent's last iteration begins when all others are gone."""
ROWS = "SELECT * FROM journal ORDER BY id"


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def commands():
    """Every third one writes."""
    for number in range(PROCESSES):
        yield create(f"T-{number}") if number % 3 == 0 else LOOKS[number % len(LOOKS)]


def files_of(pid, home):
    """What of ralph's home a process has open, by name."""
    found = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            name = str(entry.readlink())
            if name.startswith(str(home)):
                found.add(name.removeprefix(f"{home}/"))
    return found


def rows(home):
    with closing(sqlite3.connect(home / "ralph.db")) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return file.execute(ROWS).fetchall()


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_a_run_is_not_detached_from_its_database_and_goes_on_after_a_kill(loop, store):
    home = loop.repo.home / ".ralph"
    steps = [{"append": {"work.txt": f"{number}\n"}, "cost": 0.25, "sleep": 0.05} for number in range(20)]
    last = {"run": GO, "final": "<response>DONE</response>", "cost": 0.25}
    loop.prepare(*steps, last, maximumIterations=30, scripted={"advance": "end"})
    assert run_ralph(loop.repo, "spec", "create", OTHERS, "--title", "Others").returncode == 0
    with loop.start("run", "--quiet", "-p", PROMPT) as running:
        wait_until(lambda: len(loop.agent.starts) > 1, "it did not begin")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(lambda argv: run_ralph(loop.repo, *argv), commands()))
        assert {(each.returncode, each.stderr) for each in ended} == {(0, "")}
        wait_until(lambda: len(loop.agent.starts) == 21, "it did not come to its last iteration")
        assert files_of(running.pid, home) == {"ralph.db", "ralph.db-wal", "ralph.db-shm", "bell"}
        before = rows(home)
        running.send(9)
        running.end()
    assert rows(home) == before, "what it had written is there without it"
    (loop.repo.path / "go").touch()
    [run] = store.ids
    assert loop.ralph("resume", "--quiet", run).code == 0
    assert rows(home)[: len(before)] == before
    with store.open() as opened:
        check_chain(opened, run)
    shown = json.loads(loop.ralph("show", "--json", run).out)
    assert (shown["verdict"], shown["costUsd"]) == ("verified", 21 * 0.25)
    assert sorted({each["number"] for each in shown["iterations"]}) == list(range(1, 22))
    assert loop.repo.read("work.txt") == "".join(f"{number}\n" for number in range(20))
    tasks = {task["id"] for task in json.loads(loop.ralph("task", "list", "--json").out)}
    assert tasks == {f"T-{number}" for number in range(0, PROCESSES, 3)}
