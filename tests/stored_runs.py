"""Runs written straight into the store, and what of them is left there."""

import json
import os
import time
from contextlib import contextmanager

import msgspec

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.model.errors import Blocked, Cancelled
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import Verified, from_error
from ralph.proc.identity import started
from ralph.store.journal import Journal, rows_of
from ralph.store.open import open_store
from ralph.store.owner import me
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run, new_run_id, part_id
from ralph.store.sql import Sql

LOOP = {"limit": 10, "completion": "DONE", "prompt": "Do it."}
DAY = 86400.0
HOUR = 3600.0
ENDS = {
    "ended": Verified(1),
    "interrupted": from_error(Cancelled("stopped by SIGINT.", "Continue: ralph resume")),
    "stopped": from_error(Blocked("it waits for a person.")),
}


class StoredRuns:
    def __init__(self, home):
        self._environ = {"RALPH_HOME": str(home)}

    @contextmanager
    def open(self):
        with open_store(self._environ) as store:
            yield store

    def add(self, project, *, parent=None, part=None, prompt="Do it.", age=0.0, task=None, status="ended", **changes):
        """A run of one iteration, last active so many seconds ago; its columns are changed as wanted.

        One that ended ended well, one that is alive is driven by this process.
        """
        moment = time.time() - age
        with self.open() as store:
            run_id = part_id(parent, part) if part else new_run_id(parent)
            options = json.dumps({"settings": {}, "loop": LOOP}).encode()
            where = {"project": project_at(store, project).id, "task_id": task, "is_part": part is not None}
            add_run(store, NewRun(id=run_id, recipe="prompt", options=options, limit=10, agent="a", **where))
            if status != "queued":
                _drive(store, run_id, prompt, status)
        ended = {"ended_at": moment} if status in ENDS else {}
        self.change(run_id, **{"status": status, "started_at": moment, "active_at": moment, **ended, **changes})
        files = run_dir(project, run_id) / "iteration-1"
        files.mkdir(parents=True)
        (files / "stream.ndjson").write_bytes(b"x" * 1000)
        return run_id

    def unfinished(self, project, *, status="running", pid=None, since=None, lease=HOUR, **changes):
        """One that a process drives: this one, the one of this pid, or one elsewhere (`host`, `pid_namespace`)."""
        where = {name: changes.pop(name) for name in ("host", "boot", "pid_namespace") if name in changes}
        pid = os.getpid() if pid is None else pid
        owner = msgspec.structs.replace(me(), pid=pid, since=started(pid) if since is None else since, **where)
        driven = {"owner": msgspec.json.encode(owner).decode(), "until": time.time() + lease}
        return self.add(project, status=status, **driven, **changes)

    def killed(self, project, **changes):
        """One whose process died without a word."""
        return self.unfinished(project, since=1.0, **changes)

    def change(self, run_id, **changes):
        columns = ", ".join(f"{name} = :{name}" for name in changes)
        with self.open() as store:
            store.write(Sql(f"UPDATE runs SET {columns} WHERE id = :id", {**changes, "id": run_id}, must=1))  # noqa: S608 - ours

    def row(self, run_id):
        with self.open() as store:
            [row] = store.read("SELECT * FROM runs WHERE id = :id", id=run_id)
            return row

    def rows(self, run_id):
        with self.open() as store:
            return rows_of(store, run_id)

    def count(self, table):
        with self.open() as store:
            return store.read(f"SELECT count(*) AS many FROM {table}")[0]["many"]  # noqa: S608 - ours

    @property
    def ids(self):
        with self.open() as store:
            return {row["id"] for row in store.read("SELECT id FROM runs")}


def _drive(store, run_id, prompt, status):
    journal = Journal.take(store, run_id)
    agent, check = RunAgent(1, prompt), RunCommand(1, "make test", "make_test")
    journal.end(journal.begin(agent), AgentReport("ok", "it exited with code 0", "somewhere"))
    journal.end(journal.begin(check), Evidence("make test", passed=True, reason="exit code 0"))
    if status in ENDS:
        journal.close(ENDS[status], status)
    journal.flush()


def run_dir(project, run_id):
    return project / ".ralph/runs" / run_id
