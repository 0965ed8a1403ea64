"""The stage recipe from the outside."""

from pathlib import Path

from ralph.agents.models import with_model
from ralph.agents.registry import Agent, choose, find
from ralph.app.kinds.base import Crew, Kind, Table
from ralph.config.schema import Role, Settings
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import stage
from ralph.kernel.recipes.stage import StageRun


class StageKind(Kind):
    version = stage.VERSION
    options = StageRun

    def generator(self, loop: StageRun) -> Recipe:
        return stage.stage_loop(loop)

    def agent(self, settings: Settings, loop: StageRun, /) -> Agent:
        return agent_of(settings, loop.stage.role)

    def lock(self, _loop: StageRun) -> str:
        """Its task has one."""
        return ""

    def workdir(self, loop: StageRun) -> Path:
        return Path(loop.worktree.folder)

    def task(self, loop: StageRun) -> str:
        return loop.task.id

    def label(self, loop: StageRun) -> str:
        return f"{loop.task.id} {loop.stage.role}"

    def actions(self, crew: Crew) -> Table:
        from ralph.loop.staging import Staging

        assert crew.agent  # noqa: S101 - a stage has one, see above
        return Staging(crew.equipment, crew.agent, crew.limits).table


def agent_of(settings: Settings, role: str) -> Agent:
    """The agent that plays a role: its own, or the default one; with the role's model."""
    of_role = settings.roles.get(role, Role())
    agent = find(settings, of_role.agent) if of_role.agent else choose(settings)
    return with_model(agent, of_role.model)
