"""Specs: what is to be built, as a title, a Markdown file in the project, and tasks."""

import os
import re
import stat
import time
from pathlib import Path

from msgspec import Struct
from sqlalchemy import Connection

from ralph.app.task_text import read_text
from ralph.kernel.task_rules import check_id, in_order, shown
from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import Spec, Task
from ralph.store.database import connect, transaction
from ralph.store.files import cannot_write, is_utf8, write_new
from ralph.store.state_dir import StateDir
from ralph.store.tasks import (
    delete_spec,
    delete_tasks,
    find_spec,
    get_spec,
    put_spec,
    runs_under_way,
    specs_of,
    tasks_of,
)

FILE = "spec.md"
LONGEST_TITLE = 200
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


class SpecTasks(Struct, frozen=True):
    spec: Spec
    file: Path | None
    """Its text, if it has one."""
    tasks: list[Task]
    """In the order in which they run."""
    under_way: set[str]


def open_project(project: Path) -> tuple[Connection, str]:
    """The store, and the project's name in it."""
    if not is_utf8(project):
        raise ConfigError(f"the path {str(project)!a} is not UTF-8.", "Rename the directory.")
    return connect(), str(project)


def create_spec(project: Path, spec_id: str, title: str | None, source: str | None) -> Spec:
    check_id("spec", spec_id)
    connection, name = open_project(project)
    text = None if source is None else read_text(source, "a Markdown file")
    with transaction(connection, durable=True):
        if find_spec(connection, name, spec_id):
            raise ConfigError(f"there is a spec {spec_id} already.", f"See it: ralph spec show {spec_id}")
        if text is not None:
            _keep_text(project, spec_id, text)
        spec = new_spec(project, spec_id, title)
        put_spec(connection, name, spec)
    return spec


def new_spec(project: Path, spec_id: str, title: str | None = None) -> Spec:
    """Its title is what is given, or the first heading of its file, or its id."""
    now = time.time()
    return Spec(id=spec_id, title=_title(project, spec_id, title), created_at=now, updated_at=now)


def spec_file(project: Path, spec_id: str) -> Path:
    return StateDir(project).root / "specs" / spec_id / FILE


def specs(project: Path) -> list[SpecTasks]:
    connection, name = open_project(project)
    return [_with_tasks(connection, project, spec) for spec in specs_of(connection, name)]


def open_spec(project: Path, spec_id: str) -> SpecTasks:
    connection, name = open_project(project)
    return _with_tasks(connection, project, get_spec(connection, name, spec_id))


def remove_spec(project: Path, spec_id: str, *, with_tasks: bool) -> SpecTasks:
    """What was removed. The file stays: it is the project's."""
    connection, name = open_project(project)
    with transaction(connection, durable=True):
        found = _with_tasks(connection, project, get_spec(connection, name, spec_id))
        ids = [task.id for task in found.tasks]
        if ids and not with_tasks:
            raise ConfigError(
                f"spec {spec_id} has tasks: {', '.join(ids)}.", "Delete them first, or give --with-tasks."
            )
        refuse_running(connection, name, ids)
        refuse_needed(connection, name, ids)
        delete_tasks(connection, name, ids)
        delete_spec(connection, name, spec_id)
    return found


def refuse_running(connection: Connection, name: str, ids: list[str]) -> None:
    under_way = runs_under_way(connection, name)
    for task_id in ids:
        if run := under_way.get(task_id):
            raise ConfigError(f"task {task_id} is running (run {run}).", f"Wait for it, or stop it: ralph cancel {run}")


def refuse_needed(connection: Connection, name: str, ids: list[str]) -> None:
    """Tasks that others depend on cannot go."""
    for task_id in ids:
        others = [task.id for task in tasks_of(connection, name) if task_id in task.dependencies]
        if others := [each for each in others if each not in ids]:
            raise ConfigError(
                f"{', '.join(others)} depend{'s' if len(others) == 1 else ''} on task {task_id}.",
                f"Remove the dependency first: ralph task edit {others[0]}",
            )


def _with_tasks(connection: Connection, project: Path, spec: Spec) -> SpecTasks:
    tasks = in_order(tasks_of(connection, str(project), spec.id))
    file = spec_file(project, spec.id)
    return SpecTasks(spec, file if file.is_file() else None, tasks, set(runs_under_way(connection, str(project))))


def _title(project: Path, spec_id: str, given: str | None) -> str:
    if given is not None:
        if not given.strip() or not given.isprintable():
            raise ConfigError(f"the title {shown(given)} must be one line of text.", "Give another with --title.")
        return given
    file = spec_file(project, spec_id)
    heading = _HEADING.search(read_text(str(file), "a Markdown file")) if file.is_file() else None
    return heading[1][:LONGEST_TITLE] if heading and heading[1].isprintable() else spec_id


def _keep_text(project: Path, spec_id: str, text: str) -> None:
    file = spec_file(project, spec_id)
    StateDir(project).create()
    try:
        for directory in (file.parent.parent, file.parent):
            directory.mkdir(exist_ok=True)
            if stat.S_ISLNK(os.lstat(directory).st_mode):
                raise StateError(
                    f"{directory} has become a symbolic link.", "Remove it: ralph writes in its own folder."
                )
        if file.exists() and file.read_bytes() != text.encode():
            raise ConfigError(
                f"{file} exists, with another text.", "Leave out --file to take that one, or move it away."
            )
        write_new(file, text.encode())
    except OSError as error:
        raise cannot_write(file, error, "Make it writable.") from None
