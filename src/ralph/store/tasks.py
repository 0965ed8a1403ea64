"""Specs and tasks of a project in the store. What writes several rows stands in the caller's transaction."""

import time
from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import sqlite

from ralph.kernel.completion import completion_dict, completion_from_dict
from ralph.model.errors import ConfigError
from ralph.model.tasks import Spec, Task, TaskStatus
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.runs import ALIVE, from_row

SHOWN = 60


def tasks_of(connection: Connection, project: str, spec: str | None = None) -> list[Task]:
    """Of one spec or of all, by id."""
    query = select(schema.tasks).where(schema.tasks.c.project == project).order_by(schema.tasks.c.id)
    if spec is not None:
        query = query.where(schema.tasks.c.spec_id == spec)
    return [_task(row) for row in connection.execute(query).mappings()]


def get_task(connection: Connection, project: str, task_id: str) -> Task:
    row = _row(connection, schema.tasks, project, task_id)
    if row is None:
        raise ConfigError(f"there is no task {task_id[:SHOWN]!r} in this project.", "See the list: ralph task list")
    return _task(row)


def put_tasks(connection: Connection, project: str, tasks: Iterable[Task]) -> None:
    """Written over what has the same id."""
    for task in tasks:
        row = {**msgspec.structs.asdict(task), "project": project}
        row |= {name: _json(row[name]) for name in ("dependencies", "metadata")}
        row["completion_spec"] = _json(completion_dict(task.completion_spec)) if task.completion_spec else None
        _put(connection, schema.tasks, row)


def delete_tasks(connection: Connection, project: str, ids: Iterable[str]) -> None:
    table = schema.tasks
    connection.execute(delete(table).where(table.c.project == project, table.c.id.in_(list(ids))))


def set_status(
    connection: Connection, project: str, task_id: str, status: TaskStatus, iteration: int | None = None
) -> None:
    table = schema.tasks
    change: dict[str, Any] = {"status": status, "updated_at": time.time()}
    if iteration is not None:
        change["iteration"] = iteration
    with transaction(connection, durable=True):
        found = connection.execute(
            table.update().where(table.c.project == project, table.c.id == task_id).values(change)
        )
        if not found.rowcount:
            raise ConfigError(f"task {task_id} is gone.", "See the list: ralph task list")


def runs_under_way(connection: Connection, project: str) -> dict[str, str]:
    """The tasks that are being worked on, each with one of its runs. A run that was killed does not count."""
    runs = schema.runs
    query = select(runs).where(runs.c.project == project, runs.c.task_id.is_not(None), runs.c.status.in_(ALIVE))
    found = [from_row(row) for row in connection.execute(query.order_by(runs.c.started_at.desc())).mappings()]
    return {run.task_id: run.id for run in found if run.task_id and run.status in ALIVE}


def specs_of(connection: Connection, project: str) -> list[Spec]:
    query = select(schema.specs).where(schema.specs.c.project == project).order_by(schema.specs.c.id)
    return [_spec(row) for row in connection.execute(query).mappings()]


def find_spec(connection: Connection, project: str, spec_id: str) -> Spec | None:
    row = _row(connection, schema.specs, project, spec_id)
    return None if row is None else _spec(row)


def get_spec(connection: Connection, project: str, spec_id: str) -> Spec:
    spec = find_spec(connection, project, spec_id)
    if spec is None:
        raise ConfigError(
            f"there is no spec {spec_id[:SHOWN]!r} in this project.", "Create it: ralph spec create ID --title TITLE"
        )
    return spec


def put_spec(connection: Connection, project: str, spec: Spec) -> None:
    _put(connection, schema.specs, {**msgspec.structs.asdict(spec), "project": project})


def delete_spec(connection: Connection, project: str, spec_id: str) -> None:
    table = schema.specs
    connection.execute(delete(table).where(table.c.project == project, table.c.id == spec_id))


def _put(connection: Connection, table: Any, row: dict[str, Any]) -> None:
    insert = sqlite.insert(table).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=["project", "id"], set_=row))


def _row(connection: Connection, table: Any, project: str, name: str) -> Any:
    if not name.isascii():
        # No id is, and what is not UTF-8 cannot even be looked for.
        return None
    query = select(table).where(table.c.project == project, table.c.id == name)
    return connection.execute(query).mappings().first()


def _task(row: Any) -> Task:
    fields = {name: value for name, value in row.items() if name != "project"}
    fields["dependencies"] = tuple(msgspec.json.decode(fields["dependencies"]))
    fields["metadata"] = msgspec.json.decode(fields["metadata"])
    if fields["completion_spec"] is not None:
        fields["completion_spec"] = completion_from_dict(msgspec.json.decode(fields["completion_spec"]))
    return Task(**fields)


def _spec(row: Any) -> Spec:
    return Spec(**{name: value for name, value in row.items() if name != "project"})


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
