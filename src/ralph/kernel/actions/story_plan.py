"""Actions for planning stories: the files that result."""

from typing import Any, ClassVar, Literal

from ralph.kernel.actions.base import Action
from ralph.model.evidence import Result
from ralph.model.rows import Line

Document = Literal["prd.md", "tasks.json"]


class WrittenFile(Result, frozen=True):
    kept: str = ""
    """Where the previous plan was moved to, if there was one."""


class WritePlanFile(Action, frozen=True, tag="write-plan-file"):
    folder: str
    document: Document
    text: str
    result: ClassVar[type[Result]] = WrittenFile

    @property
    def name(self) -> str:
        return self.document.partition(".")[0]

    @property
    def title(self) -> str:
        return f"writing {self.folder}/{self.document}"

    def ended(self, result: Any) -> Line:
        kept = f"; the previous stories are kept in {result.kept}" if result.kept else ""
        return Line(f"✓ wrote {self.folder}/{self.document}{kept}", "ok")
