"""The stage recipe from the outside."""

from ralph.agents.models import with_model
from ralph.agents.registry import Agent, choose_executor, find
from ralph.config.schema import Role, Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import stage
from ralph.kernel.recipes.stage import StageRun
from ralph.loop.kinds.base import Kind


class StageKind(Kind):
    options = StageRun
    has_state_files = True

    def generator(self, loop: StageRun) -> Recipe:
        return stage.stage_loop(loop)

    def agent(self, settings: Settings, loop: StageRun, /) -> Agent:
        return agent_of(settings, loop.stage.role)

    def lock(self, _loop: StageRun) -> str:
        """A stage has no lock, because its task has one."""
        return ""

    def home(self, loop: StageRun) -> str:
        return f"specs/{loop.spec}/iterations/{loop.task.id}/{loop.stage.role}"

    def task(self, loop: StageRun) -> str:
        return loop.task.id

    def label(self, loop: StageRun) -> str:
        return f"{loop.task.id} {loop.stage.role}"


def agent_of(settings: Settings, role: str) -> Agent:
    """The agent that plays a role: its own, or the default executor; with the role's model."""
    of_role = settings.roles.get(role, Role())
    agent = find(settings, of_role.agent) if of_role.agent else choose_executor(settings)
    return with_model(agent, of_role.model)
