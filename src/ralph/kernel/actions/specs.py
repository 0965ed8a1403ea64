"""Actions of a whole spec: a look at its branch, and a task that fixes what a review of it found."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action
from ralph.kernel.stage_text import TaskText
from ralph.model.evidence import Result
from ralph.model.rows import Line


class Branch(Result, frozen=True):
    """What a spec's branch holds, and whether that is the whole spec."""

    about: TaskText
    """The spec as the task text that a reviewer reads."""
    base: str = ""
    """The commit at which the branch began."""
    tip: str = ""
    open: tuple[str, ...] = ()
    """The tasks of the spec that are neither completed nor skipped."""

    @property
    def is_empty(self) -> bool:
        return self.base == self.tip


class LookAtBranch(Action, frozen=True, tag="look-at-branch"):
    spec: str
    start: str = ""
    """The git name of the branch's start; empty means the tip of the user's own branch."""
    result: ClassVar[type[Result]] = Branch
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        branch: Branch = result
        if not branch.open:
            return Line()
        return Line(f"· no final review yet: {', '.join(branch.open)} of {self.spec} still open")


class AddedTask(Result, frozen=True):
    id: str


class AddFixingTask(Action, frozen=True, tag="add-fixing-task"):
    """Add a task to the spec that fixes what the final review found."""

    spec: str
    task_title: str
    description: str
    relevant_files: tuple[str, ...] = ()
    result: ClassVar[type[Result]] = AddedTask

    @property
    def title(self) -> str:
        return "making a task from what the final review found"

    def ended(self, result: Any) -> Line:
        return Line(f"· {result.id}: {self.task_title}", "warn")
