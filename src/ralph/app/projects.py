"""Projects: shown, named and registered. `project_changes` changes them."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ralph.model.errors import ConfigError
from ralph.model.projects import Contents, Project
from ralph.store.projects import (
    contents_of,
    find_project,
    get_project,
    project_at,
    projects_by_id,
    renaming,
    require_utf8,
)
from ralph.store.sql import Store
from ralph.store.tasks import specs_of

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
        yield view_of(store, project)


def open_project(store: Store, given: str | None, here: Path) -> ProjectView:
    return view_of(store, named_project(store, given, here))


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
    path = existing_directory(folder)
    require_name(name)
    is_new = find_project(store, path) is None
    project = project_at(store, path)
    if name is not None:
        store.write(renaming(project.id, name))
    return view_of(store, get_project(store, project.id)), is_new


def view_of(store: Store, project: Project) -> ProjectView:
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


def existing_directory(folder: Path) -> Path:
    # The path has the form of the current directory, so that a command in that directory finds the project.
    path = folder.resolve()
    require_utf8(path)
    if not path.is_dir():
        raise ConfigError(f"{path} is not a directory.", "Name the directory of the project.")
    return path


def require_name(name: str | None) -> None:
    if name is not None and (not name.strip() or not name.isprintable()):
        raise ConfigError(f"the name {name!r} must be one line of text.", "Give another with --name.")
