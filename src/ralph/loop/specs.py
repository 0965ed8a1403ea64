"""Performing the actions of a whole spec: look at its branch, and add a task to it."""

import time
from collections.abc import Sequence
from pathlib import Path

from ralph.kernel.actions.specs import AddedTask, AddFixingTask, Branch, LookAtBranch
from ralph.kernel.foreign_ids import own_id
from ralph.kernel.stage_text import TaskText
from ralph.loop.context import Attempt
from ralph.model.errors import StateError
from ralph.model.tasks import BRANCHES, DONE, Spec, Task
from ralph.store.spec_files import read_spec_file
from ralph.store.sql import Sql
from ralph.store.tasks import add_tasks, change, get_spec, tasks_of

FILE = "spec.md"
LARGEST = 4_000_000
LONGEST = 20_000
"""How many characters of the spec's text a reviewer is shown."""
FIXING = "FINAL"
MADE_BY = "finalReview"
"""The metadata key of a task for the round and the run that made it."""


async def look_at_branch(action: LookAtBranch, attempt: Attempt) -> Branch:
    run = attempt.run
    spec = get_spec(run.store, run.project_id, action.spec)
    tasks = tasks_of(run.store, run.project_id, action.spec)
    about = whole_spec(run.project, spec, tasks)
    repository = attempt.repository(run.project)
    tip = await repository.commit_at(f"refs/heads/{BRANCHES}{spec.id}")
    if not tip:
        return Branch(about)
    base = await repository.merge_base(action.start, tip)
    if not base:
        raise StateError(f"{BRANCHES}{spec.id} and {action.start} have no commit in common.", "Start the spec again.")
    return Branch(about, base, tip, tuple(each.id for each in tasks if each.status not in DONE))


def whole_spec(project: Path, spec: Spec, tasks: Sequence[Task]) -> TaskText:
    """The text for a reviewer of the whole branch: that of the spec, and its tasks."""
    return TaskText(spec.id, spec.title, _text(project, spec.id), acceptance=tuple(each.title for each in tasks))


async def add_fixing_task(action: AddFixingTask, attempt: Attempt) -> AddedTask:
    """Add the task. Repeated after a kill, it finds the task that it made."""
    run = attempt.run
    mark = f"{run.run_id}/{action.iteration}"
    made: list[str] = []

    def adding() -> Sequence[Sql]:
        everything = tasks_of(run.store, run.project_id)
        made[:] = [each.id for each in everything if each.metadata.get(MADE_BY) == mark]
        if made:
            return []
        made.append(_free_id(action.spec, everything))
        now = time.time()
        task = Task(
            id=made[0],
            spec_id=action.spec,
            title=action.task_title,
            description=action.description,
            relevant_files=action.relevant_files,
            metadata={MADE_BY: mark},
            created_at=now,
            updated_at=now,
        )
        return add_tasks(run.project_id, [task])

    change(run.store, run.project_id, adding)
    return AddedTask(made[0])


def _free_id(spec: str, everything: Sequence[Task]) -> str:
    """The next free number of this spec."""
    taken = {task.id: task.spec_id for task in everything}
    number = 1
    while taken.get(name := own_id(spec, f"{FIXING}-{number}", taken)) == spec:
        number += 1
    return name


def _text(project: Path, spec: str) -> str:
    """The beginning of the spec's own text; empty if it has none."""
    text = (read_spec_file(project, spec, FILE, most=LARGEST) or b"").decode(errors="replace")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[...]"
