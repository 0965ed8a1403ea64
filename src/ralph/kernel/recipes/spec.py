"""The spec recipe: the tasks of a spec, as many at once as there are workers, then a review of the whole branch."""

from msgspec import Struct

from ralph.kernel.actions.approval import AwaitPeople
from ralph.kernel.actions.base import Recipe
from ralph.kernel.final_review import FinalReview, whole_branch_ships
from ralph.kernel.task_runs import OnFailure, SpecTask, TaskRuns

NAME = "spec"


class SpecRun(Struct, frozen=True, omit_defaults=True):
    spec: str
    tasks: tuple[SpecTask, ...]
    """The tasks, with dependencies before their dependents."""
    workers: int = 1
    """How many tasks run at once."""
    on_failure: OnFailure = "continue"
    """Whether a failed task skips only the tasks that depend on it, or ends the spec."""
    final: FinalReview | None = None
    """The review of the whole branch; None if nobody reviews it."""
    skipped: tuple[str, ...] = ()
    """The tasks that a person left out when the run was started."""
    pull_request: bool = False
    """Whether a pull request is opened after a good end, no matter which process drives the run to it."""


def spec_loop(run: SpecRun) -> Recipe:
    tasks = TaskRuns(run.tasks, run.workers, run.on_failure)
    while bad := (yield from tasks.run_all()):
        if isinstance(bad, AwaitPeople):
            yield bad
            tasks.persistence.go_on()
        elif (yield from tasks.persistence.give_up(0, bad)) is None:
            return bad
        tasks.schedule.try_again()
    if run.final and (bad := (yield from whole_branch_ships(run.final, tasks, len(run.tasks) + 1))):
        return bad
    return tasks.verdict()
