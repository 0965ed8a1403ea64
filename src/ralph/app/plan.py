"""All that a run needs to be started, or to be started again; and the table of recipes."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.agents.generic import Generic
from ralph.agents.registry import Agent, choose
from ralph.agents.run import Limits
from ralph.config.schema import Settings, apply_schema
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import prompt, supervise
from ralph.kernel.recipes.prompt import PromptRun
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.model.errors import StateError
from ralph.model.runs import Run

Loop = PromptRun | SuperviseRun


class Kind(Struct, frozen=True):
    version: int
    options: type[Any]
    make: Callable[[Any], Recipe]


# A new recipe is one file and one line here.
RECIPES = {
    prompt.NAME: Kind(prompt.VERSION, PromptRun, prompt.prompt_loop),
    supervise.NAME: Kind(supervise.VERSION, SuperviseRun, supervise.supervise),
}


class Plan(Struct, frozen=True):
    recipe: str
    project: Path
    settings: Settings
    merged: dict[str, Any]
    loop: Loop
    agent: Agent

    @property
    def options(self) -> dict[str, Any]:
        return {"settings": self.merged, "loop": msgspec.to_builtins(self.loop)}

    @property
    def version(self) -> int:
        return RECIPES[self.recipe].version

    @property
    def limits(self) -> Limits:
        timeouts = self.settings.timeouts
        if isinstance(self.loop, SuperviseRun):
            # A command that the user typed may be silent for as long as it likes.
            return Limits(self.loop.timeout, None if self.loop.command else timeouts.idle)
        return Limits(timeouts.agent, timeouts.idle)

    @property
    def lock(self) -> str:
        """Two loops on the same thing are refused. A loop that an agent starts below `supervise` is not that."""
        if isinstance(self.loop, SuperviseRun):
            return f"supervise-{blake2b(self.loop.task_dir.encode(), digest_size=8).hexdigest()}.lock"
        return "lock"

    @property
    def environment(self) -> Mapping[str, str]:
        """What the agent finds in its environment about this loop."""
        if not isinstance(self.loop, SuperviseRun):
            return {}
        folder = self.loop.task_dir
        return {"TASK_FOLDER": folder, "RALPH_MESSAGE_BUS": f"{folder}/TASK-MESSAGE-BUS.md"}

    def generator(self) -> Recipe:
        return RECIPES[self.recipe].make(self.loop)


def make_plan(recipe: str, project: Path, settings: Settings, merged: dict[str, Any], loop: Loop) -> Plan:
    command = loop.command if isinstance(loop, SuperviseRun) else ()
    agent = Agent(Generic(), list(command), []) if command else choose(settings)
    return Plan(recipe, project, settings, merged, loop, agent)


def plan_again(run: Run) -> Plan:
    """The plan of a run that was started before, with the settings of that time."""
    kind = RECIPES.get(run.recipe)
    if kind is None or kind.version != run.recipe_version:
        raise StateError(
            f"run {run.id} was made by version {run.recipe_version} of the recipe {run.recipe}, unknown to this ralph.",
            "Start it anew with the command that started it.",
        )
    settings = apply_schema(run.options["settings"])
    loop = msgspec.convert(run.options["loop"], kind.options)
    return make_plan(run.recipe, Path(run.project), settings, run.options["settings"], loop)
