"""Actions of tasks and their stages: a worktree, the work in it, its verification, and its delivery."""

# ruff: noqa: RUF012 - a struct copies its empty dict for each instance

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action, judged
from ralph.model.evidence import Evidence, Result
from ralph.model.git_rules import GitRules
from ralph.model.proof import Finding
from ralph.model.rows import Line

SHORT_HASH = 8


class Saved(Result, frozen=True):
    commit: str
    tree: str
    changed: bool
    findings: tuple[Finding, ...] = ()
    """The files that git was told to overlook."""
    made_again: str = ""
    """The branch from which the worktree was made again since the last save, because it had been deleted."""


class SaveWork(Action, frozen=True, tag="save-work"):
    """Commit everything that the agent left in the worktree, so that exactly what is verified is kept."""

    message: str
    again: int = 0
    base: str = ""
    """The commit at which the work began. Hidden work is reported relative to it."""
    branch: str = ""
    """The branch that must hold the commit, whatever the agent did to HEAD."""
    git: GitRules | None = None
    """The git rules from before the agent first ran. No others decide about the commit."""
    result: ClassVar[type[Result]] = Saved

    @property
    def name(self) -> str:
        return f"again-{self.again}" if self.again else ""

    @property
    def title(self) -> str:
        return "saving the work"

    def ended(self, result: Any) -> Line:
        lines = [f"· committed as {result.commit[:SHORT_HASH]}"] if result.changed else []
        lost = "! the worktree had been deleted. It was created again from {}: uncommitted work is lost"
        warnings = [lost.format(result.made_again)] if result.made_again else []
        warnings += [f"! {each.text}" for each in result.findings]
        return Line("\n".join(lines + warnings), "warn" if warnings else "quiet") if lines or warnings else Line()


class Worktree(Result, frozen=True):
    path: str
    """The path relative to the project, as `folder` is."""
    folder: str
    """The project's folder in the worktree: the same as `path`, unless the project is only a part of its repository."""
    branch: str
    base: str
    """The commit at which the work began."""
    spec_branch: str
    reused: bool = False
    """Whether the worktree existed with the work of an earlier run."""
    programs: dict[str, str] = {}
    """The programs that the checks start, recorded before the agent first ran."""
    git: GitRules | None = None
    """The git rules, recorded before the agent first ran."""

    @property
    def prefix(self) -> str:
        """The project's folder in its repository; empty if the project is the whole repository."""
        return self.folder.removeprefix(self.path).strip("/")

    base_tree: str = ""
    """The tree of the base."""


class OpenWorktree(Action, frozen=True, tag="open-worktree"):
    spec: str
    task: str
    fresh: bool = False
    base: str = ""
    """Where the spec's branch begins if it does not exist; empty means the tip of the user's own branch."""
    result: ClassVar[type[Result]] = Worktree

    @property
    def title(self) -> str:
        return "opening the worktree"

    def ended(self, result: Any) -> Line:
        kept = ", with the work of an earlier run" if result.reused else ""
        return Line(f"· worktree {result.path} on {result.branch}{kept}")


class Start(Result, frozen=True):
    """The state before an agent could change it. Later changes do not count."""

    programs: dict[str, str] = {}
    git: GitRules | None = None
    tree: str = ""
    """The tree of the base."""


class RecordStart(Action, frozen=True, tag="record-start"):
    """Record which programs the checks start and the git rules, before any agent runs."""

    worktree: Worktree
    commands: tuple[str, ...] = ()
    result: ClassVar[type[Result]] = Start


class SetUpWorktree(Action, frozen=True, tag="set-up-worktree"):
    """Copy the files that git does not track and the task needs, and run the command that prepares a worktree once."""

    worktree: Worktree
    copy: tuple[str, ...] = ()
    init: str = ""
    again: int = 0
    result: ClassVar[type[Result]] = Evidence

    @property
    def name(self) -> str:
        return f"again-{self.again}" if self.again else ""

    @property
    def title(self) -> str:
        return f"preparing the worktree: {self.init}" if self.init else "preparing the worktree"

    def ended(self, result: Any) -> Line:
        if not self.init and not self.copy and result.passed:
            return Line()
        return judged(f"{self.init or 'worktree'}: {result.reason}", good=result.passed)


class Discarded(Result, frozen=True):
    ref: str = ""
    """The ref that keeps the attempt; empty if it changed nothing."""


class DiscardWork(Action, frozen=True, tag="discard-work"):
    """Undo a failed attempt: a ref keeps it reachable, and the worktree is reset to where the work began."""

    worktree: Worktree
    task: str
    commit: str
    """The commit of the attempt."""
    result: ClassVar[type[Result]] = Discarded

    @property
    def title(self) -> str:
        return "discarding the attempt"

    def ended(self, result: Any) -> Line:
        kept = f"kept as {result.ref}" if result.ref else "it had changed nothing"
        return Line(f"· the attempt was discarded, {kept}")


class Unfinished(Result, frozen=True):
    """A delivery whose run was killed before it could report it; empty if there is none."""

    commit: str = ""
    before: str = ""
    """The commit of the spec's branch before that delivery."""
    run: str = ""


class FindUnfinished(Action, frozen=True, tag="find-unfinished"):
    """Find out whether a killed run of this task delivered its work, so that this run started with it."""

    task: str
    base: str
    result: ClassVar[type[Result]] = Unfinished
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        found: Unfinished = result
        if not found.commit:
            return Line()
        return Line(f"· run {found.run}, which was killed, had delivered it as {found.commit[:SHORT_HASH]}")


class Delivered(Result, frozen=True):
    commit: str
    """The one commit on the spec's branch; empty if nothing changed."""
    problem: str = ""
    conflict: bool = False
    """Whether other work on the branch is the problem, so that the task must be redone on top of it."""
    moved_to: str = ""
    """The commit that the branch moved to and that was merged into the worktree; the result must be checked again."""
    merged: str = ""
    """The commit of the merged work."""
    left: str = ""
    """Why the worktree still exists, if it does."""

    @property
    def complaint(self) -> str:
        return self.problem


class DeliverWork(Action, frozen=True, tag="deliver-work"):
    """Put the whole change of the task on the spec's branch as one commit, and remove the worktree."""

    worktree: Worktree
    task: str
    message: str
    number: int = 1
    """The number of the try."""
    commit: str = ""
    """The commit that was verified. Nothing else is delivered."""
    result: ClassVar[type[Result]] = Delivered

    @property
    def name(self) -> str:
        return f"try-{self.number}" if self.number > 1 else ""

    @property
    def title(self) -> str:
        return "delivering the work"

    def ended(self, result: Any) -> Line:
        done: Delivered = result
        left = f"\n! the worktree is still there: {done.left}" if done.left else ""
        if done.problem:
            return judged(f"not delivered: {done.problem}{left}", good=False)
        if done.moved_to:
            return Line(f"· {self.worktree.spec_branch} has moved: merged, to be checked again", "warn")
        if done.commit:
            words = f"· delivered as {done.commit[:SHORT_HASH]} on {self.worktree.spec_branch}"
            return Line(words + left, "warn" if left else "quiet")
        return Line(f"· nothing was changed, so there is nothing to deliver{left}", "warn")
