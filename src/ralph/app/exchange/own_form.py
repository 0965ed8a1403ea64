"""A spec as one file that another ralph can read: its text, its tasks and its overrides."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ralph.app.exchange.bundle import Bundle
from ralph.app.exchange.plan import origin_of
from ralph.app.tasks.files import read_task, task_data
from ralph.app.tasks.overrides import check_overrides
from ralph.app.tasks.tasks import rules
from ralph.app.tasks.text import json_text, parsed, yaml_text
from ralph.app.usable import load_usable
from ralph.config.merge import is_object
from ralph.kernel.task_rules import check_id, in_order
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.store.projects import known_project
from ralph.store.spec_files import TEXT, read_spec_file
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of

LARGEST = 16 << 20
"""The most bytes of a file."""


class _SpecPart(Struct, forbid_unknown_fields=True):
    id: str
    title: str = ""
    text: str | None = None
    config: dict[str, Any] = field(default_factory=dict[str, Any])


class _File(Struct, forbid_unknown_fields=True):
    spec: _SpecPart
    tasks: list[dict[str, Any]] = []


def exported(store: Store, project: Path, spec_id: str, *, as_json: bool) -> str:
    """The exported spec. It has only definitions, not what was done or by whom."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    text = read_spec_file(project, spec.id, TEXT, most=LARGEST)
    about: dict[str, Any] = {"id": spec.id, "title": spec.title}
    about |= {"config": spec.config} if spec.config else {}
    about |= {"text": _as_text(text, spec.id)} if text is not None else {}
    tasks = [task_data(task) for task in in_order(tasks_of(store, name, spec.id))]
    for data in tasks:
        del data["spec_id"]
    return (json_text if as_json else yaml_text)({"spec": about, "tasks": tasks})


def is_own(document: Any) -> bool:
    """Whether the document is a spec that `ralph spec export` wrote."""
    return is_object(document) and is_object(document.get("spec")) and set(document) <= {"spec", "tasks"}


def read_own(project: Path, text: str, name: str, spec_id: str | None) -> Bundle:
    documents = parsed(text, name)
    if len(documents) != 1 or not is_own(documents[0]):
        raise ConfigError(f"{name} was not written by ralph spec export.", "Such a file has the keys spec and tasks.")
    try:
        file = msgspec.convert(documents[0], _File)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}: {error}.", "See an example: ralph spec export SPEC") from None
    chosen = spec_id or file.spec.id
    check_id("spec", chosen)
    check_overrides(file.spec.config)
    load_usable(project, spec=file.spec.config)
    fit = rules(project, spec=chosen, without_criteria=True)
    tasks = [
        _closed_before(read_task({**data, "spec_id": chosen}, f"{name}, task {data.get('id', number)}", fit))
        for number, data in enumerate(file.tasks, 1)
    ]
    return Bundle(
        spec=chosen,
        title=file.spec.title or chosen,
        text=file.spec.text,
        config=file.spec.config,
        tasks=tasks,
    )


def _closed_before(task: Task) -> Task:
    """The task, skipped if it was done before the first import: ralph must not run it after this one either."""
    origin = origin_of(task)
    return replace(task, status="skipped") if origin and origin.note else task


def _as_text(data: bytes, spec_id: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        where = f".ralph/specs/{spec_id}/{TEXT}"
        raise ConfigError(f"{where} is not UTF-8: byte {error.start + 1} is wrong.", "Save it as UTF-8 text.") from None
