"""What a person names: a task, a commit, or a run."""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from ralph.git.repository import Repository
from ralph.git.subjects import commit_of_task, named_commit
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.journal import rows_of
from ralph.store.projects import known_project
from ralph.store.runs import runs_of_task
from ralph.store.sql import Store
from ralph.store.tasks import get_task
from ralph.workbench.bench import Workbench

DELIVERED = "deliver-work"


class Subject(NamedTuple):
    commit: str
    name: str
    """The name as the user gave it."""
    task: Task | None = None


def repository_at(project: Path) -> Repository:
    return Repository(Workbench(project, os.environ, "look"))


async def named_subject(store: Store, project: Path, name: str) -> Subject:
    """The delivered commit of that task, or the commit of that name."""
    repository = repository_at(project)
    await repository.require()
    task = find_task(store, project, name)
    if task:
        commit = _delivered(store, known_project(store, project), task.id) or await commit_of_task(repository, task.id)
        if not commit:
            raise ConfigError(
                f"task {task.id} has no commit yet: nothing of it was delivered.", f"Run it: ralph task run {task.id}"
            )
        return Subject(commit, task.id, task)
    commit = await named_commit(repository, name) or await commit_of_task(repository, name)
    if not commit:
        raise ConfigError(
            f"there is no task and no commit {name!r} here.", "See what there is: ralph task list, git log"
        )
    return Subject(commit, name)


def find_task(store: Store, project: Path, name: str) -> Task | None:
    try:
        return get_task(store, known_project(store, project), name)
    except ConfigError:
        return None


def _delivered(store: Store, project: str, task: str) -> str:
    """The commit that the latest run of the task delivered to its spec's branch."""
    for run in reversed(runs_of_task(store, project, task)):
        for row in reversed(rows_of(store, run.id)):
            if row.what == "ended" and row.name.kind == DELIVERED:
                commit: str = msgspec.json.decode(row.body).get("commit", "")
                if commit:
                    return commit
    return ""
