"""The iterations of a spec as training data: prompts, answers and reviews, without secrets."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from ralph.app.runs.chunk_iterations import ChunkIteration, chunk_iterations
from ralph.app.runs.history import IterationAttempt, past_of
from ralph.app.tasks.settings import load_for_spec
from ralph.kernel.task_rules import in_order
from ralph.model.errors import ConfigError
from ralph.model.reviews import Review
from ralph.model.runs import Run
from ralph.model.tasks import Task
from ralph.store.projects import known_project
from ralph.store.runs import runs_of_task
from ralph.store.sql import Store
from ralph.store.state_forms import ReviewEntry, review_file
from ralph.store.tasks import get_spec, tasks_of
from ralph.workbench.masking import masking

RECIPES = ("chunk", "stage")
"""The loops in which an agent works on a task."""
AGENT, REVIEW = "run-agent", "review"


class TrainingRecord(Struct, frozen=True, kw_only=True, rename="camel"):
    """One attempt of an agent at a task."""

    spec: str
    task: str
    title: str
    role: str
    """The role; empty for a chunk."""
    run: str
    iteration: int
    attempt: int
    prompt: str
    output: str
    """The final message of the agent."""
    accepted: bool
    """Whether it is the attempt that was verified."""
    verification: list[Any] | None
    reviews: tuple[ReviewEntry, ...]
    feedback: str | None
    """What the next attempt was told."""


def training_lines(store: Store, project: Path, spec_id: str) -> Iterator[str]:
    """One line of JSON for each attempt, in the order of the tasks. It raises a ConfigError if there is none."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    settings = load_for_spec(project, spec).settings
    mask = masking(settings, project)
    found = False
    for task in in_order(tasks_of(store, name, spec.id)):
        for run in runs_of_task(store, name, task.id):
            if run.recipe in RECIPES:
                for record in _records(store, task, run):
                    found = True
                    yield msgspec.json.encode(_masked(msgspec.to_builtins(record), mask)).decode()
    if not found:
        raise ConfigError(f"no agent has worked on {spec.id} yet.", f"Run it: ralph spec run {spec.id}")


def _records(store: Store, task: Task, run: Run) -> Iterator[TrainingRecord]:
    past = past_of(store, run, bodies=True)
    attempts = [attempt for attempt in past.attempts if attempt.work]
    for attempt, seen in zip(attempts, chunk_iterations(past), strict=True):
        is_last = attempt is attempts[-1]
        yield _record(task, run, attempt, seen, accepted=is_last and run.verdict == "verified")


def _record(task: Task, run: Run, attempt: IterationAttempt, seen: ChunkIteration, *, accepted: bool) -> TrainingRecord:
    begun = [step.begun for step in attempt.steps if step.begun and step.begun.name.kind == AGENT]
    prompt = msgspec.json.decode(begun[0].body).get("prompt", "") if begun else ""
    ended = [step.end for step in attempt.steps if step.end and step.end.name.kind == REVIEW]
    reviews = [msgspec.json.decode(row.body, type=Review) for row in ended]
    return TrainingRecord(
        spec=task.spec_id,
        task=task.id,
        title=task.title,
        role=run.label.partition(" ")[2] if run.recipe == "stage" else "",
        run=run.id,
        iteration=seen.iteration,
        attempt=attempt.attempt,
        prompt=prompt,
        output=seen.execution_output or "",
        accepted=accepted,
        verification=seen.verification_results,
        reviews=review_file(reviews).reviews if reviews else (),
        feedback=seen.feedback_for_next_iteration,
    )


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(each, mask) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_masked(each, mask) for each in cast("list[Any]", value)]
    return value
