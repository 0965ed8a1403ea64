"""A store in a temporary home, and runs in it."""

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport
from ralph.store.journal import Journal
from ralph.store.open import open_store
from ralph.store.runs import NewRun, add_run, new_run_id
from ralph.store.sql import Sql

PROJECT = "project"


@dataclass(frozen=True)
class Database:
    """Where a store lies: as many processes as wanted open it."""

    environ: dict[str, str]

    @property
    def is_postgres(self):
        return "RALPH_DATABASE_URL" in self.environ

    def open(self, say=None):
        return open_store(self.environ, say)

    def start(self, script, *args):
        """A Python process with this store in its environment, which may use what tests use."""
        path = os.pathsep.join(path for path in sys.path if path)
        return subprocess.Popen(
            [sys.executable, "-c", script, *map(str, args)],
            env={**os.environ, **self.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def started(self, script, *args):
        """As `start`; leaving the block ends it."""
        with self.start(script, *args) as process:
            try:
                yield process
            finally:
                process.kill()


def opened(home):
    """SQLite in this home, to be closed by the `with` block."""
    return Database({"RALPH_HOME": str(home)}).open()


def new_run(store, run_id=None, **changes):
    """The id of a run that nobody has taken yet."""
    run_id = run_id or new_run_id()
    add_run(store, NewRun(**{"id": run_id, "recipe": "prompt", "project": PROJECT, "options": b"{}", **changes}))
    return run_id


def taken(store, run_id=None, **changes):
    """The journal of a new run that this process drives."""
    return Journal.take(store, new_run(store, run_id, **changes))


def perform(journal, action, result):
    journal.end(journal.begin(action), result)


def count(store, table):
    return store.read(f"SELECT count(*) AS number FROM {table}")[0]["number"]  # noqa: S608 - ours


def change(store, run_id, **columns):
    """Another hand in the table of runs."""
    names = ", ".join(f"{name} = :{name}" for name in columns)
    store.write(Sql(f"UPDATE runs SET {names} WHERE id = :the_id", {"the_id": run_id, **columns}, must=1))  # noqa: S608 - ours


def worked(*, cost=0.5, **tokens):
    return AgentReport("ok", "it exited with code 0", "somewhere", cost_usd=cost, tokens=Tokens(**tokens))
