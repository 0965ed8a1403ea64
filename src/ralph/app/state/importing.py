"""Imports a spec, its tasks and their history from the state directory: the past, never the present state.

Nothing in a file makes a task completed. Only a commit with its trailer on the spec's branch does.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.app.state.definitions import FILE, LARGEST, digest_of
from ralph.app.state.files import UNREADABLE, AttemptFound, attempts_found, rounds_found, specs_found
from ralph.app.state.past import Past, Restored, summary_in
from ralph.app.tasks.files import PROGRESS, read_task
from ralph.app.tasks.overrides import check_overrides
from ralph.app.tasks.shapes import in_snake_case
from ralph.app.tasks.specs import new_spec
from ralph.app.tasks.tasks import rules, written_tasks
from ralph.app.usable import load_usable
from ralph.git.checkout import look_if_any
from ralph.git.command import Git
from ralph.git.delivered import delivered_tasks
from ralph.git.repository import Repository
from ralph.kernel.task_rules import check_id, check_new_ids
from ralph.model.errors import ConfigError
from ralph.model.tasks import BRANCHES, Task
from ralph.store.projects import project_at
from ralph.store.spec_files import read_spec_file
from ralph.store.sql import Sql, Store
from ralph.store.tasks import add_spec, change, change_spec_config, definitions_are, find_spec, tasks_of
from ralph.workbench.bench import Workbench


class Imported(Struct, frozen=True, rename="camel"):
    spec: str
    tasks: tuple[str, ...]
    completed: tuple[str, ...] = ()
    """The tasks whose commit is on the spec's branch."""
    attempts: int = 0
    rounds: int = 0
    """The number of reviews of the whole branch."""
    renamed: dict[str, str] = {}
    """The tasks whose id another spec already has: here the spec's id is put before it."""
    problems: tuple[str, ...] = ()


class _SpecPart(Struct):
    id: str
    title: str = ""


class _File(Struct):
    spec: _SpecPart
    chunks: list[dict[str, Any]]
    config: dict[str, Any] = {}


class _Found(NamedTuple):
    """What the files and the branch say about one spec."""

    spec: str
    file: _File
    digest: str
    attempts: list[AttemptFound]
    rounds: list[AttemptFound]
    delivered: frozenset[str]
    """The delivered tasks, by their ids in the file."""


async def import_state(store: Store, project: Path, specs: Sequence[str]) -> list[Imported]:
    """Import these specs, or all that are found. Everything is written together, or nothing is."""
    names = list(dict.fromkeys(specs)) or [each for each in specs_found(project) if _has_definitions(project, each)]
    if not names:
        raise ConfigError(
            "there is no spec with a chunks.json below .ralph/specs.",
            "Write one from the database: ralph state export SPEC",
        )
    found = [await _found(project, each) for each in names]
    name = project_at(store, project).id
    done: list[Imported] = []

    def writing() -> Sequence[Sql]:
        plan = _Import(store, project, name)
        done[:] = [plan.add(each) for each in found]
        return plan.statements()

    change(store, name, writing)
    return done


async def _found(project: Path, spec_id: str) -> _Found:
    """What was found. Overrides that a spec may not set are refused before anything is written."""
    check_id("spec", spec_id)
    data, file = _read(project, spec_id)
    check_overrides(file.config)
    load_usable(project, spec=file.config)
    delivered = await _delivered(project, spec_id)
    attempts, rounds = list(attempts_found(project, spec_id)), rounds_found(project, spec_id)
    return _Found(spec_id, file, digest_of(data), attempts, rounds, frozenset(delivered))


class _Import:
    """What is written for several specs, checked against each other and against the store."""

    def __init__(self, store: Store, project: Path, name: str) -> None:
        self._store = store
        self._project = project
        self._name = name
        self._there = {task.id: task for task in tasks_of(store, name)}
        self._specs: list[Sql] = []
        self._tasks: list[Task] = []
        self._past = Past(store, project, name)

    def add(self, found: _Found) -> Imported:
        renamed = self._renamed(found)
        attempts: dict[str, list[AttemptFound]] = {}
        for each in found.attempts:
            attempts.setdefault(each.task, []).append(each)
        tasks: list[Task] = []
        restored = Restored()
        for data in found.file.chunks:
            task = _task(self._project, found.spec, data)
            own = attempts.pop(task.id, [])
            task = self._settled(_under(renamed, task), own, is_delivered=task.id in found.delivered)
            self._past.restore(task, own, restored)
            tasks.append(task)
        self._past.restore_rounds(found.spec, found.file.spec.title, found.rounds, restored)
        self._specs += self._spec(found, is_renamed=bool(renamed))
        self._tasks += tasks
        lost = [f"{each[0].path.rpartition('/')[0]} belongs to no task of {FILE}" for each in attempts.values()]
        return Imported(
            found.spec,
            tuple(task.id for task in tasks),
            tuple(task.id for task in tasks if task.status == "completed"),
            restored.attempts,
            restored.rounds,
            renamed,
            (*restored.problems, *lost),
        )

    def statements(self) -> list[Sql]:
        check_new_ids(self._tasks)
        written = written_tasks(self._store, self._name, self._tasks, replace=True)
        return [*self._specs, *written, *self._past.statements]

    def _renamed(self, found: _Found) -> dict[str, str]:
        beside = [*self._there.values(), *self._tasks]
        taken = {task.id for task in beside if task.spec_id != found.spec}
        ids = [str(each.get("id", "")) for each in found.file.chunks]
        return {each: f"{found.spec}-{each}" for each in ids if each in taken}

    def _settled(self, task: Task, attempts: Sequence[AttemptFound], *, is_delivered: bool) -> Task:
        """The task with its state: from the store if the store has it, and otherwise from the branch."""
        if there := self._there.get(task.id):
            return replace(task, status=there.status)
        if not is_delivered:
            return task
        return replace(task, status="completed", summary=summary_in(self._project, attempts))

    def _spec(self, found: _Found, *, is_renamed: bool) -> list[Sql]:
        spec = new_spec(self._project, found.spec, found.file.spec.title or None)
        is_new = find_spec(self._store, self._name, found.spec) is None
        return [
            *([add_spec(self._name, spec)] if is_new else []),
            change_spec_config(self._name, found.spec, found.file.config),
            # The file has what the store has, unless the store uses other ids: then the file stays.
            *([] if is_renamed else [definitions_are(self._name, found.spec, found.digest)]),
        ]


def _read(project: Path, spec_id: str) -> tuple[bytes, _File]:
    where = f".ralph/specs/{spec_id}/{FILE}"
    data = read_spec_file(project, spec_id, FILE, most=LARGEST)
    if data is None:
        raise ConfigError(f"there is no {where}.", f"Write it from the database: ralph state export {spec_id}")
    try:
        read = msgspec.json.decode(data, type=_File)
    except UNREADABLE as error:
        raise ConfigError(f"{where} cannot be read: {error}.", "Fix it, or delete it.") from None
    if read.spec.id != spec_id:
        raise ConfigError(f"{where} belongs to the spec {read.spec.id!r}.", "Move it to the folder of that spec.")
    return data, read


def _has_definitions(project: Path, spec_id: str) -> bool:
    return read_spec_file(project, spec_id, FILE, most=LARGEST) is not None


def _task(project: Path, spec_id: str, data: dict[str, Any]) -> Task:
    where = f".ralph/specs/{spec_id}/{FILE}, task {data.get('id', 'without an id')}"
    given = {key: value for key, value in data.items() if key not in ("spec", "specId", "spec_id")}
    for key in given:
        if in_snake_case({key: None}, PROGRESS, where).keys() & PROGRESS:
            raise ConfigError(
                f'{where}: unknown key "{key}".',
                "Remove the key: the file has definitions only, and git says what is done.",
            )
    return read_task(given, where, rules(project, spec=spec_id, without_criteria=True))


def _under(renamed: dict[str, str], task: Task) -> Task:
    dependencies = tuple(renamed.get(each, each) for each in task.dependencies)
    return replace(task, id=renamed.get(task.id, task.id), dependencies=dependencies)


async def _delivered(project: Path, spec_id: str) -> dict[str, str]:
    bench = Workbench(project, os.environ, "look")
    if not await look_if_any(Git(bench)):
        return {}
    return await delivered_tasks(Repository(bench), BRANCHES + spec_id)
