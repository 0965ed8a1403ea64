"""Actions that run a command of the user: guardrails, and version control tasks."""

# ruff: noqa: RUF012 - a struct copies its empty dict for each instance

from collections.abc import Sequence
from typing import Any, ClassVar

from ralph.kernel.actions.base import Action, judged, output_end
from ralph.model.evidence import Evidence, Result
from ralph.model.rows import Line
from ralph.model.words import duration

SHOWN = 10
"""How many files a line names."""


class RunCommand(Action, frozen=True, tag="run-command"):
    """Run a guardrail. The whole output goes to a log file, its beginning into the evidence."""

    command: str
    slug: str
    feedback_as: str = "APPEND"
    """Where a failure goes in the next prompt."""
    result: ClassVar[type[Result]] = Evidence

    @property
    def title(self) -> str:
        return f"guardrail {self.command}"

    def begun(self) -> Line:
        return Line(self.title, "step")

    def complaint(self, result: Any) -> str:
        return f"guardrail {result.complaint}" if result.complaint else ""

    def ended(self, result: Any) -> Line:
        seen: Evidence = result
        words = f"{self.title}: {seen.reason} ({duration(seen.duration)})"
        if seen.passed:
            return judged(words, good=True)
        end = output_end(seen.output_end, seen.kept_log or seen.log)
        return judged("\n".join([f"{words} → {self.feedback_as}", *end]), good=False)


class UserChanges(Result, frozen=True):
    """What is the user's in a git repository before the agent first runs: uncommitted changes, and hooks."""

    head: str = ""
    """The commit that is checked out; empty if there is none."""
    tree: str = ""
    """The files as they are; empty if nothing is uncommitted."""
    paths: tuple[str, ...] = ()
    """The first of the files with uncommitted changes."""
    count: int = 0
    hooks: dict[str, str] = {}
    """The digests of the hooks, by their names."""
    branch: str = ""
    """The branch that is checked out."""


class NoteUserChanges(Action, frozen=True, tag="note-user-changes"):
    """Note what commits of the run leave out."""

    command: str
    result: ClassVar[type[Result]] = UserChanges
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return "looking for changes that are not committed"

    def ended(self, result: Any) -> Line:
        return Line(f"· {left_out(result)}") if result.count else Line()


def left_out(found: UserChanges) -> str:
    """What commits leave out, in one sentence."""
    return f"commits leave out what you changed before the run: {listed(found.paths, found.count)}"


def listed(paths: Sequence[str], count: int) -> str:
    """The first of these names, and how many more there are."""
    more = count - len(paths[:SHOWN])
    return ", ".join(paths[:SHOWN]) + (f" and {more} more" if more else "")


class Staged(Result, frozen=True):
    """Whether there is anything to commit."""

    pending: bool
    problem: str = ""
    paths: tuple[str, ...] = ()
    """The files to commit, if other changes must be left out."""
    shared: tuple[str, ...] = ()
    """The files among them that the user had changed before the run."""

    @property
    def complaint(self) -> str:
        return self.problem


class StageChanges(Action, frozen=True, tag="stage-changes"):
    command: str
    slug: str = ""
    head: str = ""
    tree: str = ""
    """The commit and the files from before the agent first ran, if the user had uncommitted changes."""
    result: ClassVar[type[Result]] = Staged

    def ended(self, result: Any) -> Line:
        if result.problem:
            return judged(result.problem, good=False)
        if result.shared:
            names = listed(result.shared, len(result.shared))
            return Line(
                f"! the commit also has what you changed before the run in {names}: the agent changed it too", "warn"
            )
        return Line() if result.pending else Line("· nothing to commit")


class RunScmTask(Action, frozen=True, tag="run-scm-task"):
    command: str
    task: str
    message: str = ""
    slug: str = ""
    """What distinguishes the task from others, including one with the same text."""
    paths: tuple[str, ...] = ()
    """The files to commit, if not all changes are."""
    hooks: dict[str, str] | None = None
    """The digests of the hooks that may run; None if none may."""
    branch: str = ""
    """The branch on which the run began, for a commit."""
    result: ClassVar[type[Result]] = Evidence

    @property
    def title(self) -> str:
        return f"{self.command} {self.task}"

    def ended(self, result: Any) -> Line:
        return judged(f"{result.check}: {result.reason}", good=result.passed)
