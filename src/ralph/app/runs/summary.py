"""The results of the runs since some time: one line each, for the next morning."""

import time
from pathlib import Path
from typing import Any

from msgspec import Struct

from ralph.app.moments import since_moment
from ralph.model.runs import Run
from ralph.model.verdicts import next_step
from ralph.store.projects import find_project, projects_by_id
from ralph.store.runs import list_runs, options_of
from ralph.store.sql import Store
from ralph.workbench.ceiling import WORKTREES

ONE_TASK = ("task", "chunk")
"""The recipes that work on one task, in a worktree of its own."""


class RunSummary(Struct, frozen=True, rename="camel"):
    run: Run
    where: str
    """Where its work is: a branch, the worktree of a task, or the project's folder."""
    next_step: str
    """The command that continues it, or takes over its work; empty if nothing is left to do."""


def summaries(store: Store, project: Path | None, since: str, limit: int | None) -> list[RunSummary]:
    """The runs that a person started since then, the newest first, of one project or of all."""
    known = find_project(store, project) if project else None
    if project and known is None:
        return []
    found = list_runs(store, project=known.id if known else None, limit=limit, tops=True, since=since_moment(since))
    folders = {each.id: each.path or each.id for each in projects_by_id(store).values()}
    return [_summary(store, run, folders.get(run.project, run.project)) for run in found]


def _summary(store: Store, run: Run, folder: str) -> RunSummary:
    branch = _branch(options_of(store, run.id).get("loop", {}), run.recipe)
    return RunSummary(run, _where(run, branch, Path(folder)), _next_step(run, branch))


def _where(run: Run, branch: str, folder: Path) -> str:
    """Where the work is. What a task has not delivered is not on the branch of its spec yet."""
    if run.recipe in ONE_TASK and run.verdict != "verified":
        own = folder.joinpath(*WORKTREES, run.task_id or "")
        return str(own if run.task_id and own.is_dir() else folder)
    return f"branch {branch}" if branch else str(folder)


def _branch(loop: Any, recipe: str) -> str:
    """The branch that the work goes to, read from what was stored: a run of another version of ralph can be listed,
    too.
    """
    if recipe in ("spec", *ONE_TASK):
        return f"ralph/{loop['spec']}" if "spec" in loop else ""
    return str(loop.get("branch", "")) if recipe == "stories" else ""


def _next_step(run: Run, branch: str) -> str:
    if run.is_live:
        return f"ralph status {run.id}"
    if run.verdict == "verified":
        return f"git merge {branch}" if branch else ""
    if run.status != "ended":
        # A run that waits for a person says itself what to do first.
        return "" if "ralph " in run.reason else f"ralph resume {run.id}"
    first = next_step(run.verdict or "", run.id, run.recipe, run.reason).partition(". ")[0].partition(" (")[0]
    return first.rpartition(": ")[2]


def took(run: Run) -> float:
    return (run.ended_at or time.time()) - run.started_at
