"""What a recipe may ask for. Each action names the type of the result that comes back."""

from collections.abc import Generator
from typing import Any, ClassVar, Literal

from msgspec import Struct

from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import AnyVerdict
from ralph.model.verification import Verification

Purpose = Literal["work", "commit-message"]


class Action(Struct, frozen=True, tag_field="do", omit_defaults=True):
    iteration: int

    result: ClassVar[type[Any]] = type(None)
    effect: ClassVar[bool] = True
    """Whether its start must be on disk before it is performed. A pure read may simply be done again."""


class ReadPrompt(Action, frozen=True, tag="read-prompt"):
    file: str
    result: ClassVar[type[Any]] = str
    effect: ClassVar[bool] = False


class RunAgent(Action, frozen=True, tag="run-agent"):
    prompt: str
    purpose: Purpose = "work"
    agent: str = ""
    """Another agent than the run's own, which has to wait for its quota."""
    retry: int = 0
    """How often this very call was made before, and refused for a used-up quota."""
    shortened: bool = False
    """Made again with less feedback, because the prompt was too long."""
    done_file: str = ""
    """A file that says, while the agent still runs, that it may go."""
    result: ClassVar[type[Any]] = AgentReport


class Waited(Struct, frozen=True):
    duration: float


class Wait(Action, frozen=True, tag="wait"):
    """Until the moment `until` if it is known and ahead, else for some seconds."""

    seconds: float
    until: float | None
    reason: str
    result: ClassVar[type[Any]] = Waited


class RunCommand(Action, frozen=True, tag="run-command"):
    """A guardrail: its whole output goes to a log file, its beginning into the evidence."""

    command: str
    slug: str
    result: ClassVar[type[Any]] = Evidence


class ReadResponse(Action, frozen=True, tag="read-response"):
    """Does the agent's final message say `expected` in its first response tag?"""

    attempt_dir: str
    expected: str
    plain: bool = False
    result: ClassVar[type[Any]] = Evidence
    effect: ClassVar[bool] = False


class CommitMessage(Struct, frozen=True):
    text: str
    problem: str = ""


class ReadCommitMessage(Action, frozen=True, tag="read-commit-message"):
    attempt_dir: str
    plain: bool = False
    result: ClassVar[type[Any]] = CommitMessage
    effect: ClassVar[bool] = False


class Staged(Struct, frozen=True):
    """Whether there is anything to commit."""

    pending: bool
    problem: str = ""


class StageChanges(Action, frozen=True, tag="stage-changes"):
    command: str
    result: ClassVar[type[Any]] = Staged


class RunScmTask(Action, frozen=True, tag="run-scm-task"):
    command: str
    task: str
    message: str = ""
    result: ClassVar[type[Any]] = Evidence


class Markers(Struct, frozen=True, omit_defaults=True):
    """What the task directory says."""

    done: bool = False
    waits_for: str = ""
    problem: str = ""
    bus_seen: str = ""
    """The id of the last message that was looked at."""


class LookForMarkers(Action, frozen=True, tag="look-for-markers"):
    task_dir: str
    bus_seen: str
    result: ClassVar[type[Any]] = Markers
    effect: ClassVar[bool] = False


class AwaitGo(Action, frozen=True, tag="await-go"):
    """End here, blocked; a resumed run goes on once nothing says any more that it should wait."""

    task_dir: str
    waits_for: str


class Restart(Action, frozen=True, tag="restart"):
    """Say so on the bus, and wait a little."""

    task_dir: str
    message_type: str
    body: str
    seconds: float
    result: ClassVar[type[Any]] = Waited

    @property
    def effect(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride] - read in the same way
        """A wait can be seen while it lasts. Without one a kill just here costs no more than a message said twice."""
        return self.seconds > 0


class PostMessage(Action, frozen=True, tag="post-message"):
    task_dir: str
    message_type: str
    body: str
    to_project: bool = False


class ChildrenLeft(Struct, frozen=True):
    running: int
    duration: float = 0.0


class WaitForChildren(Action, frozen=True, tag="wait-for-children"):
    seconds: float
    poll_interval: float
    result: ClassVar[type[Any]] = ChildrenLeft


class Claim(Struct, frozen=True, omit_defaults=True):
    """What the final message says about the stage: a promise, or that an earlier stage must work again."""

    promise: str | None = None
    reject_stage: str = ""
    reject_why: str = ""


class ReadClaim(Action, frozen=True, tag="read-claim"):
    attempt_dir: str
    expected: str
    earlier: tuple[str, ...] = ()
    """The stages that may be sent back to."""
    plain: bool = False
    result: ClassVar[type[Any]] = Claim
    effect: ClassVar[bool] = False


class Saved(Struct, frozen=True, omit_defaults=True):
    commit: str
    tree: str
    changed: bool


class SaveWork(Action, frozen=True, tag="save-work"):
    """Commit all that the agent left in the worktree, so that what is verified is what is kept."""

    message: str
    result: ClassVar[type[Any]] = Saved


class Verify(Action, frozen=True, tag="verify"):
    """Is the claim true? `base` is the commit that the work began at."""

    check: Verification
    promise: str
    attempt_dir: str
    base: str
    plain: bool = False
    retry: int = 0
    """How often this very question was asked before, and refused for a used-up quota."""
    result: ClassVar[type[Any]] = Evidence


class Worktree(Struct, frozen=True, omit_defaults=True):
    path: str
    folder: str
    """The project in it: the same as `path`, unless the project is a part of its repository."""
    branch: str
    base: str
    """The commit that the work began at."""
    spec_branch: str
    reused: bool = False
    """It was there with the work of an earlier run."""


class OpenWorktree(Action, frozen=True, tag="open-worktree"):
    spec: str
    task: str
    fresh: bool = False
    result: ClassVar[type[Any]] = Worktree


class FurnishWorktree(Action, frozen=True, tag="furnish-worktree"):
    """Copy what git does not know and the task needs, and run, once, the command that prepares a worktree."""

    worktree: Worktree
    copy: tuple[str, ...] = ()
    init: str = ""
    result: ClassVar[type[Any]] = Evidence


class Delivered(Struct, frozen=True, omit_defaults=True):
    commit: str
    """The one commit on the branch of the spec; empty if nothing has changed."""
    problem: str = ""
    left: str = ""
    """Why the worktree is still there, if it is."""


class DeliverWork(Action, frozen=True, tag="deliver-work"):
    """Put the whole change of the task on the branch of its spec, as one commit, and take the worktree away."""

    worktree: Worktree
    task: str
    message: str
    result: ClassVar[type[Any]] = Delivered


class ChildEnd(Struct, frozen=True, omit_defaults=True):
    """How a run ended that is a part of this one."""

    run_id: str
    verdict: str
    reason: str
    exit_code: int
    iterations: int = 0
    sent_back_to: str = ""
    why: str = ""
    duration: float = 0.0
    cost_usd: float | None = None
    tokens: Tokens = Tokens()


class RunChild(Action, frozen=True, tag="run-child"):
    """A run of its own, below this one in the tree, driven to its end."""

    recipe: str
    name: str
    loop: dict[str, Any]
    result: ClassVar[type[Any]] = ChildEnd


AnyAction = (
    ReadPrompt
    | RunAgent
    | Wait
    | RunCommand
    | ReadResponse
    | ReadCommitMessage
    | StageChanges
    | RunScmTask
    | LookForMarkers
    | AwaitGo
    | Restart
    | PostMessage
    | WaitForChildren
    | ReadClaim
    | SaveWork
    | Verify
    | OpenWorktree
    | FurnishWorktree
    | DeliverWork
    | RunChild
)
Recipe = Generator[AnyAction, Any, AnyVerdict]
