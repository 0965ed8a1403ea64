"""The task recipe from the outside."""

from contextlib import suppress

from ralph.agents.registry import Agent
from ralph.app.kinds.base import Crew, Kind, Table
from ralph.config.schema import Settings
from ralph.kernel.actions import Recipe
from ralph.kernel.recipes import task
from ralph.kernel.recipes.task import TaskRun
from ralph.model.errors import ConfigError
from ralph.model.tasks import TaskStatus
from ralph.model.verdicts import AnyVerdict, Stopped


class TaskKind(Kind):
    version = task.VERSION
    options = TaskRun

    def generator(self, loop: TaskRun) -> Recipe:
        return task.task_loop(loop)

    def agent(self, _settings: Settings, _loop: TaskRun, /) -> Agent | None:
        """Its stages have theirs."""
        return None

    def lock(self, loop: TaskRun) -> str:
        return f"task-{loop.task.id}.lock"

    def task(self, loop: TaskRun) -> str:
        return loop.task.id

    def label(self, loop: TaskRun) -> str:
        return loop.task.id

    def fruit(self, loop: TaskRun) -> str:
        return f"The work is on the branch ralph/{loop.spec}. Take it over: git merge ralph/{loop.spec}"

    def actions(self, crew: Crew) -> Table:
        from ralph.app.children import Children
        from ralph.loop.worktrees import Worktrees

        return Worktrees(crew.equipment).table | Children(crew).table

    def begun(self, crew: Crew) -> None:
        _set(crew, "running")

    def ended(self, crew: Crew, verdict: AnyVerdict) -> None:
        # What was stopped from outside has neither failed nor succeeded: it can go on.
        word: TaskStatus = "pending" if isinstance(verdict, Stopped) else "failed"
        _set(crew, "completed" if verdict.kind == "verified" else word)


def _set(crew: Crew, status: TaskStatus) -> None:
    from ralph.store.tasks import set_status

    # A task that was deleted meanwhile needs no status, and its run an end all the same.
    with suppress(ConfigError):
        set_status(crew.connection, crew.run.project, crew.loop.task.id, status, iteration=crew.journal.iterations)
