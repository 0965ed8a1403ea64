"""Actions of planning a spec: its text and its tasks are written."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action
from ralph.kernel.completion import RoleDefaults
from ralph.model.evidence import Result
from ralph.model.rows import Line
from ralph.model.words import count


class WrittenText(Result, frozen=True):
    kept: str = ""
    """Where the previous text is now, if there was one."""


class WriteSpecText(Action, frozen=True, tag="write-spec-text"):
    spec: str
    text: str
    expected: str
    """The text that it may replace, apart from answers. Any other text was written meanwhile."""
    is_kept: bool = True
    """Whether the expected text is worth keeping."""
    result: ClassVar[type[Result]] = WrittenText

    @property
    def title(self) -> str:
        return f"writing the text of {self.spec}"

    def ended(self, result: Any) -> Line:
        kept = f"; the previous text is kept in {result.kept}" if result.kept else ""
        return Line(f"✓ wrote .ralph/specs/{self.spec}/spec.md{kept}", "ok")


class WrittenTasks(Result, frozen=True):
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """The tasks that the spec had before, and that stay as they are."""
    renamed: tuple[str, ...] = ()
    """Why tasks have other ids than the planner gave them, one sentence each."""


class WriteChunks(Action, frozen=True, tag="write-chunks"):
    spec: str
    chunks: str
    """The chunks, as JSON."""
    roles: dict[str, RoleDefaults]
    result: ClassVar[type[Result]] = WrittenTasks

    @property
    def title(self) -> str:
        return f"writing the tasks of {self.spec}"

    def ended(self, result: Any) -> Line:
        done: WrittenTasks = result
        facts = [f"{count(len(done.added), 'new task')}: {', '.join(done.added)}"] if done.added else []
        facts += [f"changed: {', '.join(done.changed)}"] if done.changed else []
        facts += [f"kept as they are: {', '.join(done.kept)}"] if done.kept else []
        lines = [f"✓ {self.spec} has {'; '.join(facts) or 'no new task'}", *(f"  ! {each}" for each in done.renamed)]
        return Line("\n".join(lines), "warn" if done.renamed else "ok")
