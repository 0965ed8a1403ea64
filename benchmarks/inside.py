"""What is measured inside a process, in microseconds of its CPU time; printed as JSON.

usage: python benchmarks/inside.py look|action FOLDER
A program of its own, so that the process that measures others stays small.
"""

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

from history import RESULTS, WORDS, History
from ralph.app.runs.log_streams import Piece
from ralph.app.runs.logs import pieces
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.base import Recipe
from ralph.kernel.actions.commands import RunCommand
from ralph.loop.drive import Driver
from ralph.loop.stop import Stop
from ralph.model.evidence import Result
from ralph.model.runs import Run
from ralph.model.verdicts import Verified
from ralph.store.journal import Begun, Journal
from ralph.store.runs import NewRun, add_run, find_run
from ralph.store.sqlite import SqliteStore
from ralph.testing.formats.claude import Claude

ITERATIONS = 2000
LOOKS = 41
ACTIONS = 1500
ROUNDS = 11
BODY = b"x" * 200
BARE = "CREATE TABLE rows (id INTEGER PRIMARY KEY, run_id TEXT, n INTEGER, body BLOB)"
RUN = "0c0c0c0c"

Samples = dict[str, list[float]]


def look(folder: Path) -> Samples:
    """The looks of `logs -f` after the first one, at a run that has worked 2,000 times and goes on."""
    with SqliteStore(folder / "home") as store:
        worker = Worker(store, folder / "project")
        for _ in range(ITERATIONS):
            worker.iterate()
        said = pieces(store, worker.run, follow=True)
        _read_to(said, worker.last)
        return {"look": [_measured(worker.iterate, lambda: _read_to(said, worker.last)) for _ in range(LOOKS)]}


class Worker:
    """A run under way, whose agent has just said something."""

    def __init__(self, store: SqliteStore, project: Path) -> None:
        project.mkdir(parents=True)
        add_run(store, NewRun(id=RUN, recipe="prompt", project=History(store, project).project_id, options=b"{}"))
        self.run: Run = find_run(store, RUN)
        self.last = b""
        self._journal = Journal.take(store, RUN)
        self._journal.about = lambda action, _: {"stream": {"path": f"{action.iteration}.ndjson", "format": "claude"}}
        self._project = project
        self._numbers = count(1)
        self._begun: Begun | None = None

    def iterate(self) -> None:
        if self._begun:
            self._journal.end(self._begun, RESULTS[RunAgent])
        number = next(self._numbers)
        self._begun = self._journal.begin(RunAgent(number, WORDS))
        self.last = f"This is iteration {number}.".encode()
        stream = Claude([], "")
        (self._project / f"{number}.ndjson").write_bytes(stream.begin() + stream.say(self.last.decode()))


def _read_to(said: Iterator[Piece], last: bytes) -> None:
    while last not in next(said).raw:
        pass


def _measured(before: Callable[[], None], what: Callable[[], None]) -> float:
    before()
    began = time.process_time()
    what()
    return (time.process_time() - began) * 1e6


def action(folder: Path) -> Samples:
    """An action with an effect, through driver and journal; beside it a bare transaction of two rows."""
    samples: Samples = {"bare": [], "ralph": []}
    for number in range(ROUNDS):
        place = folder / str(number)
        place.mkdir(parents=True)
        samples["bare"].append(_bare(place / "bare.db"))
        samples["ralph"].append(asyncio.run(_driven(place)))
    return samples


def _bare(file: Path) -> float:
    text = "INSERT INTO rows (run_id, n, body) VALUES (?, ?, ?)"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(BARE)
        began = time.process_time()
        for number in range(ACTIONS):
            db.execute("BEGIN IMMEDIATE")
            db.execute(text, (RUN, number, BODY))
            db.execute(text, (RUN, number, BODY))
            db.execute("COMMIT")
        return (time.process_time() - began) / ACTIONS * 1e6


async def _driven(home: Path) -> float:
    def recipe() -> Recipe:
        for number in range(ACTIONS):
            yield RunCommand(number, "make test", "make_test")
        return Verified(ACTIONS)

    async def perform(_: Begun) -> Result:
        return RESULTS[RunCommand]

    with SqliteStore(home) as store:
        add_run(store, NewRun(id=RUN, recipe="prompt", project="project", options=b"{}"))
        journal = Journal.take(store, RUN)
        driver = Driver(store, journal, perform, Stop())
        began = time.process_time()
        await driver.drive(recipe())
        journal.flush()
        return (time.process_time() - began) / ACTIONS * 1e6


MEASURES = {"look": look, "action": action}

if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](Path(sys.argv[2]))))
