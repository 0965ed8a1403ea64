"""Specs and tasks of a project in the store. A write of several rows is a list of statements, written together."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from ralph.kernel.completion import completion_dict, completion_from_dict
from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import OutputSummary, Spec, Task, TaskStatus
from ralph.store.sql import Found, Lost, Sql, Store

SHOWN = 60
TRIES = 200
PAUSE, LONGEST_PAUSE = 0.001, 0.05
_TASK = (
    *("id", "spec_id", "title", "description", "status", "priority", "dependencies", "assignee", "created_at"),
    *("updated_at", "metadata", "iteration", "completion_spec", "may_change", "relevant_files", "max_iterations"),
    *("summary", "error"),
)
_KEPT = ("id", "status", "created_at", "iteration", "summary", "error")
"""The fields that only ralph itself sets."""
_JSON = ("dependencies", "metadata", "may_change", "relevant_files")
_WRITTEN = tuple(name for name in _TASK if name not in _KEPT)
_TRUSTED = tuple(name for name in _WRITTEN if name != "updated_at")
_SPEC = ("id", "title", "config", "created_at", "updated_at")
_TURN = "UPDATE projects SET revision = revision + 1 WHERE id = :id AND revision = :seen"
_CHANGE = (
    f"UPDATE tasks SET {', '.join(f'{name} = :{name}' for name in _WRITTEN)}"  # noqa: S608 - names of columns
    " WHERE project_id = :project_id AND id = :id"
)


def tasks_of(store: Store, project: str, spec: str | None = None) -> list[Task]:
    """The tasks of a spec or of the whole project, by id."""
    text = f"SELECT {', '.join(_TASK)} FROM tasks WHERE project_id = :project"  # noqa: S608 - names of columns
    if spec is None:
        return [_task(row) for row in store.read(f"{text} ORDER BY id", project=project)]
    return [_task(row) for row in store.read(f"{text} AND spec_id = :spec ORDER BY id", project=project, spec=spec)]


def titles_of_tasks(store: Store, projects: Iterable[str]) -> dict[tuple[str, str], str]:
    """The titles of all tasks of these projects, by project and task."""
    return {
        (project, row["id"]): row["title"]
        for project in set(projects)
        for row in store.read("SELECT id, title FROM tasks WHERE project_id = :project", project=project)
    }


def is_task(store: Store, project: str, name: str) -> bool:
    return _row(store, "tasks", ("id",), project, name) is not None


def get_task(store: Store, project: str, task_id: str) -> Task:
    row = _row(store, "tasks", _TASK, project, task_id)
    if row is None:
        raise ConfigError(f"there is no task {task_id[:SHOWN]!r} in this project.", "See the list: ralph task list")
    return _task(row)


def change(store: Store, project: str, decide: Callable[[], Sequence[Sql]]) -> None:
    """Write what `decide` returns for what it reads. If another process changed the project's specs or tasks meanwhile,
    nothing is written and `decide` is called again, so that its checks hold for the rows that are stored.
    """
    for number in range(TRIES):
        if number:
            # Processes that lose to each other must not retry in step.
            time.sleep(min(number * PAUSE, LONGEST_PAUSE) * os.urandom(1)[0] / 255)
        [row] = store.read("SELECT revision FROM projects WHERE id = :id", id=project)
        turn = Sql(_TURN, {"id": project, "seen": row["revision"]}, must=1)
        statements = decide()
        try:
            store.write(turn, *statements, sync=True)
        except Lost:
            continue
        return
    raise StateError("other processes keep changing the tasks of this project.", "Try again.")


def add_tasks(project: str, tasks: Iterable[Task]) -> list[Sql]:
    """Add the tasks. It is refused if another process created one with the same id meanwhile."""
    rows = [_columns(project, task) for task in tasks]
    return [Sql(_insert("tasks", row), row) for row in rows]


def change_tasks(project: str, tasks: Iterable[Task]) -> list[Sql]:
    """Change what a person writes about the tasks. What ralph keeps stays: the status, and when a task was created."""
    rows = [_columns(project, task) for task in tasks]
    return [Sql(_CHANGE, {name: row[name] for name in (*_WRITTEN, "project_id", "id")}, must=1) for row in rows]


def restate_tasks(project: str, ids: Iterable[str], status: TaskStatus) -> list[Sql]:
    """The statements that give these tasks this status, and remove what an earlier run left for them in the store."""
    text = (
        "UPDATE tasks SET status = :status, summary = NULL, error = '', updated_at = :now"
        " WHERE project_id = :project AND id = :id"
    )
    about = {"project": project, "status": status, "now": time.time()}
    return [Sql(text, {**about, "id": each}, must=1) for each in ids]


def is_edited(before: Task, after: Task) -> bool:
    """Whether a person has changed what they wrote about a task."""
    return any(getattr(before, name) != getattr(after, name) for name in _TRUSTED)


def delete_tasks(project: str, ids: Iterable[str]) -> list[Sql]:
    text = "DELETE FROM tasks WHERE project_id = :project AND id = :id"
    return [Sql(text, {"project": project, "id": each}, must=1) for each in ids]


def set_status(
    store: Store, project: str, task_id: str, status: TaskStatus, iteration: int | None = None, error: str = ""
) -> None:
    """Set the status. `error` is why the task failed; it replaces what an earlier run left there."""
    values: dict[str, Any] = {"project": project, "id": task_id, "status": status, "error": error, "now": time.time()}
    change = "status = :status, error = :error, updated_at = :now"
    if iteration is not None:
        values["iteration"] = iteration
        change += ", iteration = :iteration"
    # A task that was deleted meanwhile needs no status.
    store.write(Sql(f"UPDATE tasks SET {change} WHERE project_id = :project AND id = :id", values))  # noqa: S608 - names of columns


def set_summary(store: Store, project: str, task_id: str, summary: OutputSummary | None) -> None:
    """Set the summary; None if the task's work was undone."""
    text = "UPDATE tasks SET summary = :summary WHERE project_id = :project AND id = :id"
    store.write(Sql(text, {"summary": summary and _json(summary), "project": project, "id": task_id}))


def trusted_task(store: Store, project: str, task_id: str) -> tuple[bytes, float] | None:
    """What a person wrote about a task, as stored, and when ralph last wrote the row."""
    row = _row(store, "tasks", _TASK, project, task_id)
    if row is None:
        return None
    return msgspec.json.encode({name: row[name] for name in _TRUSTED}), row["updated_at"]


def trusted_spec(store: Store, project: str, spec_id: str) -> tuple[bytes, float] | None:
    """What a spec sets for its tasks, as stored, and when ralph last wrote the row."""
    row = _row(store, "specs", _SPEC, project, spec_id)
    return None if row is None else (str(row["config"]).encode(), row["updated_at"])


def specs_of_tasks(store: Store, project: str, ids: Iterable[str]) -> list[str]:
    wanted = set(ids)
    rows = store.read("SELECT id, spec_id FROM tasks WHERE project_id = :project", project=project) if wanted else []
    return sorted({row["spec_id"] for row in rows if row["id"] in wanted})


def put_back_task(project: str, task_id: str, data: bytes) -> list[Sql]:
    """Restore the task as `trusted_task` returned it; it is added again if somebody deleted it."""
    now = time.time()
    row = {**msgspec.json.decode(data), "project_id": project, "id": task_id, "updated_at": now}
    new = {**row, "status": "pending", "created_at": now, "iteration": 0}
    sets = ", ".join(f"{name} = :{name}" for name in (*_TRUSTED, "updated_at"))
    return [Sql(f"{_insert('tasks', new)} ON CONFLICT (project_id, id) DO UPDATE SET {sets}", new)]


def specs_of(store: Store, project: str) -> list[Spec]:
    text = f"SELECT {', '.join(_SPEC)} FROM specs WHERE project_id = :project ORDER BY id"  # noqa: S608 - names of columns
    return [_spec(row) for row in store.read(text, project=project)]


def find_spec(store: Store, project: str, spec_id: str) -> Spec | None:
    row = _row(store, "specs", _SPEC, project, spec_id)
    return None if row is None else _spec(row)


def get_spec(store: Store, project: str, spec_id: str) -> Spec:
    spec = find_spec(store, project, spec_id)
    if spec is None:
        raise ConfigError(
            f"there is no spec {spec_id[:SHOWN]!r} in this project.", "Create it: ralph spec create ID --title TITLE"
        )
    return spec


def add_spec(project: str, spec: Spec) -> Sql:
    """Add the spec. It is refused if another process created one with the same id meanwhile."""
    row = {**msgspec.structs.asdict(spec), "config": _json(spec.config), "project_id": project}
    return Sql(_insert("specs", row), row)


def change_spec_config(project: str, spec_id: str, config: dict[str, Any]) -> Sql:
    text = "UPDATE specs SET config = :config, updated_at = :now WHERE project_id = :project AND id = :id"
    return Sql(text, {"config": _json(config), "now": time.time(), "project": project, "id": spec_id}, must=1)


def definitions_digest(store: Store, project: str, spec_id: str) -> str:
    """The digest of what ralph last wrote into the spec's chunks.json; empty if it never did."""
    rows = store.read(
        "SELECT definitions_digest FROM specs WHERE project_id = :project AND id = :id", project=project, id=spec_id
    )
    return rows[0]["definitions_digest"] if rows else ""


def set_definitions_digest(store: Store, project: str, spec_id: str, digest: str) -> None:
    if definitions_digest(store, project, spec_id) != digest:
        store.write(definitions_are(project, spec_id, digest))


def definitions_are(project: str, spec_id: str, digest: str) -> Sql:
    text = "UPDATE specs SET definitions_digest = :digest WHERE project_id = :project AND id = :id"
    return Sql(text, {"digest": digest, "project": project, "id": spec_id})


def delete_spec(project: str, spec_id: str) -> Sql:
    return Sql("DELETE FROM specs WHERE project_id = :project AND id = :id", {"project": project, "id": spec_id}, 1)


def _insert(table: str, row: dict[str, Any]) -> str:
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})"  # noqa: S608 - names of columns


def _columns(project: str, task: Task) -> dict[str, Any]:
    row = {**msgspec.structs.asdict(task), "project_id": project}
    row |= {name: _json(row[name]) for name in _JSON}
    row["summary"] = _json(task.summary) if task.summary else None
    row["completion_spec"] = _json(completion_dict(task.completion_spec)) if task.completion_spec else None
    return row


def _row(store: Store, table: str, columns: Sequence[str], project: str, name: str) -> Found | None:
    if not name.isascii():
        # All ids are ASCII, and a text that is not UTF-8 cannot even be searched for.
        return None
    text = f"SELECT {', '.join(columns)} FROM {table} WHERE project_id = :project AND id = :id"  # noqa: S608 - names of columns
    rows = store.read(text, project=project, id=name)
    return rows[0] if rows else None


def _task(row: Found) -> Task:
    completion, summary = row["completion_spec"], row["summary"]
    fields: dict[str, Any] = {
        **row,
        "dependencies": tuple(msgspec.json.decode(row["dependencies"])),
        "metadata": msgspec.json.decode(row["metadata"]),
        "may_change": tuple(msgspec.json.decode(row["may_change"])),
        "relevant_files": tuple(msgspec.json.decode(row["relevant_files"])),
        "summary": msgspec.json.decode(summary, type=OutputSummary) if summary else None,
        "completion_spec": completion_from_dict(msgspec.json.decode(completion)) if completion else None,
    }
    return Task(**fields)


def _spec(row: Found) -> Spec:
    return Spec(**{**row, "config": msgspec.json.decode(row["config"])})


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
