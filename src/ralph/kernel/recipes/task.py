"""The task recipe: the stages of a task in order, in a worktree of its own; a later stage may send it back."""

import msgspec
from msgspec import Struct

from ralph.kernel.actions import (
    ChildEnd,
    Delivered,
    DeliverWork,
    FurnishWorktree,
    OpenWorktree,
    Recipe,
    RunChild,
    Worktree,
)
from ralph.kernel.feedback import NONE, Feedback
from ralph.kernel.recipes import stage
from ralph.kernel.recipes.stage import StageRun
from ralph.kernel.stage_text import Stage, TaskText, sent_back
from ralph.model.evidence import Evidence
from ralph.model.verdicts import EndedBy, Failed, MaxIterations, SentBack, Verified

NAME = "task"
VERSION = 1
SENT_BACK = str(SentBack.__struct_config__.tag)


class TaskRun(Struct, frozen=True, omit_defaults=True):
    spec: str
    task: TaskText
    stages: tuple[Stage, ...]
    copy: tuple[str, ...] = ()
    init: str = ""
    fresh: bool = False
    """Begin anew, though there is a worktree with work of an earlier run."""


def task_loop(run: TaskRun) -> Recipe:
    worktree: Worktree = yield OpenWorktree(0, run.spec, run.task.id, run.fresh)
    ready: Evidence = yield FurnishWorktree(0, worktree, run.copy, run.init)
    if not ready.passed:
        return Failed(f"the worktree could not be prepared: {ready.reason}")
    used = dict.fromkeys((each.role for each in run.stages), 0)
    notes: dict[str, Feedback] = {}
    position, number = 0, 0
    while position < len(run.stages):
        now = run.stages[position]
        number += 1
        if used[now.role] >= now.limit:
            return MaxIterations(now.limit, f"{now.role} has no iteration left to work on what came back")
        loop = StageRun(
            task=run.task,
            stage=now,
            worktree=worktree,
            first=used[now.role] + 1,
            earlier=tuple(each.role for each in run.stages[:position]),
            feedback=notes.pop(now.role, NONE),
        )
        end: ChildEnd = yield RunChild(number, stage.NAME, now.role, msgspec.to_builtins(loop))
        used[now.role] += end.iterations
        if end.verdict == SENT_BACK:
            notes[end.sent_back_to] = (sent_back(now.role, end.why),)
            position = next(i for i, each in enumerate(run.stages) if each.role == end.sent_back_to)
        elif end.verdict == "verified":
            position += 1
        else:
            return EndedBy(end.verdict, f"{now.role}: {end.reason}", end.exit_code)
    message = f"{run.task.title}\n\nRalph-Task: {run.task.id}"
    delivered: Delivered = yield DeliverWork(number + 1, worktree, run.task.id, message)
    if delivered.problem:
        return Failed(f"all stages are verified, but the work could not be delivered: {delivered.problem}")
    return Verified(sum(used.values()))
