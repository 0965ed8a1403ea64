"""Tasks: create, import, list, export, delete. Several are written together or not at all."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as changed
from sqlalchemy import Connection

from ralph.app.specs import new_spec, open_project, refuse_needed, refuse_running
from ralph.app.task_files import TaskRules, file_data, read_task, tasks_in
from ralph.app.task_roles import role_defaults
from ralph.app.task_text import STDIN, json_text, parsed, read_text, yaml_text
from ralph.config.layers import load
from ralph.kernel.task_rules import check_dependencies, check_new_ids, in_order, shown, vague
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.database import transaction
from ralph.store.tasks import delete_tasks, find_spec, get_spec, get_task, put_spec, put_tasks, runs_under_way, tasks_of


class TaskState(Struct, frozen=True):
    task: Task
    state: str
    """Its status; "interrupted" if its run was killed."""


def rules(project: Path, *, spec: str | None = None, without_criteria: bool = False) -> TaskRules:
    return TaskRules(role_defaults(load(project).settings), time.time(), spec, without_criteria)


def create_task(project: Path, data: dict[str, Any], *, without_criteria: bool = False) -> Task:
    """`data` is in the shape of files."""
    task = read_task(data, f"task {shown(data['id'])[1:-1]}", rules(project, without_criteria=without_criteria))
    write_tasks(project, [task])
    return task


def import_tasks(
    project: Path, source: str, *, spec: str | None = None, replace: bool = False, without_criteria: bool = False
) -> list[Task]:
    name = "standard input" if source == STDIN else source
    documents = parsed(read_text(source, "a file with tasks"), name)
    tasks = tasks_in(documents, name, rules(project, spec=spec, without_criteria=without_criteria))
    write_tasks(project, tasks, replace=replace, add_specs=True)
    return tasks


def write_tasks(project: Path, tasks: list[Task], *, replace: bool = False, add_specs: bool = False) -> None:
    """What ralph itself keeps of a task stays when it is replaced: its status, and when it was created."""
    check_new_ids(tasks)
    connection, name = open_project(project)
    with transaction(connection, durable=True):
        there = {task.id: task for task in tasks_of(connection, name)}
        again = [task.id for task in tasks if task.id in there]
        if again and not replace:
            raise ConfigError(
                f"there is a task {again[0]} already.", "Change it: ralph task edit, or ralph task import --replace"
            )
        refuse_running(connection, name, again)
        new = {task.id: _continued(task, there.get(task.id)) for task in tasks}
        check_dependencies({**there, **new}.values())
        for spec_id in dict.fromkeys(task.spec_id for task in tasks):
            _require_spec(connection, project, spec_id, add=add_specs)
        put_tasks(connection, name, new.values())


def list_tasks(project: Path, spec: str | None = None) -> list[TaskState]:
    """In the order in which they run."""
    connection, name = open_project(project)
    if spec is not None:
        get_spec(connection, name, spec)
    under_way = runs_under_way(connection, name)
    return [TaskState(task, state_of(task, under_way)) for task in in_order(tasks_of(connection, name, spec))]


def state_of(task: Task, under_way: Iterable[str]) -> str:
    """Nothing is shown as running for ever."""
    return "interrupted" if task.status == "running" and task.id not in under_way else task.status


def remove_task(project: Path, task_id: str) -> None:
    connection, name = open_project(project)
    with transaction(connection, durable=True):
        get_task(connection, name, task_id)
        refuse_running(connection, name, [task_id])
        refuse_needed(connection, name, [task_id])
        delete_tasks(connection, name, [task_id])


def find_task(project: Path, task_id: str) -> Task:
    connection, name = open_project(project)
    return get_task(connection, name, task_id)


def export_text(project: Path, ids: Sequence[str], spec: str | None, *, as_json: bool) -> str:
    """Of these tasks, or of all of the spec or the project."""
    listed = [each.task for each in list_tasks(project, spec)]
    tasks = [_one_of(listed, task_id, spec) for task_id in dict.fromkeys(ids)] if ids else listed
    if not tasks:
        raise ConfigError("there is no task to export.", "Create one: ralph task create --help")
    return (json_text if as_json else yaml_text)(file_data(tasks))


def warnings_of(task: Task) -> list[str]:
    """What of its criteria nobody could verify."""
    done = task.completion_spec
    if not done:
        return [f"task {task.id} has no criteria: only the word of its agents will say when it is done"]
    named = [("the outcome", done.outcome), *(("a criterion", text) for text in done.acceptance_criteria)]
    return [f"task {task.id}: {what} is vague: {why}" for what, text in named if (why := vague(text))]


def _one_of(tasks: list[Task], task_id: str, spec: str | None) -> Task:
    for task in tasks:
        if task.id == task_id:
            return task
    where = f"spec {spec}" if spec else "this project"
    raise ConfigError(f"there is no task {shown(task_id)} in {where}.", "See the list: ralph task list")


def _continued(task: Task, before: Task | None) -> Task:
    if before is None:
        return task
    return changed(task, status=before.status, iteration=before.iteration, created_at=before.created_at)


def _require_spec(connection: Connection, project: Path, spec_id: str, *, add: bool) -> None:
    if find_spec(connection, str(project), spec_id):
        return
    if not add:
        raise ConfigError(f"there is no spec {spec_id} in this project.", f"Create it: ralph spec create {spec_id}")
    put_spec(connection, str(project), new_spec(project, spec_id))
