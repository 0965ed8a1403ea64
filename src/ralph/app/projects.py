"""Projects: registered by their first use, moved, renamed, forgotten. Their files are never touched."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ralph.app.runs.gc import without_files
from ralph.git.moved import repair_worktrees
from ralph.git.repository import Repository
from ralph.model.errors import ConfigError
from ralph.model.projects import Contents, Project
from ralph.model.runs import ALIVE
from ralph.store.gc import remove_unreferenced_blobs, trees
from ralph.store.projects import (
    contents_of,
    find_project,
    forgetting,
    get_project,
    moving,
    project_at,
    projects_by_id,
    renaming,
    require_utf8,
)
from ralph.store.sql import Lost, Sql, Store
from ralph.store.tasks import specs_of
from ralph.workbench.bench import Workbench

ADD = "Add it: ralph project add"


class ProjectView(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    remote: str
    path: str
    """The path on this machine; empty if the project is not here."""
    is_there: bool
    """Whether there is a directory at that path."""
    created_at: float
    specs: tuple[str, ...]
    tasks: int
    runs: int


def list_projects(store: Store) -> Iterator[ProjectView]:
    """All projects, in the order of their ids."""
    for _, project in sorted(projects_by_id(store).items()):
        yield _view(store, project)


def open_project(store: Store, given: str | None, here: Path) -> ProjectView:
    return _view(store, named_project(store, given, here))


def named_project(store: Store, given: str | None, here: Path) -> Project:
    """The project by its id or by its directory; without a name the one in this directory."""
    if given is None:
        found = find_project(store, here)
        if found is None:
            raise ConfigError(f"{here} is not a project yet.", ADD)
        return found
    folder = (here / given).resolve()
    found = find_project(store, folder) if folder.is_dir() else None
    return found or get_project(store, given)


def add_project(store: Store, folder: Path, name: str | None) -> tuple[ProjectView, bool]:
    """Register the project. Return it, and whether it is new."""
    path = _directory(folder)
    _require_name(name)
    is_new = find_project(store, path) is None
    project = project_at(store, path)
    if name is not None:
        store.write(renaming(project.id, name))
    return _view(store, get_project(store, project.id)), is_new


async def edit_project(store: Store, project: Project, *, name: str | None, folder: Path | None) -> ProjectView:
    """Edit the project. A directory that has moved keeps its specs and runs."""
    _require_name(name)
    statements: list[Sql] = [renaming(project.id, name)] if name is not None else []
    path = None if folder is None else _directory(folder)
    if path is not None:
        _refuse_alive(store, project.id)
        statements += [*_making_room(store, project.id, path), *moving(project.id, path)]
    try:
        store.write(*statements, sync=True)
    except Lost:
        raise ConfigError(f"another process has just changed {project.id}.", "Look at it, and try again.") from None
    if path is not None:
        await repair_worktrees(Repository(Workbench(path, os.environ, "look")), path)
    return _view(store, get_project(store, project.id))


def remove_project(store: Store, project: Project) -> None:
    """Remove the project with its specs, tasks and runs. Its files, branches and settings stay."""
    _refuse_alive(store, project.id)
    found = trees(store, project.id)
    without_files(store, found)
    store.write(*forgetting(project.id), sync=True)
    remove_unreferenced_blobs(store)


def _view(store: Store, project: Project) -> ProjectView:
    found: Contents = contents_of(store, project.id)
    return ProjectView(
        id=project.id,
        name=project.name,
        remote=project.remote,
        path=project.path,
        is_there=bool(project.path) and Path(project.path).is_dir(),
        created_at=found.created_at,
        specs=tuple(spec.id for spec in specs_of(store, project.id)),
        tasks=found.tasks,
        runs=found.runs,
    )


def _directory(folder: Path) -> Path:
    # The path has the form of the current directory, so that a command in that directory finds the project.
    path = folder.resolve()
    require_utf8(path)
    if not path.is_dir():
        raise ConfigError(f"{path} is not a directory.", "Name the directory of the project.")
    return path


def _require_name(name: str | None) -> None:
    if name is not None and (not name.strip() or not name.isprintable()):
        raise ConfigError(f"the name {name!r} must be one line of text.", "Give another with --name.")


def _making_room(store: Store, project_id: str, path: Path) -> list[Sql]:
    """The statements that remove the empty project that ralph made if it was used in the new directory too early."""
    twin = find_project(store, path)
    if twin is None or twin.id == project_id:
        return []
    inside = contents_of(store, twin.id)
    if inside.specs or inside.runs:
        raise ConfigError(
            f"{path} is already the project {twin.id}, which has its own specs or runs.",
            f"Remove that one first: ralph project remove {twin.id}",
        )
    return forgetting(twin.id)


def _refuse_alive(store: Store, project_id: str) -> None:
    for tree in trees(store, project_id):
        if alive := [member.id for member in tree.members if member.status in ALIVE]:
            raise ConfigError(f"run {alive[0]} of {project_id} is active.", f"Stop it: ralph cancel {alive[0]}")
