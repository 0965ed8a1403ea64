"""The supervise recipe from the outside."""

from collections.abc import Mapping
from hashlib import blake2b

from ralph.agents.generic import Generic
from ralph.agents.registry import Agent, choose
from ralph.agents.run import TimeLimits
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.loop.kinds.base import Facts, Kind
from ralph.model.verdicts import AnyVerdict
from ralph.store.projects import resolved

GRACE = 5.0


class SuperviseKind(Kind):
    options = SuperviseRun
    sandbox = "none"
    unit = "start"
    # A supervised command knows nothing about ralph: it is ended at once, not waited for.
    stops_at_once = True

    def generator(self, loop: SuperviseRun) -> Recipe:
        return supervise.supervise(loop)

    def has_checks(self, _loop: SuperviseRun) -> bool:
        return False

    def agent(self, settings: Settings, loop: SuperviseRun, /) -> Agent:
        return Agent(Generic(), list(loop.command), []) if loop.command else choose(settings)

    def limits(self, settings: Settings, loop: SuperviseRun, /) -> TimeLimits:
        # A command that the user typed may be silent for any time.
        return TimeLimits(loop.timeout, None if loop.command else settings.timeouts.idle, "--timeout")

    def lock(self, loop: SuperviseRun) -> str:
        """The lock. A loop that an agent starts below `supervise` is not a second one on the same thing."""
        place = f"{loop.task_dir.host}:{loop.task_dir.path}"
        return f"supervise-{blake2b(place.encode(), digest_size=8).hexdigest()}.lock"

    def environment(self, context: Facts) -> Mapping[str, str]:
        folder = resolved(context.project, context.loop.task_dir)
        return {"TASK_FOLDER": str(folder), "RALPH_MESSAGE_BUS": f"{folder}/TASK-MESSAGE-BUS.md"}

    def limit(self, loop: SuperviseRun) -> int:
        return loop.max_restarts

    def label(self, loop: SuperviseRun) -> str:
        return loop.file.path if loop.file else loop.title

    def ended(self, context: Facts, _verdict: AnyVerdict) -> None:
        """End the runs that its agents left behind: nothing of the loop survives it."""
        from ralph.proc.reaper import adopted

        if adopted() != []:
            from ralph.proc.tree import end_orphans

            end_orphans(f"RALPH_RUN_ID={context.run_id}", grace=GRACE)
