"""What a run works on, in a few words: its prompt, or its task."""

from collections.abc import Mapping

from ralph.cli.masked import masked
from ralph.model.runs import Run
from ralph.model.words import count, first_words

LONGEST = 48
LOOK = "look"
"""The unit of runs in which no agent works."""
Titles = Mapping[tuple[str, str], str]
"""The titles of tasks, by project and task."""


def worked(run: Run, iterations: int) -> list[str]:
    """How many iterations it made, in words; empty for a run without an agent that made none."""
    return [count(iterations, run.unit)] if iterations or run.unit != LOOK else []


def named(run: Run, titles: Titles) -> str:
    """The recipe, and what it was started for."""
    if run.recipe == "prompt":
        return f'prompt "{run.label}"' if run.label else run.recipe
    title = titles.get((run.project, run.task_id or ""), "") if run.label == run.task_id else ""
    name = f"{run.recipe} {run.label}".rstrip()
    return f"{name}: {first_words(masked(title), LONGEST)}" if title else name
