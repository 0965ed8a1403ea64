"""The spec-plan recipe from the outside."""

from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.plan_options import SpecPlanRun
from ralph.kernel.recipes import spec_plan
from ralph.loop.kinds.base import Kind
from ralph.loop.kinds.chunk import worker


class SpecPlanKind(Kind):
    options = SpecPlanRun
    unit = "call"
    stops_at_once = True
    asks_people = True

    def generator(self, loop: SpecPlanRun) -> Recipe:
        return spec_plan.spec_plan_loop(loop)

    def agent(self, settings: Settings, _loop: SpecPlanRun, /) -> Agent:
        """The agent that plans if no planner is named."""
        return worker(settings)

    def lock(self, loop: SpecPlanRun) -> str:
        return f"spec-plan-{loop.spec}.lock"

    def label(self, loop: SpecPlanRun) -> str:
        return loop.spec

    def delivered_to(self, loop: SpecPlanRun) -> str:
        return f"See it: ralph spec show {loop.spec}"
