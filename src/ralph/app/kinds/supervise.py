"""The supervise recipe from the outside."""

import shlex
from collections.abc import Mapping
from hashlib import blake2b

from ralph.agents.generic import Generic
from ralph.agents.registry import Agent, choose
from ralph.agents.run import Limits
from ralph.app.kinds.base import Crew, Kind, Table
from ralph.config.schema import Settings
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.model.verdicts import AnyVerdict

GRACE = 5.0


class SuperviseKind(Kind):
    version = supervise.VERSION
    options = SuperviseRun
    unit = "start"
    # A supervised command knows nothing of us: it is ended at once, not waited for.
    stops_at_once = True

    def generator(self, loop: SuperviseRun) -> Recipe:
        return supervise.supervise(loop)

    def agent(self, settings: Settings, loop: SuperviseRun, /) -> Agent:
        return Agent(Generic(), list(loop.command), []) if loop.command else choose(settings)

    def limits(self, settings: Settings, loop: SuperviseRun, /) -> Limits:
        # A command that the user typed may be silent for as long as it likes.
        return Limits(loop.timeout, None if loop.command else settings.timeouts.idle)

    def lock(self, loop: SuperviseRun) -> str:
        """A loop that an agent starts below `supervise` is not a second one on the same thing."""
        return f"supervise-{blake2b(loop.task_dir.encode(), digest_size=8).hexdigest()}.lock"

    def environment(self, loop: SuperviseRun) -> Mapping[str, str]:
        return {"TASK_FOLDER": loop.task_dir, "RALPH_MESSAGE_BUS": f"{loop.task_dir}/TASK-MESSAGE-BUS.md"}

    def limit(self, loop: SuperviseRun) -> int:
        return loop.max_restarts

    def label(self, loop: SuperviseRun) -> str:
        return shlex.join(loop.command)

    def ended(self, crew: Crew, _verdict: AnyVerdict) -> None:
        """Runs that its agents left behind had their time: nothing of the loop survives it."""
        from ralph.proc.reaper import adopted

        if adopted() != []:
            from ralph.proc.tree import end

            end(None, f"RALPH_RUN_ID={crew.run.id}", grace=GRACE)

    def actions(self, crew: Crew) -> Table:
        from ralph.loop.supervising import Supervising

        return Supervising(crew.run, crew.loop, crew.connection, crew.journal, crew.stop).table
