"""The dependencies of a task: added and removed one by one. A cycle is refused and named in full."""

import time
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ralph.app.tasks.specs import refuse_running
from ralph.kernel.task_rules import check_dependencies, shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.interventions import edits_of_started
from ralph.store.projects import known_project
from ralph.store.sql import Sql, Store
from ralph.store.tasks import change, change_tasks, tasks_of


class Dependencies(Struct, frozen=True, rename="camel"):
    """The dependencies of a task now, and what was changed."""

    id: str
    dependencies: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


def change_dependencies(
    store: Store, project: Path, task_id: str, *, on: Sequence[str] = (), not_on: Sequence[str] = ()
) -> Dependencies:
    """Make all of the changes or none. An existing dependency stays, and does not count as added."""
    if both := [name for name in on if name in not_on]:
        raise ConfigError(f"{shown(both[0])} is named by both --on and --not-on.", "Name it once.")
    name = known_project(store, project)
    require_task(task_id, {task.id for task in tasks_of(store, name)})
    changed: list[Dependencies] = []

    def changing() -> Sequence[Sql]:
        by_id = {task.id: task for task in tasks_of(store, name)}
        for each in (task_id, *on, *not_on):
            require_task(each, by_id)
        before = by_id[task_id]
        result = _changed(before, on, not_on)
        changed[:] = [result]
        if not (result.added or result.removed):
            return []
        refuse_running(store, name, [task_id])
        after = replace(before, dependencies=result.dependencies, updated_at=time.time())
        check_dependencies({**by_id, task_id: after}.values())
        return [*change_tasks(name, [after]), *edits_of_started(store, name, [task_id])]

    change(store, name, changing)
    return changed[0]


def require_task(name: str, known: Collection[str]) -> None:
    """Raise a ConfigError for an id that no task of the project has, with the nearest existing one."""
    if name not in known:
        raise ConfigError(
            f"there is no task {shown(name)} in this project.", f"{did_you_mean(name, known)}See them: ralph task list"
        )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with the nearest of the known names; empty if none is near."""
    by_lower = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return f"Did you mean {by_lower[near[0]]}? " if near else ""


def _changed(task: Task, on: Sequence[str], not_on: Sequence[str]) -> Dependencies:
    if strangers := [name for name in not_on if name not in task.dependencies]:
        present = ", ".join(task.dependencies)
        hint = f"It depends on {present}." if present else "It depends on no task."
        raise ConfigError(f"task {task.id} does not depend on {strangers[0]}.", hint)
    added = tuple(name for name in dict.fromkeys(on) if name not in task.dependencies)
    kept = tuple(name for name in task.dependencies if name not in not_on)
    return Dependencies(task.id, kept + added, added, tuple(dict.fromkeys(not_on)))
