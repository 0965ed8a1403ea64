"""All that a run needs to be started, or to be started again."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.agents.registry import Agent
from ralph.app.kinds import kind_of
from ralph.app.kinds.base import Kind
from ralph.config.schema import Settings, apply_schema
from ralph.model.errors import StateError
from ralph.model.runs import Run


class Plan(Struct, frozen=True):
    recipe: str
    kind: Kind
    project: Path
    settings: Settings
    merged: dict[str, Any]
    loop: Any
    """Of the type that the kind calls its options."""
    agent: Agent | None

    @property
    def options(self) -> dict[str, Any]:
        return {"settings": self.merged, "loop": msgspec.to_builtins(self.loop)}


def make_plan(recipe: str, project: Path, settings: Settings, merged: dict[str, Any], loop: Any) -> Plan:
    kind = kind_of(recipe)
    if kind is None:
        raise StateError(f"there is no recipe {recipe!r}.")
    return Plan(recipe, kind, project, settings, merged, loop, kind.agent(settings, loop))


def plan_again(run: Run) -> Plan:
    """The plan of a run that was started before, with the settings of that time."""
    kind = kind_of(run.recipe)
    if kind is None or kind.version != run.recipe_version:
        raise StateError(
            f"run {run.id} was made by version {run.recipe_version} of the recipe {run.recipe}, unknown to this ralph.",
            "Start it anew with the command that started it.",
        )
    merged = run.options["settings"]
    loop = msgspec.convert(run.options["loop"], kind.options)
    return make_plan(run.recipe, Path(run.project), apply_schema(merged), merged, loop)
