"""Actions that wait: for a quota, for a point in time, for a person, or for a child run."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from ralph.kernel.actions.base import Action, judged
from ralph.model.evidence import Result, Spent
from ralph.model.proof import Proof
from ralph.model.rows import Line
from ralph.model.runs import part_name
from ralph.model.words import duration


class Waited(Result, frozen=True):
    duration: float

    @property
    def spent(self) -> Spent:
        return Spent(seconds=self.duration)


class Wait(Action, frozen=True, tag="wait"):
    """Wait until `until_moment` if it is known and in the future, and otherwise for some seconds."""

    seconds: float
    until_moment: float | None
    reason: str
    number: int = 0
    """The number of the wait in its iteration."""
    result: ClassVar[type[Result]] = Waited
    waits: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return str(self.number) if self.number else ""

    @property
    def title(self) -> str:
        return f"waiting: {self.reason}"

    def until(self, now: float) -> float | None:
        return self.until_moment or now + self.seconds

    def begun(self) -> Line:
        return Line(f"⏳ {self.reason}: waiting, not counted as an iteration", "warn")

    def ended(self, result: Any) -> Line:
        return Line(f"· waited {duration(result.duration)}: {self.reason}")


class BackOff(Wait, frozen=True, tag="back-off"):
    """Wait before an agent that failed almost at once is started again."""

    @property
    def title(self) -> str:
        return f"waiting: {self.reason}"

    def begun(self) -> Line:
        return Line(f"⏳ {self.reason}: trying again in {self.seconds:g} s", "warn")

    def ended(self, result: Any) -> Line:  # noqa: ARG002 - its beginning says it all
        return Line()


Limit = Literal["", "iterations", "usd", "tokens", "seconds"]


class Granted(Result, frozen=True):
    """What a person said since then: nothing, so that the run ends; or that it continues, and with which limits."""

    go_on: bool = False
    iterations: int | None = None
    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    seen: int = 0
    """The last control word that was read."""


class GiveUp(Action, frozen=True, tag="give-up"):
    """Ask whether to give up, before every verdict that is not good. A continued run asks its last question again."""

    why: str
    limit: Limit = ""
    """The limit that ends the run. A control word that raises it counts even if it was given before."""
    seen: int = 0
    again: int = 0
    """How many times the run was continued."""
    result: ClassVar[type[Result]] = Granted
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return str(self.again)

    def ended(self, result: Any) -> Line:
        return Line("· continued by a person", "warn") if result.go_on else Line()


class SpentSoFar(Result, frozen=True):
    """What the whole run with all its parts spent."""

    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


class ReadSpent(Action, frozen=True, tag="read-spent"):
    """Read what was spent. A run with a budget asks before each iteration."""

    before: str
    """The action that is about to begin."""
    result: ClassVar[type[Result]] = SpentSoFar
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.before


class ChildEnd(Result, frozen=True):
    """How a child run ended."""

    run_id: str
    verdict: str
    reason: str
    exit_code: int
    iterations: int = 0
    sent_back_to: str = ""
    why: str = ""
    proof: Proof | Literal[""] = ""
    commit: str = ""
    """The commit that the child verified, if it verified one."""
    doubts: tuple[str, ...] = ()
    head: str = ""
    """The last hash of the child's journal, which this run's own chain seals."""

    @property
    def complaint(self) -> str:
        return "" if self.verdict == "verified" else self.reason

    @property
    def iterations_below(self) -> int:
        return self.iterations


class VerifiedStages(Result, frozen=True):
    ends: tuple[ChildEnd, ...] = ()
    """How the first stages of the task ended in an earlier run, as far as that is still valid."""


class FindVerifiedStages(Action, frozen=True, tag="find-verified-stages"):
    """Find the stages that an earlier run verified on exactly the current tree."""

    folder: str
    """The worktree, relative to the project."""
    result: ClassVar[type[Result]] = VerifiedStages
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        runs = ", ".join(end.run_id for end in result.ends)
        return Line(f"· already verified on the same tree, and not run again: {runs}") if runs else Line()


class RunChild(Action, frozen=True, tag="run-child"):
    """Run a child with its own journal: it is stored, and then any process drives it. Its id is `<parent>.<part>`."""

    recipe: str
    part: str
    loop: Mapping[str, Any]
    again: int = 0
    """How many times the child was continued after it had ended badly."""
    result: ClassVar[type[Result]] = ChildEnd

    @property
    def name(self) -> str:
        return f"{part_name(self.part)}-{self.again}" if self.again else part_name(self.part)

    @property
    def title(self) -> str:
        return f"{self.recipe} {self.part}"

    @property
    def begins_iteration(self) -> bool:
        return False

    def complaint(self, result: Any) -> str:
        return f"{self.part}: {result.complaint}" if result.complaint else ""

    def ended(self, result: Any) -> Line:
        end: ChildEnd = result
        return judged(f"{self.title}: {end.verdict}: {end.reason} · {end.run_id}", good=end.verdict == "verified")
