"""A person's decision about work that waits for it: criteria are met, or the work is sent back."""

from pathlib import Path

import msgspec

from ralph.app.inside_run import require_own_child
from ralph.app.runs.starting import GoingOn, plan_of
from ralph.loop.approval import ApprovalText
from ralph.model.errors import ConfigError
from ralph.store.approvals import Waiting, waiting_below, waiting_for_task
from ralph.store.control import Said, saying
from ralph.store.projects import known_project
from ralph.store.runs import find_run
from ralph.store.sql import Store
from ralph.store.tasks import tasks_of


def approve(store: Store, project: Path, name: str, criterion: int | None = None) -> GoingOn:
    """Approve all open criteria, or one. The name of the person and the time are recorded as evidence."""
    waiting = _waiting(store, project, name)
    numbers = [each.number for each in waiting.awaited.wanted]
    if criterion is not None and criterion not in numbers:
        listed = "; ".join(f"{each.number}. {each.text}" for each in waiting.awaited.wanted)
        raise ConfigError(
            f"criterion {criterion} of {waiting.awaited.task} does not wait for a person.", f"These do: {listed}"
        )
    return _told(store, waiting, "approve", msgspec.json.encode(ApprovalText(criterion)).decode())


def reject(store: Store, project: Path, name: str, why: str) -> GoingOn:
    if not why.strip():
        raise ConfigError("the reason is empty.", "Say what to change.")
    return _told(store, _waiting(store, project, name), "reject", why)


def _told(store: Store, waiting: Waiting, said: Said, text: str) -> GoingOn:
    run = waiting.run
    require_own_child(run.id)
    # What was said before, such as a stop, is over: the run must continue to its end.
    store.write(saying(run.id, said, text), saying(run.id, "go"), sync=True)
    return GoingOn(run, plan_of(store, run), has_ended=False)


def _waiting(store: Store, project: Path, name: str) -> Waiting:
    """The waiting work, by the id of the task, of the run, or of one of its ancestors."""
    known = known_project(store, project)
    if name in {task.id for task in tasks_of(store, known)}:
        found = [each for each in (waiting_for_task(store, known, name),) if each]
    else:
        found = waiting_below(store, find_run(store, name).id)
    if not found:
        raise ConfigError(f"{name} does not wait for a person.", f"See its state: ralph show {name}")
    if len(found) > 1:
        tasks = ", ".join(each.awaited.task for each in found)
        raise ConfigError(f"several tasks of {name} wait for a person: {tasks}.", "Name one of them.")
    return found[0]
