"""The state directory of a spec, written from the store: existing files stay as they are."""

from pathlib import Path

from msgspec import Struct

from ralph.app.state.definitions import keep_definitions
from ralph.store.projects import known_project
from ralph.store.runs import runs_of_spec, runs_of_task
from ralph.store.sql import Store
from ralph.store.state_tree import StateTree
from ralph.store.tasks import get_spec, tasks_of

FOLLOWED = ("chunk", "stage", "spec")


class Exported(Struct, frozen=True, rename="camel"):
    spec: str
    runs: int
    files: int
    """How many files were written besides chunks.json."""
    problem: str = ""


def export_state(store: Store, project: Path, spec_id: str) -> Exported:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    runs = runs_of_spec(store, name, spec.id)
    for task in tasks_of(store, name, spec.id):
        runs += runs_of_task(store, name, task.id)
    written, followed = 0, [run for run in runs if run.recipe in FOLLOWED]
    for run in followed:
        tree = StateTree(store, run.id, project, make=True)
        tree.look()
        written += tree.written
    return Exported(spec.id, len(followed), written, keep_definitions(store, project, spec.id))
