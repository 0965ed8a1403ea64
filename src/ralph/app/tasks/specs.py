"""Specs: what to build, as a title, a Markdown file in the project, and tasks."""

import os
import re
import stat
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ralph.app.tasks.listing import spec_file
from ralph.app.tasks.text import read_text
from ralph.kernel.task_rules import check_id, shown
from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import Spec
from ralph.store.files import cannot_write, folder_lock, write_new
from ralph.store.projects import known_project, project_at
from ralph.store.runs import runs_under_way
from ralph.store.sql import Sql, Store
from ralph.store.state_dir import StateDir
from ralph.store.tasks import add_spec, change, delete_spec, delete_tasks, find_spec, get_spec, tasks_of

LONGEST_TITLE = 200
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def create_spec(store: Store, project: Path, spec_id: str, title: str | None, text: str | None) -> Spec:
    """Create a spec. `text` is kept in the project; without one, an existing text is used."""
    check_id("spec", spec_id)
    name = project_at(store, project).id
    _refuse_known(store, name, spec_id)
    if text is None:
        return _add_spec(store, project, name, spec_id, title)
    with spec_folder(project, spec_id):
        _refuse_known(store, name, spec_id)
        is_new = keep_text(spec_file(project, spec_id), text.encode())
        try:
            return _add_spec(store, project, name, spec_id, title)
        except BaseException:
            # A text without its spec would block the next one.
            if is_new:
                spec_file(project, spec_id).unlink(missing_ok=True)
            raise


def _add_spec(store: Store, project: Path, name: str, spec_id: str, title: str | None) -> Spec:
    spec = new_spec(project, spec_id, title)

    def adding() -> Sequence[Sql]:
        _refuse_known(store, name, spec_id)
        return [add_spec(name, spec)]

    change(store, name, adding)
    return spec


def new_spec(project: Path, spec_id: str, title: str | None = None) -> Spec:
    """A spec whose title is the given one, or the first heading of its file, or its id."""
    now = time.time()
    return Spec(id=spec_id, title=_title(project, spec_id, title), created_at=now, updated_at=now)


def remove_spec(store: Store, project: Path, spec_id: str, *, with_tasks: bool) -> list[str]:
    """Remove the spec, and return the ids of the tasks that went with it. Runs and files are removed separately."""
    name = known_project(store, project)
    get_spec(store, name, spec_id)
    ids: list[str] = []

    def removing() -> Sequence[Sql]:
        get_spec(store, name, spec_id)
        ids[:] = removable_tasks(store, name, spec_id, with_tasks=with_tasks)
        return [*delete_tasks(name, ids), delete_spec(name, spec_id)]

    change(store, name, removing)
    return ids


def removable_tasks(store: Store, name: str, spec_id: str, *, with_tasks: bool) -> list[str]:
    """The tasks to remove with a spec. It raises a ConfigError if the spec must not be removed."""
    ids = [task.id for task in tasks_of(store, name, spec_id)]
    if ids and not with_tasks:
        raise ConfigError(f"spec {spec_id} has tasks: {', '.join(ids)}.", "Delete them first, or give --with-tasks.")
    refuse_running(store, name, ids)
    refuse_needed(store, name, ids)
    return ids


def refuse_running(store: Store, name: str, ids: Sequence[str]) -> None:
    under_way = runs_under_way(store, name) if ids else {}
    for task_id in ids:
        if run := under_way.get(task_id):
            raise ConfigError(f"task {task_id} is running (run {run}).", f"Wait for it, or stop it: ralph cancel {run}")


def refuse_needed(store: Store, name: str, ids: Sequence[str]) -> None:
    """Refuse to remove tasks that others depend on."""
    staying = [task for task in tasks_of(store, name) if task.id not in ids]
    for task_id in ids:
        if others := [task.id for task in staying if task_id in task.dependencies]:
            raise ConfigError(
                f"{', '.join(others)} depend{'s' if len(others) == 1 else ''} on task {task_id}.",
                f"Remove the dependency first: ralph task edit {others[0]}",
            )


def _refuse_known(store: Store, name: str, spec_id: str) -> None:
    if find_spec(store, name, spec_id):
        raise ConfigError(f"there is a spec {spec_id} already.", f"See it: ralph spec show {spec_id}")


def _title(project: Path, spec_id: str, given: str | None) -> str:
    if given is not None:
        if not given.strip() or not given.isprintable():
            raise ConfigError(f"the title {shown(given)} must be one line of text.", "Give another with --title.")
        return given
    file = spec_file(project, spec_id)
    heading = _HEADING.search(read_text(str(file), "a Markdown file")) if file.is_file() else None
    return heading[1][:LONGEST_TITLE] if heading and heading[1].isprintable() else spec_id


@contextmanager
def spec_folder(project: Path, spec_id: str) -> Generator[None]:
    """Create the spec's folder if it is missing, and lock it inside the block: of several processes that write a text,
    only one is first.
    """
    folder = spec_file(project, spec_id).parent
    StateDir(project).create()
    try:
        for directory in (folder.parent, folder):
            directory.mkdir(exist_ok=True)
            if stat.S_ISLNK(os.lstat(directory).st_mode):
                raise StateError(
                    f"{directory} has become a symbolic link.", "Remove it: ralph writes in its own folder."
                )
    except OSError as error:
        raise cannot_write(folder, error, "Make it writable.") from None
    with folder_lock(folder):
        yield


def keep_text(file: Path, data: bytes) -> bool:
    """Keep the text. Returns whether the file was created. An existing file with another text is never overwritten."""
    try:
        if not file.exists():
            write_new(file, data)
            return True
        if file.read_bytes() == data:
            return False
    except OSError as error:
        raise cannot_write(file, error, "Make it writable.") from None
    raise ConfigError(f"{file} exists, with another text.", "Leave out --file to take that one, or move it away.")
