"""A task as a text in an editor, and back."""

from pathlib import Path

from ralph.app.tasks.files import file_data, tasks_in
from ralph.app.tasks.specs import refuse_running
from ralph.app.tasks.tasks import rules, write_tasks
from ralph.app.tasks.text import parsed, yaml_text
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_task


def task_to_edit(store: Store, project: Path, task_id: str) -> Task:
    """The task to edit; nobody may be working on it."""
    name = known_project(store, project)
    task = get_task(store, name, task_id)
    refuse_running(store, name, [task.id])
    return task


def editable(task: Task) -> str:
    return yaml_text(file_data([task]))


def save_edited(store: Store, project: Path, task: Task, text: str) -> Task | None:
    """Save the edited text of a task. Return the changed task; None if nothing changed. `task` is the task before."""
    if text == editable(task):
        return None
    # A task that never had criteria may stay without them.
    fits = rules(project, spec=task.spec_id, without_criteria=task.completion_spec is None)
    edited = tasks_in(parsed(text, "the edited text"), "the edited text", fits)
    if len(edited) != 1 or edited[0].id != task.id:
        ids = ", ".join(each.id for each in edited)
        raise ConfigError(
            f"the edited text holds {ids} instead of {task.id}: an id cannot be changed.",
            "Use ralph task create or ralph task import for another task.",
        )
    write_tasks(store, project, edited, replace=True)
    return edited[0]
