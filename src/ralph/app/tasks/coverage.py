"""The acceptance criteria of a task that no check would ever cover."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ralph.app.tasks.roles import role_defaults
from ralph.config.layers import load
from ralph.config.schema import Settings
from ralph.kernel.completion import default_criteria, verification_of
from ralph.model.tasks import Task, TaskCompletionSpec
from ralph.model.verification import External, MultiStage, Semantic, Verification


def coverage_warnings(project: Path, tasks: Iterable[Task]) -> list[str]:
    settings = load(project).settings
    return [_warning(task, found) for task in tasks if (found := uncovered(task, settings))]


def uncovered(task: Task, settings: Settings) -> list[tuple[int, str]]:
    """The uncovered criteria, each with its number, starting at 1. Only what must pass covers anything."""
    if task.completion_spec is None:
        return []
    asked, judged = task.completion_spec.asked, task.completion_spec.judged
    roles = role_defaults(settings)
    covered: set[str] = set()
    for name in settings.pipeline:
        if name in roles and settings.roles[name].enabled:
            own = task.completion_spec.roles.get(name)
            criteria = own or default_criteria(name, roles[name], task.title, task.completion_spec)
            covered |= _covered_by(verification_of(criteria, judged), asked)
    return [(number, text) for number, text in enumerate(asked, 1) if text in judged and text not in covered]


def _warning(task: Task, found: list[tuple[int, str]]) -> str:
    named = "; ".join(f"{number} ({' '.join(text.split())})" for number, text in found)
    numbers = ", ".join(str(number) for number, _ in found)
    word = "criterion" if len(found) == 1 else "criteria"
    return (
        f"task {task.id}: no check covers {word} {named}. Let a semantic check judge that, or add covers: [{numbers}] "
        "to the command that proves it"
    )


def renumbered(config: dict[str, Any], before: TaskCompletionSpec, acceptance: tuple[str, ...]) -> dict[str, Any]:
    """The config of a check with `covers` renumbered for the new criteria, as far as they are among the old ones."""
    found = dict(config)
    if "covers" in config:
        numbers: list[int] = config["covers"]
        texts = [before.asked[number - 1] for number in numbers]
        found["covers"] = [acceptance.index(text) + 1 for text in texts if text in acceptance]
    if "stages" in config:
        found["stages"] = [
            {**stage, "config": renumbered(stage.get("config", {}), before, acceptance)} for stage in config["stages"]
        ]
    return found


def _covered_by(check: Verification, acceptance: tuple[str, ...]) -> set[str]:
    match check:
        case Semantic():
            return set(check.check_for)
        case External():
            return {acceptance[number - 1] for number in check.covers if 0 < number <= len(acceptance)}
        case MultiStage():
            parts = [_covered_by(part.check, acceptance) for part in check.stages if part.required]
            return {text for part in parts for text in part}
        case _:
            return set()
