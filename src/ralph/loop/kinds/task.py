"""The task recipe, and what all recipes of one task have in common, from the outside."""

from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.kernel.recipes import task
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.task_work import TaskOptions
from ralph.loop.kinds.base import Facts, Kind
from ralph.model.tasks import TaskStatus
from ralph.model.verdicts import AnyVerdict, CancelledRun, Stopped


class OneTask(Kind):
    """A recipe that drives one task to its end: one run at a time, and the task has a status."""

    def lock(self, loop: TaskOptions) -> str:
        return f"task-{loop.task.id}.lock"

    def home(self, loop: TaskOptions) -> str:
        return f"specs/{loop.spec}/iterations/{loop.task.id}"

    def task(self, loop: TaskOptions) -> str:
        return loop.task.id

    def label(self, loop: TaskOptions) -> str:
        return loop.task.id

    def delivered_to(self, loop: TaskOptions) -> str:
        return f"The work is on the branch ralph/{loop.spec}. Merge it: git merge ralph/{loop.spec}"

    def begun(self, context: Facts) -> None:
        _set(context, "running")

    def ended(self, context: Facts, verdict: AnyVerdict) -> None:
        # A run that was stopped from outside has neither failed nor succeeded: it can continue.
        word: TaskStatus = "pending" if isinstance(verdict, Stopped | CancelledRun) else "failed"
        status: TaskStatus = "completed" if verdict.kind == "verified" else word
        _set(context, status, verdict.reason if status == "failed" else "")


class TaskKind(OneTask):
    options = TaskRun
    home_unit = "delivery"

    def generator(self, loop: TaskRun) -> Recipe:
        return task.task_loop(loop)

    def agent(self, _settings: Settings, _loop: TaskRun, /) -> Agent | None:
        """None, because the stages have their own agents."""
        return None


def _set(context: Facts, status: TaskStatus, error: str = "") -> None:
    from ralph.store.tasks import set_status

    iteration = context.journal.iterations
    set_status(context.store, context.project_id, context.loop.task.id, status, iteration, error)
