"""The difference between two attempts at a task, including those that were undone, as long as git has them."""

import os
import re
from pathlib import Path

from ralph.app.runs.chunk_iterations import commit_of, number_of
from ralph.app.runs.history import IterationAttempt, past_of
from ralph.app.runs.shown import shown_runs
from ralph.git.changes import read_diff
from ralph.git.repository import Repository
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.store.sql import Store
from ralph.workbench.bench import Workbench

RANGE = re.compile(r"(\d+)\.\.(\d+)")
OPENED = "open-worktree"


async def attempt_diff(store: Store, project: Path, name: str | None, wanted: str) -> bytes:
    """The diff from the first attempt to the second. 0 is the state at which the work began."""
    named = RANGE.fullmatch(wanted)
    if named is None:
        raise ConfigError(f"--diff {wanted!r} does not name two attempts.", "Give two numbers: --diff 1..3")
    runs = shown_runs(store, name, project)
    is_task = name is not None and not any(run.id.startswith(name.lower()) for run in runs)
    known = _commits(store, runs, by_task=is_task)
    first, second = (_commit(known, int(each)) for each in named.groups())
    repository = Repository(Workbench(project, os.environ, "look"))
    await repository.require()
    for number, commit in zip(named.groups(), (first, second), strict=True):
        if not await repository.commit_at(commit):
            raise ConfigError(
                f"the commit of attempt {number} is gone from the repository.",
                "git has removed it. Compare other attempts.",
            )
    found = bytearray()
    await read_diff(repository.git, first, second, found.extend)
    return bytes(found)


def _commit(known: dict[int, str], number: int) -> str:
    if number not in known:
        listed = ", ".join(map(str, sorted(known))) or "none"
        raise ConfigError(f"there is no attempt {number} with a commit.", f"These have one: {listed}")
    return known[number]


def _commits(store: Store, runs: list[Run], *, by_task: bool) -> dict[int, str]:
    """The commit of each attempt, by its number. For a repeated attempt the last one counts."""
    found: dict[int, str] = {}
    for run in runs:
        past = past_of(store, run, bodies=True)
        for part in (past, *past.parts):
            for attempt in part.attempts:
                if base := _base(attempt):
                    found.setdefault(0, base)
                if commit := commit_of(attempt):
                    found[number_of(attempt) if by_task else attempt.number] = commit
    return found


def _base(attempt: IterationAttempt) -> str:
    from msgspec.json import decode

    ended = [step.end for step in attempt.steps if step.end and step.end.name.kind == OPENED]
    return str(decode(ended[0].body).get("base", "")) if ended and ended[0].what == "ended" else ""
