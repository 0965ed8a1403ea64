"""Actions around a review: look for an earlier one, ask a program, find the quoted code, and record the review."""

from typing import Any, ClassVar

from ralph.kernel.actions.base import Action, judged, verdict_mark
from ralph.kernel.actions.checks import Answer
from ralph.kernel.stage_text import TaskText
from ralph.model.evidence import Result
from ralph.model.git_rules import GitRules
from ralph.model.reviews import Review, ReviewBy, ReviewIssue
from ralph.model.rows import Line
from ralph.model.words import count, duration

SHORT = 200


class FoundReview(Result, frozen=True):
    tree: str
    """The tree of the commit to review."""
    review: Review | None = None
    """The same reviewer's earlier decision about the same files, if there is one."""


class FindReview(Action, frozen=True, tag="find-review"):
    """Look for an earlier review, so that a tier does not review the same files twice."""

    slug: str
    by: ReviewBy
    task: TaskText
    base: str
    commit: str
    fresh: str = ""
    """A token of this run; if set, answers given to other runs do not count."""
    result: ClassVar[type[Result]] = FoundReview
    effect: ClassVar[bool] = False


class RunReviewer(Action, frozen=True, tag="run-reviewer"):
    """Ask the user's own program for a review. It gets the whole change, and the findings of earlier reviews."""

    slug: str
    by: ReviewBy
    task: TaskText
    base: str
    commit: str
    checks: tuple[str, ...]
    earlier: tuple[ReviewIssue, ...] = ()
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    result: ClassVar[type[Result]] = Answer

    @property
    def title(self) -> str:
        return f"{self.by.tier} review by {self.by.called}"

    def begun(self) -> Line:
        return Line(self.title, "step")

    def ended(self, result: Any) -> Line:
        answer: Answer = result
        if answer.reason:
            return judged(f"no review by {self.by.called}: {answer.reason}", good=False)
        return Line(f"· {self.by.called} has reviewed · {duration(answer.duration)}")


class Anchor(Result, frozen=True, omit_defaults=True):
    """The place of a finding in the change, as ralph itself found it."""

    file: str
    """The path, as the change names it."""
    lines: tuple[int, int] = (0, 0)
    """The lines at the reviewed commit; zeros if the code is only in removed lines."""
    problem: str = ""
    """Why the finding has no place, in a few words."""


class Anchors(Result, frozen=True):
    found: tuple[Anchor, ...]
    """One place for each finding, in the same order."""


class AnchorIssues(Action, frozen=True, tag="anchor-issues"):
    """Look for the code that each finding means, in and next to what the change touches. No model is asked."""

    slug: str
    base: str
    commit: str
    issues: tuple[ReviewIssue, ...]
    result: ClassVar[type[Result]] = Anchors
    effect: ClassVar[bool] = False


class RecordReview(Action, frozen=True, tag="review"):
    """Record a review with all its findings. A decision is then valid for these files."""

    slug: str
    by: ReviewBy
    task: TaskText
    review: Review
    fresh: str = ""
    result: ClassVar[type[Result]] = Review
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return f"{self.by.tier} review"

    def ended(self, result: Any) -> Line:
        review: Review = result
        lines = [f"{verdict_mark(good=review.ships)} {self.title} by {self.by.called}: {_came_to(review)}"]
        lines += [f"  ✗ {_told(each)}" for each in review.blocking]
        lines += [f"  · {_told(each)} ({each.passed_over})" for each in review.recorded]
        lines += [f"  ! not seen: {', '.join(review.unseen)[:SHORT]}"] if review.unseen else []
        if review.stubborn:
            then = "" if review.tier == "final" else ". The next attempt keeps the work"
            lines.append(f"  ! not fixed twice: {', '.join(review.stubborn)}{then}")
        return Line("\n".join(lines), "ok" if review.ships else "bad")


def _came_to(review: Review) -> str:
    if not review.decision:
        return f"no decision: {review.problem}"
    blocking = f": {count(len(review.blocking), 'finding')} to fix" if review.blocking else ""
    notes = [review.note, "as before, the files are unchanged" if review.stands else ""]
    said = "; ".join(filter(None, notes))
    return f"{review.decision}{blocking}{f' ({said})' if said else ''}"


def _told(issue: ReviewIssue) -> str:
    name = f"{issue.id} " if issue.id else ""
    return f"{name}{issue.severity} {issue.type} in {issue.where}: {' '.join(issue.description.split())[:SHORT]}"
