"""Performing the actions of planning a spec: its text and its tasks are written."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from ralph.kernel.actions.spec_plan import WriteChunks, WriteSpecText, WrittenTasks, WrittenText
from ralph.kernel.chunk_draft import chunk_tasks, chunks_in
from ralph.kernel.foreign_ids import Fitted, with_own_ids
from ralph.kernel.spec_text import without_answers
from ralph.kernel.task_rules import check_dependencies, check_new_ids
from ralph.loop.context import Attempt
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.spec_files import TEXT, read_spec_file, write_spec_file
from ralph.store.sql import Sql
from ralph.store.tasks import add_tasks, change, change_tasks, get_spec, tasks_of

LARGEST = 4_000_000


async def write_spec_text(action: WriteSpecText, attempt: Attempt) -> WrittenText:
    """Write the text. A previous text that is worth keeping stays beside it, under a number that is not used again."""
    project = attempt.run.project
    before = _text(project, action.spec)
    there = before.decode("utf-8-sig", errors="replace")
    if there == action.text:
        return WrittenText()
    is_expected = without_answers(there).strip() == without_answers(action.expected).strip()
    kept = _keep(project, action.spec, before) if there.strip() and (action.is_kept or not is_expected) else ""
    write_spec_file(project, action.spec, TEXT, action.text.encode(errors="replace"))
    return WrittenText(kept)


async def write_chunks(action: WriteChunks, attempt: Attempt) -> WrittenTasks:
    """Write all tasks or none. If a task has begun meanwhile, it is left alone, and nothing is written."""
    run = attempt.run
    get_spec(run.store, run.project_id, action.spec)
    done: list[WrittenTasks] = []

    def writing() -> Sequence[Sql]:
        everything = {task.id: task for task in tasks_of(run.store, run.project_id)}
        fitted = _tasks(action, everything)
        again = [task for task in fitted.tasks if task.id in everything]
        if begun := [task.id for task in again if everything[task.id].status != "pending"]:
            raise ConfigError(
                f"{', '.join(begun)} {'has' if len(begun) == 1 else 'have'} started meanwhile.",
                f"Plan again: ralph spec plan {action.spec}",
            )
        check_new_ids(fitted.tasks)
        check_dependencies({**everything, **{task.id: task for task in fitted.tasks}}.values())
        new = [task for task in fitted.tasks if task.id not in everything]
        ids = {task.id for task in fitted.tasks}
        kept = [task.id for task in everything.values() if task.spec_id == action.spec and task.id not in ids]
        added, changed = tuple(each.id for each in new), tuple(each.id for each in again)
        done[:] = [WrittenTasks(added, changed, tuple(kept), tuple(map(str, fitted.renamed)))]
        return [*add_tasks(run.project_id, new), *change_tasks(run.project_id, again)]

    change(run.store, run.project_id, writing)
    return done[0]


def _tasks(action: WriteChunks, everything: dict[str, Task]) -> Fitted:
    first = 1 + max((task.priority for task in everything.values() if task.spec_id == action.spec), default=0)
    try:
        made = chunk_tasks(action.spec, chunks_in(action.chunks), action.roles, first=first, now=time.time())
    except ValueError as error:
        raise ConfigError(
            f"the chunks cannot be written: {error}.", f"Plan again: ralph spec plan {action.spec}"
        ) from None
    return with_own_ids(made, {task.id: task.spec_id for task in everything.values()})


def _text(project: Path, spec: str) -> bytes:
    """The text of the spec; empty if there is none."""
    found = read_spec_file(project, spec, TEXT, most=LARGEST)
    if found is None and os.path.lexists(project / ".ralph/specs" / spec / TEXT):
        raise ConfigError(f"the text of {spec} is not a plain file, or it is too large.", "Move it away.")
    return found or b""


def _keep(project: Path, spec: str, text: bytes) -> str:
    number = 1
    while os.path.lexists(project / ".ralph/specs" / spec / f"spec.{number}.md"):
        number += 1
    write_spec_file(project, spec, f"spec.{number}.md", text)
    return f".ralph/specs/{spec}/spec.{number}.md"
