"""Actions of a story loop: its branch and plan, the marker of an iteration, and what an iteration leaves."""

# ruff: noqa: RUF012 - a struct copies its empty dict for each instance

from typing import Any, ClassVar, Literal

from ralph.kernel.actions.base import Action
from ralph.model.evidence import Result
from ralph.model.git_rules import GitRules
from ralph.model.proof import Finding
from ralph.model.rows import Line

SHORT_HASH = 8
PlanEdit = Literal["send-back", "approve-at-cap", "block"]


class OpenedStories(Result, frozen=True):
    """The branch is checked out, and the plan is committed on it."""

    base: str
    """The commit at which the work began."""
    head: str
    plan: dict[str, Any]
    told: tuple[str, ...] = ()
    programs: dict[str, str] = {}
    """The programs that the verify commands start, recorded before the agent first ran."""
    git: GitRules | None = None
    """The git rules, recorded at the same time."""


class OpenStories(Action, frozen=True, tag="open-stories"):
    branch: str
    folder: str
    """The folder of the plan, relative to the project."""
    result: ClassVar[type[Result]] = OpenedStories

    @property
    def title(self) -> str:
        return f"checking out {self.branch}"

    def ended(self, result: Any) -> Line:
        return Line("\n".join(f"· {each}" for each in result.told)) if result.told else Line()


class BegunStory(Result, frozen=True):
    """The state at the beginning of an iteration. No agent can change it afterwards."""

    mode: str
    story: str
    """The id of the iteration's story; empty if all stories are done and something else is missing."""
    head: str
    plan: dict[str, Any]
    prompt: str
    dirty: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


class BeginStory(Action, frozen=True, tag="begin-story"):
    """Read the plan, choose the mode, and write the marker that the hooks read."""

    folder: str
    branch: str
    limit: int
    cap: int
    skip_review: bool
    user_files: tuple[str, ...] = ()
    call: int = 0
    """How many earlier calls of the agent in this iteration produced nothing or were killed."""
    result: ClassVar[type[Result]] = BegunStory

    @property
    def name(self) -> str:
        return f"call-{self.call}" if self.call else ""

    @property
    def title(self) -> str:
        return "reading the plan"

    def ended(self, result: Any) -> Line:
        about = f" {result.story}" if result.story else ": all stories are done"
        return Line(
            "\n".join((*(f"! {each}" for each in result.told), f"· {result.mode}{about}")),
            "warn" if result.told else "quiet",
        )


class SettledStory(Result, frozen=True):
    """What an iteration left, after everything that is not allowed was undone."""

    plan: dict[str, Any]
    head: str
    problems: tuple[str, ...] = ()
    """What was undone and what is missing, for the next agent."""
    dirty: tuple[str, ...] = ()
    """The files that are not committed."""
    changed: bool = True
    """Whether anything differs from before."""
    findings: tuple[Finding, ...] = ()

    @property
    def complaint(self) -> str:
        return "; ".join(self.problems)


class SettleStory(Action, frozen=True, tag="settle-story"):
    """Compare what the agent left with the rules, undo what is not allowed, and commit that.

    A pause does not delay this: what a person changes during the pause is not the agent's work.
    """

    can_be_held: ClassVar[bool] = False

    start: BegunStory
    folder: str
    branch: str
    base: str
    cap: int
    skip_review: bool
    again: int = 0
    call: int = 0
    user_files: tuple[str, ...] = ()
    git: GitRules | None = None
    result: ClassVar[type[Result]] = SettledStory

    @property
    def name(self) -> str:
        parts = [f"call-{self.call}"] if self.call else []
        parts += [f"again-{self.again}"] if self.again else []
        return "-".join(parts)

    @property
    def title(self) -> str:
        return "checking the plan"

    def ended(self, result: Any) -> Line:
        return Line("\n".join(f"! {each}" for each in result.problems), "warn") if result.problems else Line()


class EditedPlan(Result, frozen=True):
    plan: dict[str, Any]
    head: str


class EditPlan(Action, frozen=True, tag="edit-plan"):
    """Write ralph's own decisions about stories into the plan, and commit it."""

    what: PlanEdit
    stories: tuple[str, ...]
    text: str
    folder: str
    branch: str
    skip_review: bool = False
    user_files: tuple[str, ...] = ()
    call: int = 0
    result: ClassVar[type[Result]] = EditedPlan

    @property
    def name(self) -> str:
        return f"{self.what}-call-{self.call}" if self.call else self.what

    @property
    def title(self) -> str:
        return "writing the plan"

    def ended(self, result: Any) -> Line:  # noqa: ARG002 - it says what was asked for
        names = ", ".join(self.stories)
        words = {"send-back": "sent back, the verify commands fail", "approve-at-cap": "approved at the review cap"}
        return Line(f"! {names}: {words.get(self.what, 'blocked')}", "warn")
