"""The review recipe from the outside."""

from ralph.agents.registry import Agent, choose_executor
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import review
from ralph.kernel.recipes.review import ReviewRun
from ralph.loop.kinds.base import Kind


class ReviewKind(Kind):
    options = ReviewRun
    unit = "look"

    def generator(self, loop: ReviewRun) -> Recipe:
        return review.review_loop(loop)

    def agent(self, settings: Settings, loop: ReviewRun, /) -> Agent | None:
        """No agent works here; a reviewer without its own agent is a model of the agent that would work."""
        return None if loop.by.command else choose_executor(settings)

    def lock(self, loop: ReviewRun) -> str:
        """The lock. A review does not touch the user's files, so it may run beside other loops."""
        return f"review-{loop.by.tier}-{loop.commit}.lock"

    def label(self, loop: ReviewRun) -> str:
        return loop.label or loop.commit
