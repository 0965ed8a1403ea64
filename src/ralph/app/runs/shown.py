"""What `ralph show` shows: a run by its id, or a task by the runs that worked on it."""

from pathlib import Path

from ralph.app.runs.history import chosen_run
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.store.projects import known_project
from ralph.store.runs import runs_of_task
from ralph.store.sql import Store
from ralph.store.tasks import is_task


def shown_runs(store: Store, name: str | None, project: Path) -> list[Run]:
    """The runs of a task, the oldest first and without their parts; or the run of that id, or the latest one."""
    known = known_project(store, project)
    if not name or not is_task(store, known, name):
        return [chosen_run(store, name, project)]
    runs = runs_of_task(store, known, name)
    ids = {run.id for run in runs}
    tops = [run for run in runs if run.parent_id not in ids]
    if not tops:
        raise ConfigError(f"task {name} has not run yet.", f"Run it: ralph task run {name}")
    return tops
