"""Approvals: criteria that only a person can confirm."""

from typing import Any, ClassVar

from msgspec import Struct

from ralph.kernel.actions.base import Action, judged
from ralph.model.evidence import Result
from ralph.model.rows import Line


class WantedApproval(Struct, frozen=True, omit_defaults=True):
    """A criterion that a person must confirm."""

    number: int
    """The number among all criteria of the task, starting at 1."""
    text: str


class Approved(Struct, frozen=True, rename="camel"):
    number: int
    by: str
    at: str
    """When it was said, in UTC as ISO 8601."""


class Approval(Result, frozen=True):
    """What people said about the work: which criteria are met, or why the work is not good enough."""

    approved: tuple[Approved, ...] = ()
    rejected_by: str = ""
    why: str = ""
    seen: int = 0
    """The last control word that was read."""

    @property
    def complaint(self) -> str:
        return f"rejected by {self.rejected_by}: {self.why}" if self.rejected_by else ""


class AwaitApproval(Action, frozen=True, tag="await-approval"):
    """Wait until people decide. Everything else is verified, and the run is blocked until then."""

    task: str
    wanted: tuple[WantedApproval, ...]
    seen: int = 0
    result: ClassVar[type[Result]] = Approval

    @property
    def title(self) -> str:
        return "waiting for a person's approval"

    def ended(self, result: Any) -> Line:
        said: Approval = result
        if said.rejected_by:
            return judged(said.complaint, good=False)
        lines = [f"approved by {each.by}: {self._text(each.number)}" for each in said.approved]
        return judged("\n✓ ".join(lines), good=True)

    def _text(self, number: int) -> str:
        return next((each.text for each in self.wanted if each.number == number), str(number))


class AwaitPeople(Action, frozen=True, tag="await-people"):
    """Wait for people, because everything that is left depends on them. A continued run looks again."""

    why: str
    again: int = 0

    @property
    def name(self) -> str:
        return str(self.again)

    @property
    def title(self) -> str:
        return "waiting for people"
