"""Tasks: create, import, export, delete. Several are written together or not at all."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from ralph.app.tasks.files import TaskRules, exported_data, file_data, read_task, tasks_in
from ralph.app.tasks.roles import role_defaults
from ralph.app.tasks.specs import new_spec, refuse_needed, refuse_running
from ralph.app.tasks.text import json_text, parsed, yaml_text
from ralph.config.layers import load
from ralph.kernel.task_rules import check_dependencies, check_new_ids, in_order, shown, vague
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.interventions import edits_of_started
from ralph.store.projects import known_project, project_at
from ralph.store.sql import Sql, Store
from ralph.store.tasks import (
    add_spec,
    add_tasks,
    change,
    change_tasks,
    delete_tasks,
    get_spec,
    get_task,
    is_edited,
    specs_of,
    tasks_of,
)


class TaskExists(ConfigError):
    """The id of a new task already exists."""


class Imported(NamedTuple):
    tasks: list[Task]
    told: list[str]
    """What a person should know about it."""


def rules(project: Path, *, spec: str | None = None, without_criteria: bool = False) -> TaskRules:
    return TaskRules(role_defaults(load(project).settings), time.time(), spec, without_criteria)


def create_task(store: Store, project: Path, data: dict[str, Any], *, without_criteria: bool = False) -> Task:
    """Create a task. `data` is in the form of files."""
    task = read_task(data, f"task {shown(data['id'])[1:-1]}", rules(project, without_criteria=without_criteria))
    write_tasks(store, project, [task])
    return task


def import_tasks(
    store: Store,
    project: Path,
    text: str,
    name: str,
    *,
    spec: str | None = None,
    replace: bool = False,
    without_criteria: bool = False,
) -> Imported:
    """Import tasks. `name` says in an error where the text comes from. A missing spec is created."""
    tasks = tasks_in(parsed(text, name), name, rules(project, spec=spec, without_criteria=without_criteria))
    there = {task.id: task for task in tasks_of(store, project_at(store, project).id)}
    write_tasks(store, project, tasks, replace=replace, add_specs=True)
    moved = [(there[task.id], task) for task in tasks if task.id in there and there[task.id].spec_id != task.spec_id]
    return Imported(tasks, [f"task {new.id} moves from spec {old.spec_id} to {new.spec_id}" for old, new in moved])


def write_tasks(
    store: Store, project: Path, tasks: list[Task], *, replace: bool = False, add_specs: bool = False
) -> None:
    check_new_ids(tasks)
    name = project_at(store, project).id

    def writing() -> Sequence[Sql]:
        written = written_tasks(store, name, tasks, replace=replace)
        return [*_missing_specs(store, project, name, tasks, add=add_specs), *written]

    change(store, name, writing)


def written_tasks(store: Store, name: str, tasks: list[Task], *, replace: bool) -> list[Sql]:
    """The statements that add these tasks, or change existing ones. A ConfigError says why that is not possible."""
    there = {task.id: task for task in tasks_of(store, name)}
    again = [task for task in tasks if task.id in there]
    if again and not replace:
        raise TaskExists(
            f"there is a task {again[0].id} already.", "Change it: ralph task edit, or ralph task import --replace"
        )
    refuse_running(store, name, [task.id for task in again])
    check_dependencies({**there, **{task.id: task for task in tasks}}.values())
    new = [task for task in tasks if task.id not in there]
    # An edited task changes now, whatever date its file gives: trust in it depends on the time of a person's change.
    edited = [structs.replace(task, updated_at=time.time()) for task in again if is_edited(there[task.id], task)]
    ids = [task.id for task in edited]
    return [*add_tasks(name, new), *change_tasks(name, edited), *edits_of_started(store, name, ids)]


def remove_task(store: Store, project: Path, task_id: str) -> None:
    name = known_project(store, project)
    get_task(store, name, task_id)

    def removing() -> Sequence[Sql]:
        get_task(store, name, task_id)
        refuse_running(store, name, [task_id])
        refuse_needed(store, name, [task_id])
        return delete_tasks(name, [task_id])

    change(store, name, removing)


def export_text(store: Store, project: Path, ids: Sequence[str], spec: str | None, *, as_json: bool) -> str:
    """The text of these tasks, or of all of the spec or the project, in the order in which they run."""
    name = known_project(store, project)
    if spec is not None:
        get_spec(store, name, spec)
    listed = in_order(tasks_of(store, name, spec))
    tasks = [_one_of(listed, task_id, spec) for task_id in dict.fromkeys(ids)] if ids else listed
    if not tasks:
        raise ConfigError("there is no task to export.", "Create one: ralph task create --help")
    return (json_text if as_json else yaml_text)(file_data(tasks, exported_data))


def warnings_of(task: Task) -> list[str]:
    """The criteria that nobody could verify."""
    done = task.completion_spec
    if not done:
        return [f"task {task.id} has no criteria: verification steps and reviews alone will say when it is done"]
    named = [("the outcome", done.outcome), *(("a criterion", text) for text in done.judged)]
    return [f"task {task.id}: {what} is vague: {why}" for what, text in named if (why := vague(text))]


def _one_of(tasks: list[Task], task_id: str, spec: str | None) -> Task:
    for task in tasks:
        if task.id == task_id:
            return task
    where = f"spec {spec}" if spec else "this project"
    raise ConfigError(f"there is no task {shown(task_id)} in {where}.", "See the list: ralph task list")


def _missing_specs(store: Store, project: Path, name: str, tasks: Iterable[Task], *, add: bool) -> list[Sql]:
    known = {spec.id for spec in specs_of(store, name)}
    missing = [spec_id for spec_id in dict.fromkeys(task.spec_id for task in tasks) if spec_id not in known]
    if missing and not add:
        first = missing[0]
        raise ConfigError(f"there is no spec {first} in this project.", f"Create it: ralph spec create {first}")
    return [add_spec(name, new_spec(project, spec_id)) for spec_id in missing]
