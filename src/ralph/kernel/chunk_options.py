"""The options of a chunk's run, as they are stored."""

from typing import Literal

from ralph.kernel.delivering import NamedVerification
from ralph.kernel.task_work import TaskOptions
from ralph.kernel.verification import commands_of
from ralph.model.places import Place, task_place
from ralph.model.reviews import ReviewBy
from ralph.model.verification import MultiStage, Semantic

NAME = "chunk"
VERIFICATION = "verification"


class ChunkRun(TaskOptions, frozen=True, omit_defaults=True, kw_only=True, tag=NAME):
    limit: int
    check: MultiStage | None = None
    """The verification steps, and the criteria that commands check."""
    judged: Semantic | None = None
    """The criteria that a model judges."""
    quick: ReviewBy | None = None
    """Who reviews each attempt that passes its verification; None if that tier is off."""
    deep: ReviewBy | None = None
    """Who reviews an attempt before it ships."""
    relevant_files: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    """The tasks whose summaries the agent is told."""
    project_rules: tuple[str, ...] = ()
    """The rules that every agent of the project must follow."""
    on_revise: Literal["discard", "keep"] = "discard"
    """What happens to an attempt that is not good enough."""

    @property
    def place(self) -> Place:
        return task_place(self.task.id)

    @property
    def commands(self) -> tuple[str, ...]:
        return commands_of(self.check) if self.check else ()

    @property
    def checks(self) -> tuple[NamedVerification, ...]:
        """The checks that must pass on any tree that is delivered."""
        return (NamedVerification(VERIFICATION, self.check),) if self.check else ()
