"""The story-plan recipe from the outside."""

from ralph.kernel.actions.base import Recipe
from ralph.kernel.plan_options import StoryPlanRun
from ralph.kernel.recipes import story_plan
from ralph.loop.kinds.base import Kind


class StoryPlanKind(Kind):
    options = StoryPlanRun
    unit = "call"
    stops_at_once = True
    asks_people = True
    asked_by = "ralph prd plan"

    def generator(self, loop: StoryPlanRun) -> Recipe:
        return story_plan.story_plan_loop(loop)

    def lock(self, loop: StoryPlanRun) -> str:  # noqa: ARG002 - one at a time, whatever it plans
        """The lock. Until the plan is written it does not touch the user's files, so it may run beside other loops."""
        return "story-plan.lock"

    def label(self, loop: StoryPlanRun) -> str:
        return f"{loop.folder}/"
