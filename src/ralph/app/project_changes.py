"""Moves, renames and removes projects. Their files are never touched."""

import os
from pathlib import Path

from ralph.app.projects import ProjectView, existing_directory, require_name, view_of
from ralph.app.runs.gc import without_files
from ralph.git.moved import repair_worktrees
from ralph.git.repository import Repository
from ralph.model.errors import ConfigError
from ralph.model.projects import Project
from ralph.model.runs import ALIVE
from ralph.store.gc import remove_unreferenced_blobs, trees
from ralph.store.projects import contents_of, find_project, forgetting, get_project, moving, renaming
from ralph.store.sql import Lost, Sql, Store
from ralph.workbench.bench import Workbench


async def edit_project(store: Store, project: Project, *, name: str | None, folder: Path | None) -> ProjectView:
    """Edit the project. A directory that has moved keeps its specs and runs."""
    require_name(name)
    statements: list[Sql] = [renaming(project.id, name)] if name is not None else []
    path = None if folder is None else existing_directory(folder)
    if path is not None:
        _refuse_alive(store, project.id)
        statements += [*_making_room(store, project.id, path), *moving(project.id, path)]
    try:
        store.write(*statements, sync=True)
    except Lost:
        raise ConfigError(f"another process has just changed {project.id}.", "Look at it, and try again.") from None
    if path is not None:
        await repair_worktrees(Repository(Workbench(path, os.environ, "look")), path)
    return view_of(store, get_project(store, project.id))


def remove_project(store: Store, project: Project) -> None:
    """Remove the project with its specs, tasks and runs. Its files, branches and settings stay."""
    _refuse_alive(store, project.id)
    found = trees(store, project.id)
    without_files(store, found)
    store.write(*forgetting(project.id), sync=True)
    remove_unreferenced_blobs(store)


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
