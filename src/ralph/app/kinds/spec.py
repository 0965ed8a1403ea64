"""The spec recipe from the outside."""

from ralph.agents.registry import Agent
from ralph.app.kinds.base import Crew, Kind, Table
from ralph.config.schema import Settings
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import spec
from ralph.kernel.recipes.spec import SpecRun


class SpecKind(Kind):
    version = spec.VERSION
    options = SpecRun

    def generator(self, loop: SpecRun) -> Recipe:
        return spec.spec_loop(loop)

    def agent(self, _settings: Settings, _loop: SpecRun, /) -> Agent | None:
        """The stages of its tasks have theirs."""
        return None

    def lock(self, loop: SpecRun) -> str:
        return f"spec-{loop.spec}.lock"

    def label(self, loop: SpecRun) -> str:
        return loop.spec

    def fruit(self, loop: SpecRun) -> str:
        return f"The work is on the branch ralph/{loop.spec}. Take it over: git merge ralph/{loop.spec}"

    def actions(self, crew: Crew) -> Table:
        from ralph.app.children import Children

        return Children(crew).table
