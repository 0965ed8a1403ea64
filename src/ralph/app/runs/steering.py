"""Control words for an active run: pause, and guidance for the next prompt."""

from pathlib import Path

from ralph.app.inside_run import require_own_child
from ralph.app.runs.named import named_run, only_live_run
from ralph.app.runs.starting import FINAL
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.model.verdicts import next_step
from ralph.store.control import Said, say
from ralph.store.sql import Store


def pause(store: Store, project: Path, run_id: str | None) -> Run:
    """Pause the run. It stays alive and begins nothing new; the current action is finished."""
    return _tell(store, project, run_id, "pause")


def guide(store: Store, project: Path, run_id: str | None, text: str) -> Run:
    """Add the text once to the next prompt of the run and of each of its parts."""
    if not text.strip():
        raise ConfigError("the guidance is empty.", "Say what the agent should consider.")
    return _tell(store, project, run_id, "guide", text)


def _tell(store: Store, project: Path, run_id: str | None, said: Said, text: str = "") -> Run:
    run = named_run(store, project, run_id) if run_id else only_live_run(store, project)
    require_own_child(run.id)
    if not run.is_live:
        raise ConfigError(f"run {run.id} is not active: {run.verdict or run.status}.", _step(run))
    say(store, run.id, said, text)
    return run


def _step(run: Run) -> str:
    if run.status != "ended" or run.verdict not in FINAL:
        return f"Continue it first: ralph resume {run.id}"
    return next_step(run.verdict, run.id, run.recipe, run.reason) or f"Start it again: ralph retry {run.id}"
