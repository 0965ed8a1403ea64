"""The findings of all reviews of one piece of work, so that the next review continues where the last one ended.

Every replay rebuilds them: only the reviews themselves are stored.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.feedback import Feedback, Note
from ralph.model.reviews import Review, ReviewIssue, Settled, Tier
from ralph.model.words import one_line

STUBBORN = 2
"""After a finding was not fixed this many times, the next attempt keeps the work."""


class _Finding(Struct):
    issue: ReviewIssue
    tier: Tier
    said: Settled | None = None
    """The latest answer of a review about this finding."""
    not_fixed: int = 0


class Reviews:
    """The reviews of one piece of work. Every finding has an id, and keeps it when it is found again in other words."""

    def __init__(self) -> None:
        self._findings: dict[str, _Finding] = {}
        self._rounds: dict[Tier, int] = {}
        self._stubborn: tuple[str, ...] = ()

    def rounds(self, tier: Tier) -> int:
        """How many reviews of this tier made a decision."""
        return self._rounds.get(tier, 0)

    def earlier(self, tier: Tier) -> tuple[ReviewIssue, ...]:
        """What the next review of this tier is asked about: the findings that blocked before, unless they were
        withdrawn.

        A fixed finding is asked about again, because the next attempt may rewrite everything.
        """
        tiers = ("quick", "deep") if tier == "deep" else (tier,)
        asked = (each for each in self._findings.values() if each.tier in tiers and each.said != "withdrawn")
        return tuple(each.issue for each in asked)

    def all_earlier(self) -> tuple[ReviewIssue, ...]:
        """The findings of every tier that the next attempt must not bring back."""
        return tuple(each.issue for each in self._findings.values() if each.said != "withdrawn")

    @property
    def stubborn(self) -> tuple[ReviewIssue, ...]:
        """The findings that the latest review called not fixed, for at least the second time."""
        return tuple(self._findings[name].issue for name in self._stubborn)

    @property
    def keeps_work(self) -> bool:
        """Whether the next attempt continues this work, because starting again did not help."""
        return bool(self._stubborn)

    def add(self, review: Review) -> None:
        """Add a review. One without a decision changes nothing, and one that is used again is not a new round."""
        if not review.decision:
            return
        if not review.stands or not self.rounds(review.tier):
            self._rounds[review.tier] = self.rounds(review.tier) + 1
        if not review.stands:
            self._hear(review.answers)
        for issue in review.blocking:
            self._findings.setdefault(issue.id, _Finding(issue, review.tier))
        self._stubborn = review.stubborn

    def named(self, issues: Sequence[ReviewIssue]) -> tuple[ReviewIssue, ...]:
        """The findings, each with an id: its own if it belongs to an earlier finding, and otherwise a new one."""
        number = len(self._findings)
        named: list[ReviewIssue] = []
        for issue in issues:
            number += issue.id not in self._findings
            named.append(issue if issue.id in self._findings else replace(issue, id=f"F{number}"))
        return tuple(named)

    def adopted(self, issues: Sequence[ReviewIssue]) -> tuple[ReviewIssue, ...]:
        """The findings of an earlier review, maybe of another run. Their ids count as long as they match."""
        return self.named([each if self._is_known(each) else replace(each, id="") for each in issues])

    def twice_not_fixed(self, answers: Mapping[str, Settled]) -> tuple[str, ...]:
        """The ids of findings that are not fixed now, and were not fixed when they were last asked about."""
        open_now = [name for name, said in answers.items() if said == "not fixed" and name in self._findings]
        return tuple(name for name in open_now if self._findings[name].not_fixed + 1 >= STUBBORN)

    def _hear(self, answers: Mapping[str, Settled]) -> None:
        for name, said in answers.items():
            if found := self._findings.get(name):
                found.said = said
                found.not_fixed += said == "not fixed"

    def _is_known(self, issue: ReviewIssue) -> bool:
        found = self._findings.get(issue.id)
        return found is not None and (found.issue.file, found.issue.description) == (issue.file, issue.description)


def review_feedback(review: Review, history: Reviews) -> Feedback:
    """The feedback for the next attempt: what blocks now, then what blocked before."""
    lines = [f"The {review.tier} review of the previous attempt asks for changes:"]
    lines += [f"{number}. {instruction(each)}" for number, each in enumerate(review.blocking, start=1)]
    return (Note("APPEND", "\n".join([*lines, *earlier_findings(history, review.blocking)])),)


def earlier_findings(history: Reviews, but: Sequence[ReviewIssue] = ()) -> list[str]:
    """The findings that blocked earlier attempts, except for those in `but`."""
    told = {each.id for each in but}
    lines = [f"- {each.file}: {one_line(each.description)}" for each in history.all_earlier() if each.id not in told]
    return ["", "Findings of earlier reviews that must stay fixed:", *lines] if lines else []


def instruction(issue: ReviewIssue) -> str:
    """The text that tells an agent what to do about a finding."""
    words = issue.agent_prompt or " ".join(filter(None, [issue.description, issue.suggestion]))
    return f"{issue.where}: {words.strip()}"
