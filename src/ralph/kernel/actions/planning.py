"""Actions around a chunk's context: what its agent is told, and what it leaves for the tasks that depend on it."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action
from ralph.model.context import ChunkContext
from ralph.model.evidence import Result
from ralph.model.rows import Line
from ralph.model.tasks import OutputSummary
from ralph.model.words import count


class BuildContext(Action, frozen=True, tag="build-context"):
    """Collect what a chunk's agent is told besides its task, from the store and from the commit at which it starts."""

    spec: str
    commit: str
    """The base commit. Its tree is analysed, never the files that an agent can change."""
    prefix: str = ""
    """The project's folder in its repository; empty if the project is the whole repository."""
    relevant_files: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    result: ClassVar[type[Result]] = ChunkContext

    @property
    def title(self) -> str:
        return "reading the codebase"

    def ended(self, result: Any) -> Line:
        return Line(f"! {result.problem}", "warn") if result.problem else Line()


class WorkSeen(Result, frozen=True):
    """What a change and its agents' messages say about the work."""

    facts: OutputSummary
    """Files, exports and tests from the change itself; the summary and next steps from the messages, if they have
    any."""
    said: str = ""
    """The messages, if they hold no summary."""
    is_empty: bool = False
    """Whether nothing was changed at all."""
    problem: str = ""
    """What could not be read."""


class ReadWork(Action, frozen=True, tag="read-work"):
    """Read which files, exports and tests a change adds, and what the agent's messages say about it."""

    base: str
    commit: str
    prefix: str = ""
    """The project's folder in its repository; empty if the project is the whole repository."""
    final: str = ""
    """The agent's final message."""
    runs: tuple[str, ...] = ()
    """The runs of the stages, if stages did the work. Their journals hold their final messages."""
    again: int = 0
    result: ClassVar[type[Result]] = WorkSeen
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return f"again-{self.again}" if self.again else ""

    @property
    def title(self) -> str:
        return "reading the change"


class Summarised(Result, frozen=True):
    summary: OutputSummary
    by: str = ""
    """Who wrote the summary: `agent`, `model`, or nobody."""
    problem: str = ""
    """Why there is no summary, or why something is missing."""


class KeepSummary(Action, frozen=True, tag="keep-summary"):
    """Store the summary of a task's work with the task, once the work is delivered."""

    task: str
    summarised: Summarised
    again: int = 0
    result: ClassVar[type[Result]] = Summarised

    @property
    def name(self) -> str:
        return f"again-{self.again}" if self.again else ""

    @property
    def title(self) -> str:
        return "keeping the summary"

    def ended(self, result: Any) -> Line:
        made: Summarised = result
        facts = [
            count(len(names), word)
            for names, word in (
                (made.summary.files_created, "new file"),
                (made.summary.files_modified, "changed file"),
                (made.summary.exports_added, "new export"),
                (made.summary.tests_added, "new test"),
            )
            if names
        ]
        told = f"· summary: {', '.join(facts) or 'no file changed'}"
        return Line(f"{told}\n! {made.problem}", "warn") if made.problem else Line(told)
