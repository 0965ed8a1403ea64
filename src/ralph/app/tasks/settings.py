"""The settings for the tasks of a spec: those of the project, overridden by the spec's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ralph.app.usable import load_usable
from ralph.config.layers import Loaded
from ralph.model.tasks import Spec, Task
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_spec


def load_for_spec(
    project: Path, spec: Spec, agent: str | None = None, flags: Mapping[str, Any] | None = None
) -> Loaded:
    """The settings of its tasks. An agent chosen for this one run works instead of all others."""
    given = dict(flags or {})
    loaded = load_usable(project, spec=spec.config, flags=given)
    if agent is None:
        return loaded
    roles = {name: {"agent": None} for name, role in loaded.settings.roles.items() if role.agent}
    given |= {"defaults": {"executor": agent}, **({"roles": roles} if roles else {})}
    return load_usable(project, spec=spec.config, flags=given)


def load_for_task(store: Store, project: Path, task: Task | None) -> Loaded:
    """The settings for a task; without a task those of the project alone."""
    if task is None:
        return load_usable(project)
    return load_for_spec(project, get_spec(store, known_project(store, project), task.spec_id))
