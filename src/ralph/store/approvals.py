"""The runs that wait for a person's approval, according to their journals."""

import msgspec
from msgspec import Struct

from ralph.model.runs import Run
from ralph.store.history import last_row
from ralph.store.runs import runs_of_task, tree_of
from ralph.store.sql import Store

KIND = "await-approval"


class WantedCriterion(Struct, frozen=True):
    number: int
    text: str


class Awaited(Struct, frozen=True):
    """The approvals that the run asked for."""

    task: str
    wanted: tuple[WantedCriterion, ...]


class Waiting(Struct, frozen=True):
    run: Run
    awaited: Awaited


def waiting_below(store: Store, run_id: str) -> list[Waiting]:
    """The run and its parts that wait for a person."""
    found = (_waiting(store, run) for run in tree_of(store, run_id))
    return [each for each in found if each]


def waiting_for_task(store: Store, project: str, task_id: str) -> Waiting | None:
    """The task's latest run, if it waits for a person. A newer run replaces an older one that waits."""
    own = [run for run in runs_of_task(store, project, task_id) if not run.label.startswith(f"{task_id} ")]
    return _waiting(store, own[-1]) if own else None


def _waiting(store: Store, run: Run) -> Waiting | None:
    if run.status != "stopped":
        return None
    asked = last_row(store, run.id, KIND, "begun")
    answered = last_row(store, run.id, KIND, "ended")
    if asked is None or (answered and answered.n > asked.n):
        return None
    return Waiting(run, msgspec.json.decode(asked.body, type=Awaited))
