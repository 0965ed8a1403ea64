"""Databases as they are after months of work: written in bulk, read by the commands that list, show and follow."""

import json
import time
from hashlib import blake2b

from ralph.store.journal import DIGEST, chained
from ralph.store.projects import project_at
from ralph.store.sql import Sql

TASKS = 400
BATCH = 500
"""Runs that are written together."""
ROLES = ("coder", "reviewer", "tester", "qa")
TOKENS = ("tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write")
RUN = {
    "recipe": "prompt",
    "is_part": 0,
    "task_id": None,
    "options": b'{"settings": {}, "loop": {}}',
    "label": "",
    "unit": "iteration",
    "iteration_limit": 10,
    "agent": "claude",
    "status": "ended",
    "verdict": "verified",
    "reason": "proven done after 1 iteration",
    "proof": "checked",
    "exit_code": 0,
    "iterations": 1,
    "usd": 0.01,
    "seconds": 1.0,
    "last_reason": "",
    "doing": "",
    "doing_iteration": 0,
    "doing_since": 0.0,
    "doing_until": None,
    "owner": None,
    "until": 0.0,
    **dict.fromkeys(TOKENS, 1),
}
ROW = {"attempt": 1, "line": "", "mark": "quiet", "spent": "", "body": {}}


def run_sql(run_id, project, *, started=0.0, **changes):
    """A run's own row."""
    times = {"started_at": started, "active_at": started, "ended_at": started}
    values = {**RUN, "id": run_id, "project_id": project, **times, **changes}
    return Sql(_insert("runs", values), values)


def rows_sql(run_id, *rows, at=0.0):
    """Its journal, chained as the real one. Each row is what, key and what else differs from `ROW`."""
    head, made = b"", []
    for n, (what, key, changes) in enumerate(rows, start=1):
        values = {**ROW, "run_id": run_id, "n": n, "what": what, "key": key, "at": at + n, **changes}
        body = values["body"]
        values["body"] = body if isinstance(body, bytes) else json.dumps(body).encode()
        values["digest"] = blake2b(values["body"], digest_size=DIGEST).digest()
        head = values["hash"] = chained(head, values)
        made.append(Sql(_insert("journal", values), values))
    return made


def worked(run_id, iteration, *, prompt="Do it. " * 300, line="✓ the agent has finished · 1.0s"):
    """The two rows of an agent's work."""
    key = f"run-agent/{iteration}"
    path = f".ralph/runs/{run_id}/iteration-{iteration}/stream.ndjson"
    stream = {"path": path, "format": "command", "streaming": True}
    begun = {"do": "run-agent", "iteration": iteration, "prompt": prompt, "stream": stream}
    ended = {"status": "ok", "reason": "it exited with code 0", "final": "Done."}
    return [
        ("begun", key, {"line": "agent", "mark": "head", "body": begun}),
        ("ended", key, {"line": line, "mark": "ok", "body": ended}),
    ]


def whole(run_id, *steps, verdict="verified"):
    """A journal from its first row to its last."""
    closed = {"line": f"{verdict}: {RUN['reason']}", "mark": "ok", "body": {"kind": verdict, "proof": RUN["proof"]}}
    opened = ("opened", "prompt", {"attempt": 0, "body": RUN["options"]})
    return rows_sql(run_id, opened, ("taken", "", {"attempt": 0}), *steps, ("closed", "", {"attempt": 0, **closed}))


def spec_of(store, folder, tasks=TASKS, spec="0a0a0a0a"):
    """A spec run with its tasks and their four stages each: 1 + 400 + 1,600 runs."""
    project = project_at(store, folder).id
    made = [run_sql(spec, project, recipe="spec", label="big", started=1.0), *whole(spec)]
    for number in range(tasks):
        task = f"{spec}.T-{number}"
        started = 2.0 + number
        made.append(run_sql(task, project, recipe="task", label=f"T-{number}", is_part=1, started=started))
        made += whole(task)
        for place, role in enumerate(ROLES, start=1):
            stage = f"{task}.{role}"
            labels = {"recipe": "stage", "label": f"T-{number} {role}", "is_part": 1}
            made.append(run_sql(stage, project, started=started + place / 10, **labels))
            made += whole(stage, *worked(stage, 1))
    store.write(*made)
    return spec


def many(store, folder, runs, rows):
    """So many runs of one project, with so many journal rows each: enough of them to list and to follow."""
    project = project_at(store, folder).id
    options = json.dumps({"settings": {"filler": "x" * 3000}, "loop": {}}).encode()
    steps = rows_sql("", *(step for i in range(1, rows // 2 + 1) for step in worked("", i, prompt="Do it.")))
    for first in range(0, runs, BATCH):
        made = []
        for number in range(first, min(runs, first + BATCH)):
            run_id = f"{number:08x}"
            made.append(run_sql(run_id, project, started=time.time() - runs + number, options=options))
            made += [Sql(step.text, {**step.values, "run_id": run_id}) for step in steps]
        store.write(*made)


class CountingStore:
    """A store that remembers what was asked of it."""

    def __init__(self, store):
        self._store = store
        self.statements = []

    def read(self, text, **values):
        self.statements.append((text, values))
        return self._store.read(text, **values)

    def tuples(self, text, **values):
        self.statements.append((text, values))
        return self._store.tuples(text, **values)

    def __getattr__(self, name):
        return getattr(self._store, name)


def _insert(table, values):
    names = ", ".join(values)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in values)})"  # noqa: S608 - ours
