"""The options that every recipe of a task gets."""

from typing import Any

from ralph.app.runs.proof_rules import proof_rules
from ralph.config.schema import Settings
from ralph.kernel.actions.approval import WantedApproval
from ralph.kernel.stage_text import TaskText
from ralph.model.tasks import Task

PEOPLE = ("person", "time")


def told_of(task: Task, settings: Settings) -> dict[str, Any]:
    """The fields of `TaskOptions`."""
    return {
        "spec": task.spec_id,
        "task": _text(task),
        "copy": tuple(settings.worktree.copy),
        "init": settings.worktree.init or "",
        "rules": proof_rules(settings, task.may_change),
        "people": _approvals(task),
    }


def _text(task: Task) -> TaskText:
    done = task.completion_spec
    return TaskText(
        id=task.id,
        title=task.title,
        description=task.description,
        outcome=done.outcome if done else "",
        acceptance=done.asked if done else (),
    )


def _approvals(task: Task) -> tuple[WantedApproval, ...]:
    criteria = task.completion_spec.acceptance_criteria if task.completion_spec else ()
    numbered = enumerate(criteria, start=1)
    return tuple(WantedApproval(number, each.asked) for number, each in numbered if each.kind in PEOPLE)
