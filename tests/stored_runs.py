"""Runs written straight into the store, and what of them is left there."""

import json
import time
from contextlib import closing, contextmanager

from ralph.kernel.actions import ReadPrompt, RunAgent
from ralph.model.evidence import AgentReport
from ralph.store import schema
from ralph.store.database import connect, transaction
from ralph.store.journal import Ended, Journal, entries
from ralph.store.runs import begin_run

LOOP = {"limit": 10, "completion": "DONE"}
REPORT = AgentReport("ok", "it exited with code 0", "somewhere")
DAY = 86400.0


class StoredRuns:
    def __init__(self, home):
        self._environ = {"RALPH_HOME": str(home)}

    @contextmanager
    def connection(self):
        with closing(connect(self._environ)) as connection:
            yield connection
        connection.engine.dispose()

    def add(self, project, *, parent=None, prompt="Do it.", age=0.0, **changes):
        """A run that ended so many seconds ago, changed as wanted. This prompt was read from a file."""
        moment = time.time() - age
        with self.connection() as connection:
            run = begin_run(
                connection, recipe="prompt", version=1, project=str(project), options={"loop": LOOP}, parent=parent
            )
            journal = Journal(connection, run.id)
            journal.end(Ended(journal.take_seq(), 1, ReadPrompt(1, "p.md"), prompt))
            action = RunAgent(1, prompt)
            seq = journal.take_seq()
            journal.begin(seq, 1, action)
            journal.mark(seq, 1, size=10, events=1)
            journal.end(Ended(seq, 1, action, REPORT))
            journal.flush()
        ended = {"status": "ended", "verdict": "verified", "started_at": moment, "ended_at": moment}
        self.change(run.id, **{**ended, **changes})
        files = run_dir(project, run.id) / "iteration-1"
        files.mkdir(parents=True)
        (files / "stream.ndjson").write_bytes(b"x" * 1000)
        return run.id

    def change(self, run_id, **changes):
        with self.connection() as connection, transaction(connection):
            connection.execute(schema.runs.update().where(schema.runs.c.id == run_id).values(changes))

    def row(self, run_id):
        with self.connection() as connection:
            query = schema.runs.select().where(schema.runs.c.id == run_id)
            return dict(connection.execute(query).mappings().one())

    def count(self, table):
        with self.connection() as connection:
            return connection.exec_driver_sql(f"SELECT COUNT(*) FROM {table}").scalar_one()  # noqa: S608 - ours

    def results(self, run_id):
        with self.connection() as connection:
            return [json.loads(entry.result) for entry in entries(connection, run_id)]

    @property
    def ids(self):
        with self.connection() as connection:
            return set(connection.exec_driver_sql("SELECT id FROM runs").scalars())


def run_dir(project, run_id):
    return project / ".ralph/runs" / run_id
