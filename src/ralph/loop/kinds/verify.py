"""The verify recipe from the outside."""

from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import verify
from ralph.kernel.recipes.verify import VerifyRun
from ralph.loop.kinds.base import Kind


class VerifyKind(Kind):
    options = VerifyRun
    unit = "look"
    asks_agents = False

    def generator(self, loop: VerifyRun) -> Recipe:
        return verify.verify_loop(loop)

    def agent(self, _settings: Settings, _loop: VerifyRun, /) -> Agent | None:
        """None, because no agent works: the files are judged as they are."""
        return None

    def lock(self, loop: VerifyRun) -> str:
        """The lock. It does not touch the user's files, so it may run beside other loops."""
        return f"verify-{loop.commit or 'files'}.lock"

    def label(self, loop: VerifyRun) -> str:
        return loop.label or loop.commit
