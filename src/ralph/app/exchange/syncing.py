"""Writing back what is done: a task is marked in its source only if ralph has verified it."""

from pathlib import Path

from msgspec import Struct

from ralph.app.exchange.formats import reader
from ralph.app.exchange.plan import Origin, origin_of
from ralph.app.exchange.programs import Programs
from ralph.kernel.task_rules import in_order
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.model.verdicts import PROOF_WORDS
from ralph.store.projects import known_project
from ralph.store.runs import runs_of_task
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of

WHOLE = ("chunk", "task")
"""The recipes that drive a whole task."""
BY_WORD = "it was done by the agent's word alone; nothing was checked"


class SyncedTask(Struct, frozen=True, rename="camel"):
    task: str
    original: str
    """The id in the source."""
    source: str
    is_new: bool
    """Whether it was marked as done now; otherwise it was marked before, or could not be."""
    problem: str = ""
    note: str = ""
    """Why there is nothing to mark in the source."""


class Synced(Struct, frozen=True, rename="camel"):
    spec: str
    tasks: list[SyncedTask]
    """The tasks that ralph has verified."""
    open: int
    """How many imported tasks are not verified: nothing is written for them."""

    @property
    def problems(self) -> list[SyncedTask]:
        return [each for each in self.tasks if each.problem]


async def sync_spec(store: Store, project: Path, spec_id: str) -> Synced:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    imported = [(task, origin) for task in in_order(tasks_of(store, name, spec.id)) if (origin := origin_of(task))]
    if not imported:
        raise ConfigError(
            f"no task of {spec.id} was imported, so there is nothing to write back to.",
            "Import a plan: ralph spec import PATH",
        )
    done = [(task, origin) for task, origin in imported if task.status == "completed"]
    by_word = [(task, origin) for task, origin in done if _by_word_alone(store, name, task)]
    done = [each for each in done if each not in by_word]
    synced = [SyncedTask(task.id, origin.id, origin.source, is_new=False, problem=BY_WORD) for task, origin in by_word]
    for place in dict.fromkeys(_place(origin) for _, origin in done):
        synced += await _written(Programs(project), place, [each for each in done if _place(each[1]) == place])
    return Synced(spec.id, synced, sum(task.status not in ("completed", "skipped") for task, _ in imported))


async def _written(
    programs: Programs, place: tuple[str, str, str], done: list[tuple[Task, Origin]]
) -> list[SyncedTask]:
    """The results for one source. If it cannot be written, that is a problem of its tasks only; the others are
    written.
    """
    form, source, part = place
    try:
        answers = await reader(form).mark_done(programs, source, part, [origin for _, origin in done])
    except ConfigError as error:
        return [SyncedTask(task.id, origin.id, source, is_new=False, problem=str(error)) for task, origin in done]
    return [
        SyncedTask(task.id, origin.id, source, answer.is_new, answer.problem, answer.note)
        for (task, origin), answer in zip(done, answers, strict=True)
    ]


def _by_word_alone(store: Store, project: str, task: Task) -> bool:
    """Whether nothing was checked, judged or reviewed when it was completed: then ralph has verified nothing."""
    verified = [
        run for run in runs_of_task(store, project, task.id) if run.verdict == "verified" and run.recipe in WHOLE
    ]
    return bool(verified) and verified[-1].reason.startswith(PROOF_WORDS["word"].partition("{")[0])


def _place(origin: Origin) -> tuple[str, str, str]:
    return origin.format, origin.source, origin.part
