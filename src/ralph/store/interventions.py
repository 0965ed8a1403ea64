"""What people did to help the runs of a project: their control words, and their edits of started tasks."""

from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import Struct, field

from ralph.store.control import Said, saying
from ralph.store.sql import Sql, Store

COUNTED: tuple[Said, ...] = ("guide", "reject", "retry", "edit")
BY_A_RUN = "run "
"""The prefix of a speaker's name that means an agent inside a run."""
_WORDS = """SELECT control.run_id, said FROM control JOIN runs ON runs.id = control.run_id
    WHERE runs.project_id = :project AND said_by NOT LIKE :agents"""
_LATEST = """SELECT id FROM runs WHERE project_id = :project AND task_id = :task
    ORDER BY started_at DESC, length(id) LIMIT 1"""


class _Loop(Struct):
    skipped: tuple[str, ...] = ()


class _Options(Struct):
    loop: _Loop = field(default_factory=_Loop)


def edits_of_started(store: Store, project: str, tasks: Iterable[str]) -> list[Sql]:
    """The statements that record an edit with the latest run of each of these tasks that has one."""
    found = {task: store.read(_LATEST, project=project, task=task) for task in tasks}
    return [saying(rows[0]["id"], "edit", task) for task, rows in found.items() if rows]


def words_of_people(store: Store, project: str, runs: Collection[str]) -> Mapping[str, int]:
    """How many times people gave each of the counted control words to these runs."""
    counts: dict[str, int] = dict.fromkeys(COUNTED, 0)
    for row in store.read(_WORDS, project=project, agents=f"{BY_A_RUN}%"):
        if row["run_id"] in runs and row["said"] in counts:
            counts[row["said"]] += 1
    return counts


def skipped_by_people(store: Store, runs: Iterable[str]) -> int:
    """How many tasks people skipped when they started these runs."""
    total = 0
    for run in runs:
        [row] = store.read("SELECT options FROM runs WHERE id = :id", id=run)
        total += len(msgspec.json.decode(row["options"], type=_Options).loop.skipped)
    return total
