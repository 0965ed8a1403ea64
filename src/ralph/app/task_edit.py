"""A task as a text in somebody's editor, and back."""

from pathlib import Path

from ralph.app.task_files import file_data, tasks_in
from ralph.app.task_text import parsed, yaml_text
from ralph.app.tasks import rules, write_tasks
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task


def editable(task: Task) -> str:
    return yaml_text(file_data([task]))


def save_edited(project: Path, task: Task, text: str) -> Task | None:
    """The task as it is now, or None if nothing changed. `task` is as it was before."""
    if text == editable(task):
        return None
    # One that never had criteria may go on without them.
    fits = rules(project, spec=task.spec_id, without_criteria=task.completion_spec is None)
    edited = tasks_in(parsed(text, "the edited text"), "the edited text", fits)
    if len(edited) != 1 or edited[0].id != task.id:
        ids = ", ".join(each.id for each in edited)
        raise ConfigError(
            f"the edited text holds {ids} instead of {task.id}: an id cannot be changed.",
            "Use ralph task create or ralph task import for another task.",
        )
    write_tasks(project, edited, replace=True)
    return edited[0]
