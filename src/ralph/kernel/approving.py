"""Decisions of people about work that is otherwise verified: an approval is evidence, a rejection is feedback."""

from collections.abc import Generator
from typing import Any

from ralph.kernel.actions.approval import Approval, AwaitApproval, WantedApproval
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import RecordEvidence
from ralph.model.evidence import Evidence

SLUG = "approval"


class Approvals:
    """The decisions of people about one task. Each is read once."""

    def __init__(self, task: str, wanted: tuple[WantedApproval, ...]) -> None:
        self._task = task
        self._wanted = wanted
        self._seen = 0

    @property
    def are_wanted(self) -> bool:
        return bool(self._wanted)

    def asked(self, iteration: int) -> Generator[Step, Any, Approval]:
        """The approvals, recorded as evidence, or a rejection. The run is blocked until every criterion has a
        decision.
        """
        said: Approval = yield AwaitApproval(iteration, self._task, self._wanted, self._seen)
        self._seen = said.seen
        if not said.rejected_by:
            yield RecordEvidence(iteration, self._evidence(said), slug=SLUG, told=True)
        return said

    def _evidence(self, said: Approval) -> Evidence:
        texts = {each.number: each.text for each in self._wanted}
        parts = tuple(
            Evidence(texts.get(each.number, str(each.number)), passed=True, reason=f"approved by {each.by}, {each.at}")
            for each in said.approved
        )
        return Evidence(SLUG, passed=True, reason="; ".join(part.reason for part in parts), parts=parts)
