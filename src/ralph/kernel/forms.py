"""The forms in which a model must answer. A new one is a struct and a line in the table."""

from msgspec import Struct

from ralph.kernel.plan_forms import ChunksDraft, RequirementsDraft, SpecDraft, StoriesDraft
from ralph.kernel.review_form import ReviewAnswer


class CriterionVerdict(Struct, frozen=True):
    criterion: str
    met: bool
    reason: str


class Judgement(Struct, frozen=True):
    criteria: list[CriterionVerdict] = []
    files: list[str] = []
    """The files that the judge wants to see before it decides."""


class SummaryGiven(Struct, frozen=True, rename="camel"):
    """What a completed task leaves, in a model's words. Only its texts are used."""

    summary: str
    files_created: list[str]
    files_modified: list[str]
    exports_added: list[str]
    tests_added: list[str]
    verification_steps: list[str]


FORMS: dict[str, type[Struct]] = {
    "judgement": Judgement,
    "review": ReviewAnswer,
    "summary": SummaryGiven,
    "requirements": RequirementsDraft,
    "stories": StoriesDraft,
    "spec": SpecDraft,
    "chunks": ChunksDraft,
}
