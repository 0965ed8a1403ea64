"""Projects in the store: found by host and path, and identified by an id that stays the same."""

import os
import re
import time
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from ralph.model.errors import ConfigError
from ralph.model.projects import Contents, Located, Project
from ralph.store.files import is_utf8
from ralph.store.owner import host
from ralph.store.sql import Lost, Sql, Store

LONGEST = 40
TRIES = 100
_ADD = "INSERT INTO projects (id, name, remote, created_at) VALUES (:id, :name, :remote, :now)"
_PLACE = "INSERT INTO project_places (host, path, project_id) VALUES (:host, :path, :id)"
_WITH_PLACE = """SELECT projects.id, name, remote, coalesce(path, '') AS path FROM projects
    LEFT JOIN project_places ON project_id = projects.id AND host = :host"""


def known_project(store: Store, path: Path) -> str:
    """The id of the project in this directory; empty for a directory in which nobody has worked, which has no tasks."""
    require_utf8(path)
    found = find_project(store, path)
    return found.id if found else ""


def project_at(store: Store, path: Path) -> Project:
    """The project in this directory. An unknown one is added."""
    require_utf8(path)
    for _ in range(TRIES):
        if found := find_project(store, path):
            return found
        try:
            _add(store, path)
        except Lost:
            continue  # Another process has added it, or one of the same name.
    raise ConfigError(f"no id is free for the project {path}.", "Rename the directory.")


def find_project(store: Store, path: Path) -> Project | None:
    """The project in this directory, if it is known."""
    if not is_utf8(path):
        return None
    rows = store.read(f"{_WITH_PLACE} WHERE path = :path", host=host(), path=str(path))
    return Project(**rows[0]) if rows else None


def get_project(store: Store, project_id: str) -> Project:
    rows = store.read(f"{_WITH_PLACE} WHERE projects.id = :id ORDER BY path", host=host(), id=project_id)
    if not rows:
        raise ConfigError(f"there is no project {project_id!r}.", "See the list: ralph project list")
    return Project(**rows[0])


def projects_by_id(store: Store) -> dict[str, Project]:
    return {row["id"]: Project(**row) for row in store.read(f"{_WITH_PLACE} ORDER BY path DESC", host=host())}


def contents_of(store: Store, project_id: str) -> Contents:
    [row] = store.read(
        """SELECT created_at, (SELECT count(*) FROM specs WHERE project_id = projects.id) AS specs,
            (SELECT count(*) FROM tasks WHERE project_id = projects.id) AS tasks,
            (SELECT count(*) FROM runs WHERE project_id = projects.id AND is_part = 0) AS runs
            FROM projects WHERE id = :id""",
        id=project_id,
    )
    return Contents(**row)


def renaming(project_id: str, name: str) -> Sql:
    return Sql("UPDATE projects SET name = :name WHERE id = :id", {"name": name, "id": project_id}, must=1)


def moving(project_id: str, path: Path) -> list[Sql]:
    """The statements for a project that is at this path on this machine now."""
    return [
        Sql("DELETE FROM project_places WHERE project_id = :id AND host = :host", {"id": project_id, "host": host()}),
        Sql(_PLACE, {"host": host(), "path": str(path), "id": project_id}),
        Sql(
            "UPDATE projects SET remote = :remote WHERE id = :id", {"remote": remote_of(path), "id": project_id}, must=1
        ),
    ]


def forgetting(project_id: str) -> list[Sql]:
    """The statements that remove a project with its specs and tasks. Its runs stay."""
    tables = ("tasks", "specs")
    below = [Sql(f"DELETE FROM {each} WHERE project_id = :id", {"id": project_id}) for each in tables]  # noqa: S608 - names of tables
    return [*below, Sql("DELETE FROM projects WHERE id = :id", {"id": project_id}, must=1)]


def folder_of(store: Store, project_id: str) -> Path:
    """The project's folder on this machine."""
    project = get_project(store, project_id)
    if not project.path:
        raise ConfigError(
            f"the project {project_id} is not on this machine.", "Run ralph in a clone of it, then try again."
        )
    return Path(project.path)


def standing_folder(store: Store, project_id: str) -> Path:
    """The project's folder, for code that writes in it: one that was moved must not be created at its old place."""
    folder = folder_of(store, project_id)
    if not folder.is_dir():
        raise ConfigError(
            f"{folder}, the folder of the project {project_id}, is gone.",
            f"If it was moved, say where it is now: ralph project edit {project_id} --path DIR",
        )
    return folder


def require_utf8(path: Path) -> None:
    if not is_utf8(path):
        # The database could not distinguish it from another.
        raise ConfigError(f"the path {str(path)!a} is not UTF-8.", "Rename the directory.")


def located(project: Path, path: Path) -> Located:
    """A path in the form that is stored: relative to the project if it is inside, and otherwise with this host's
    name.
    """
    absolute = Path(os.path.normpath(project / path))
    if absolute.is_relative_to(project):
        return Located(str(absolute.relative_to(project)))
    return Located(str(absolute), host())


@lru_cache(maxsize=16)
def resolved(project: Path, place: Located) -> Path:
    """The place on this machine. The last few are kept: every iteration asks for the same ones."""
    if place.host and place.host != host():
        raise ConfigError(f"{place.path} is on {place.host}, and this is {host()}.", f"Continue on {place.host}.")
    return project / place.path


def _add(store: Store, path: Path) -> None:
    remote = remote_of(path)
    values = {"host": host(), "path": str(path)}
    if moved := _without_place(store, remote):
        store.write(Sql(_PLACE, {**values, "id": moved}))
        return
    new = {"id": _free_id(store, path.name), "name": path.name, "remote": remote, "now": time.time()}
    store.write(Sql(_ADD, new), Sql(_PLACE, {**values, "id": new["id"]}))


def _without_place(store: Store, remote: str) -> str:
    """The one project with this remote that has no path on this machine, if there is exactly one."""
    if not remote:
        return ""
    rows = store.read(
        """SELECT id FROM projects WHERE remote = :remote AND NOT EXISTS (
            SELECT 1 FROM project_places WHERE project_id = projects.id AND host = :host) LIMIT 2""",
        remote=remote,
        host=host(),
    )
    return rows[0]["id"] if len(rows) == 1 else ""


def _free_id(store: Store, name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST].strip("-") or "project"
    taken = {
        row["id"]
        for row in store.read("SELECT id FROM projects WHERE id = :id OR id LIKE :more", id=slug, more=f"{slug}-%")
    }
    number, chosen = 1, slug
    while chosen in taken:
        number += 1
        chosen = f"{slug}-{number}"
    return chosen


def remote_of(path: Path) -> str:
    """The URL of `origin`, read from git's own file: a look at the project starts no program."""
    for folder in (path, *path.parents):
        config = folder / ".git" / "config"
        if config.is_file():
            inside = "" if folder == path else f"#{path.relative_to(folder)}"
            address = _origin(config)
            return f"{address}{inside}" if address else ""
    return ""


def _origin(config: Path) -> str:
    try:
        text = config.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    section = re.search(r'^\[remote "origin"\]\n((?:[^\[].*\n?)*)', text, re.MULTILINE)
    address = re.search(r"^\s*url\s*=\s*(.+?)\s*$", section[1], re.MULTILINE) if section else None
    return without_credentials(address[1]) if address else ""


def without_credentials(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if not parts.scheme or "@" not in parts.netloc:
        return address
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
