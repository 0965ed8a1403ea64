"""Actions of the supervise recipe: markers in the task directory, messages on the bus, and child runs."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action, judged
from ralph.kernel.actions.waiting import Waited
from ralph.model.evidence import Result, Spent
from ralph.model.projects import Located
from ralph.model.rows import Line

CALM = ("INFO", "FACT")


class Markers(Result, frozen=True):
    """What the task directory says."""

    done: bool = False
    waits_for: str = ""
    problem: str = ""
    bus_seen: str = ""
    """The id of the last message that was read."""

    @property
    def complaint(self) -> str:
        return self.problem


class LookForMarkers(Action, frozen=True, tag="look-for-markers"):
    task_dir: Located
    bus_seen: str
    when: str = "after"
    """Whether the look is before a start or after it."""
    result: ClassVar[type[Result]] = Markers
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.when

    def ended(self, result: Any) -> Line:  # noqa: ARG002 - others show it
        """Nothing: a problem is posted, and shown with the post."""
        return Line()


class AwaitGo(Action, frozen=True, tag="await-go"):
    """Block the run here. A resumed run goes on once nothing asks it to wait any more."""

    task_dir: Located
    waits_for: str
    when: str = "after"

    @property
    def name(self) -> str:
        return self.when

    @property
    def title(self) -> str:
        return "waiting"


class Restart(Action, frozen=True, tag="restart"):
    """Report the restart on the bus, and wait a little."""

    task_dir: Located
    message_type: str
    body: str
    seconds: float
    result: ClassVar[type[Result]] = Waited
    waits: ClassVar[bool] = True

    @property
    def effect(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride] - read in the same way
        """Whether the restart waits, because a wait is shown while it lasts. Without one, a kill at this point costs at
        most a repeated message.
        """
        return self.seconds > 0

    @property
    def title(self) -> str:
        return "waiting to restart"

    def until(self, now: float) -> float | None:
        return now + self.seconds

    def begun(self) -> Line:
        return self._said()

    def ended(self, result: Any) -> Line:  # noqa: ARG002 - what is said does not depend on it
        # The line was shown at the start, if the action has one.
        return Line() if self.effect else self._said()

    def _said(self) -> Line:
        if self.message_type == "ERROR":
            return judged(self.body, good=False)
        return Line(f"· {self.body}", "quiet" if self.message_type in CALM else "warn")


class PostMessage(Action, frozen=True, tag="post-message"):
    task_dir: Located
    message_type: str
    body: str
    to_project: bool = False
    when: str = ""

    @property
    def name(self) -> str:
        return f"{self.message_type}-{self.when}" if self.when else self.message_type

    def begun(self) -> Line:
        if self.message_type == "ERROR":
            return judged(self.body, good=False)
        return Line(f"· {self.body}", "quiet" if self.message_type in CALM else "warn")


class ChildrenLeft(Result, frozen=True):
    running: int
    duration: float = 0.0

    @property
    def spent(self) -> Spent:
        return Spent(seconds=self.duration)


class WaitForChildren(Action, frozen=True, tag="wait-for-children"):
    seconds: float
    poll_interval: float
    when: str = "after"
    result: ClassVar[type[Result]] = ChildrenLeft
    waits: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.when

    @property
    def title(self) -> str:
        return "waiting for child runs"

    def until(self, now: float) -> float | None:
        return now + self.seconds
