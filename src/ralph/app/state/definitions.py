"""The file `chunks.json`: the definitions of a spec and its tasks, for people and other programs, without their
state.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from ralph.app.tasks.files import task_data
from ralph.kernel.task_rules import in_order
from ralph.model.tasks import Spec, Task
from ralph.store.projects import known_project
from ralph.store.spec_files import read_spec_file, write_spec_file
from ralph.store.sql import Store
from ralph.store.state_forms import form
from ralph.store.tasks import definitions_digest, get_spec, set_definitions_digest, tasks_of

FILE = "chunks.json"
LARGEST = 20_000_000
CAMEL = {
    "acceptance_criteria": "acceptanceCriteria",
    "may_change": "mayChange",
    "max_iterations": "maxIterations",
    "relevant_files": "relevantFiles",
    "verification_config": "verificationConfig",
    "verification_method": "verificationMethod",
}


def keep_definitions(store: Store, project: Path, spec_id: str) -> str:
    """Write the file if it is missing or out of date. A file that somebody has edited stays, and that is reported."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    text = definitions(spec, tasks_of(store, name, spec_id))
    where = f".ralph/specs/{spec_id}/{FILE}"
    there = read_spec_file(project, spec_id, FILE, most=LARGEST)
    if there is None and os.path.lexists(project / where):
        return f"{where} is not a plain file or is too large, so it stays. Move it away."
    if there is not None and there != text and digest_of(there) != definitions_digest(store, name, spec_id):
        return (
            f"{where} differs from what ralph wrote there, so it stays as it is."
            f" Import it: ralph state import {spec_id}"
        )
    try:
        if there != text:
            write_spec_file(project, spec_id, FILE, text)
    except OSError as error:
        # The definitions are in the store: a missing copy does not end the work.
        return f"{where} could not be written: {error.strerror}."
    set_definitions_digest(store, name, spec_id, digest_of(text))
    return ""


def definitions(spec: Spec, tasks: list[Task]) -> bytes:
    chunks = [_chunk(task) for task in in_order(tasks)]
    return form({"spec": {"id": spec.id, "title": spec.title}, "config": spec.config, "chunks": chunks})


def _chunk(task: Task) -> dict[str, Any]:
    data = {CAMEL.get(key, key): value for key, value in task_data(task).items() if key != "spec_id"}
    if task.completion_spec:
        completion = {CAMEL.get(key, key): value for key, value in data["completion"].items()}
        for role in task.completion_spec.roles:
            completion[role] = {CAMEL.get(key, key): value for key, value in completion[role].items()}
        data["completion"] = completion
    return msgspec.to_builtins(data)


def digest_of(data: bytes) -> str:
    """The digest of a file's content, so that an edit by hand is noticed."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
