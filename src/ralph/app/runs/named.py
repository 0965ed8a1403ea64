"""The run that a person means: by the beginning of its id, by its task, or without a name."""

from pathlib import Path

from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.store.projects import find_project, known_project
from ralph.store.runs import find_run, live_runs, runs_of_task, whole
from ralph.store.sql import Store
from ralph.store.tasks import is_task


def named_run(store: Store, project: Path, name: str) -> Run:
    """The run whose id begins with `name`; or, for the id of a task of this project, the latest run of that task."""
    known = known_project(store, project)
    if not is_task(store, known, name):
        return find_run(store, name)
    runs = runs_of_task(store, known, name)
    if not runs:
        raise ConfigError(f"task {name} has not run yet.", f"Run it: ralph task run {name}")
    ids = {run.id for run in runs}
    return [run for run in runs if run.parent_id not in ids][-1]


def whole_run(store: Store, project: Path, name: str, instead: str) -> Run:
    """The whole run that a name means. A task that ran as a part of a spec does not mean the spec: `instead` says what
    to do, with `{run}` for the id of the spec's run.
    """
    run = named_run(store, project, name)
    top = whole(store, run)
    if top.id != run.id and is_task(store, known_project(store, project), name):
        raise ConfigError(f"task {name} is a part of run {top.id} ({top.recipe}).", instead.format(run=top.id))
    return top


def only_live_run(store: Store, project: Path) -> Run:
    """The active run of this project, if there is exactly one."""
    known = find_project(store, project)
    tops = {whole(store, run).id: whole(store, run) for run in live_runs(store, known.id)} if known else {}
    if len(tops) == 1:
        return next(iter(tops.values()))
    if not tops:
        raise ConfigError("nothing runs in this project.", "See what ran: ralph runs")
    raise ConfigError(f"several runs are active: {', '.join(tops)}.", "Name one of them.")


def run_to_cancel(store: Store, project: Path, name: str | None) -> Run:
    """The named run, or the one active run of this project."""
    part = "Cancel all of that: ralph cancel {run}"
    return whole_run(store, project, name, part) if name else only_live_run(store, project)
