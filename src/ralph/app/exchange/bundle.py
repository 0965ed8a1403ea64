"""A spec with its text and its tasks, written together or not at all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.app.exchange.plan import origin_of
from ralph.app.tasks.listing import spec_file
from ralph.app.tasks.specs import keep_text, new_spec, refuse_running, spec_folder
from ralph.app.tasks.tasks import written_tasks
from ralph.kernel.foreign_ids import with_own_ids
from ralph.kernel.task_rules import check_new_ids
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.projects import project_at
from ralph.store.sql import Sql, Store
from ralph.store.tasks import add_spec, change, change_spec_config, find_spec, restate_tasks, tasks_of


class Bundle(Struct, kw_only=True):
    """What must be written."""

    spec: str
    title: str
    text: str | None
    config: dict[str, Any] | None
    """The overrides of the spec; None means that the existing ones stay."""
    tasks: list[Task]


class Kept(Struct, frozen=True):
    """What was written."""

    tasks: tuple[Task, ...]
    renamed: dict[str, str]
    """The new ids of tasks whose id another spec already has."""
    reopened: tuple[str, ...] = ()
    """Tasks that were done, and whose text has changed."""
    gone: tuple[str, ...] = ()
    """Tasks of the spec that the source does not have any more."""
    notes: tuple[str, ...] = ()


def keep(store: Store, project: Path, bundle: Bundle, *, replace_spec: bool) -> Kept:
    """Write the bundle. An existing spec is changed only with `replace_spec`; its text always stays."""
    name = project_at(store, project).id
    kept: list[Kept] = []

    def writing() -> Sequence[Sql]:
        statements, result = _statements(store, project, name, bundle, replace_spec=replace_spec)
        kept[:] = [result]
        return statements

    if bundle.text is None:
        change(store, name, writing)
        return kept[0]
    with spec_folder(project, bundle.spec):
        file = spec_file(project, bundle.spec)
        is_new, notes = _text(file, bundle.text.encode(), project, is_replacing=replace_spec)
        try:
            change(store, name, writing)
        except BaseException:
            # A text without its spec would block the next one.
            if is_new:
                file.unlink(missing_ok=True)
            raise
    return replace(kept[0], notes=notes)


def _text(file: Path, data: bytes, project: Path, *, is_replacing: bool) -> tuple[bool, tuple[str, ...]]:
    try:
        return keep_text(file, data), ()
    except ConfigError:
        if not is_replacing:
            raise
    return False, (f"{file.relative_to(project)} differs from the source: it stays as it is",)


def _statements(
    store: Store, project: Path, name: str, bundle: Bundle, *, replace_spec: bool
) -> tuple[list[Sql], Kept]:
    there = find_spec(store, name, bundle.spec)
    if there and not replace_spec:
        raise ConfigError(
            f"the spec {bundle.spec} exists already.",
            f"Update it with --replace, or give another id: --spec {bundle.spec}-2",
        )
    everything = tasks_of(store, name)
    own = {task.id: task for task in everything if task.spec_id == bundle.spec}
    tasks, renamed = _under_free_ids(bundle, everything)
    reopened = [task.id for task in tasks if task.id in own and _reads_differently(own[task.id], task)]
    gone = tuple(each for each in own if origin_of(own[each]) and each not in {task.id for task in tasks})
    refuse_running(store, name, [task.id for task in tasks if task.id in own])
    spec = new_spec(project, bundle.spec, bundle.title)
    statements = [
        *([] if there else [add_spec(name, spec)]),
        *([change_spec_config(name, bundle.spec, bundle.config)] if bundle.config is not None else []),
        *written_tasks(store, name, tasks, replace=True),
        *restate_tasks(name, reopened, "pending"),
        *restate_tasks(name, [task.id for task in tasks if _was_closed(own.get(task.id), task)], "skipped"),
    ]
    return statements, Kept(tuple(tasks), renamed, tuple(reopened), gone)


def _under_free_ids(bundle: Bundle, everything: Sequence[Task]) -> tuple[list[Task], dict[str, str]]:
    """The tasks under the ids that they have, or get, in this project."""
    known = _known_ids(bundle, everything)
    tasks = [
        replace(
            task,
            id=known.get(task.id, task.id),
            dependencies=tuple(known.get(each, each) for each in task.dependencies),
        )
        for task in bundle.tasks
    ]
    check_new_ids(tasks)
    fitted = with_own_ids(tasks, {task.id: task.spec_id for task in everything}).tasks
    names = zip((task.id for task in bundle.tasks), (task.id for task in fitted), strict=True)
    return fitted, {old: new for old, new in names if old != new}


def _known_ids(bundle: Bundle, everything: Sequence[Task]) -> dict[str, str]:
    """The ids under which an earlier import of the same source added these tasks."""
    there = {_identity(task): task.id for task in everything if task.spec_id == bundle.spec and origin_of(task)}
    return {task.id: there[_identity(task)] for task in bundle.tasks if origin_of(task) and _identity(task) in there}


def _identity(task: Task) -> tuple[str, str, str, str]:
    origin = origin_of(task)
    assert origin  # noqa: S101 - asked for tasks that have one
    return origin.format, origin.source, origin.part, origin.id


def _reads_differently(before: Task, now: Task) -> bool:
    """Whether the task was completed, and its text in the source has changed since then."""
    old, new = origin_of(before), origin_of(now)
    return bool(before.status == "completed" and old and new and old.fingerprint != new.fingerprint)


def _was_closed(before: Task | None, now: Task) -> bool:
    """Whether the task was open here, and its source now says that it is done."""
    return before is not None and now.status == "skipped" and before.status in ("pending", "failed")
