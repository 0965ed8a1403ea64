"""The spec recipe from the outside."""

from collections.abc import Sequence

from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import spec
from ralph.kernel.recipes.spec import SpecRun
from ralph.loop.kinds.base import Kind
from ralph.loop.kinds.chunk import worker


class SpecKind(Kind):
    options = SpecRun
    has_state_files = True
    home_unit = "round"

    def generator(self, loop: SpecRun) -> Recipe:
        return spec.spec_loop(loop)

    def agent(self, settings: Settings, loop: SpecRun, /) -> Agent | None:
        """The agent that reviews the whole branch. The tasks have agents of their own."""
        return worker(settings) if loop.final else None

    def lock(self, loop: SpecRun) -> str:
        return f"spec-{loop.spec}.lock"

    def home(self, loop: SpecRun) -> str:
        """The folder of the reviews of the whole branch."""
        return f"specs/{loop.spec}/final"

    def tasks(self, loop: SpecRun) -> Sequence[str]:
        return [each.loop.task.id for each in loop.tasks]

    def label(self, loop: SpecRun) -> str:
        return loop.spec

    def delivered_to(self, loop: SpecRun) -> str:
        return f"The work is on the branch ralph/{loop.spec}. Merge it: git merge ralph/{loop.spec}"
