"""Tasks from outside, fitted into the ids of this project."""

from collections.abc import Sequence
from pathlib import Path

from ralph.kernel.foreign_ids import Fitted, with_own_ids
from ralph.model.tasks import Task
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import tasks_of


def fitted(store: Store, project: Path, tasks: Sequence[Task]) -> Fitted:
    """The tasks under the ids that they get here, and which of them were renamed."""
    there = tasks_of(store, known_project(store, project))
    return with_own_ids(tasks, {task.id: task.spec_id for task in there})
