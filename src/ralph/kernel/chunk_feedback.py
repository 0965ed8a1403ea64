"""Why an attempt at a chunk was refused, in words for the next attempt."""

from typing import NamedTuple

from ralph.kernel.feedback import Feedback, Note
from ralph.kernel.review_history import Reviews, earlier_findings, review_feedback
from ralph.kernel.stage_text import complaints, is_unjudged
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.reviews import Review

CHANGED_NOTHING = "the attempt changed nothing"
TAKEN_BACK = "Its changes were discarded: the files are as they were before it."
KEPT = "Its changes are still in the files."


class Refused(NamedTuple):
    """An attempt that is not good enough."""

    reason: str
    """The reason in one line, for people."""
    text: str
    """The text for the agent that tries again."""
    keep: bool = False
    """Whether the next attempt continues this work, whatever the settings say."""
    once_more: bool = False
    """Whether there is another attempt although the limit is reached, because a person asked for it."""


def by_review(review: Review, history: Reviews) -> Refused:
    """The refusal by a review. One without a decision says nothing against the work, so the next attempt keeps it."""
    if not review.decision:
        words = f"The last attempt could not be reviewed: {review.problem}."
        return Refused(review.complaint, words, keep=True)
    [note] = review_feedback(review, history)
    return Refused(review.complaint, note.text, keep=history.keeps_work)


def by_agent(report: AgentReport) -> Refused:
    tail = f"\nThe end of its output:\n{report.tail}" if report.tail else ""
    return Refused(report.reason, f"The last attempt failed: {report.reason}.{tail}")


def by_no_change() -> Refused:
    return Refused(CHANGED_NOTHING, "The last attempt changed no file, so there was nothing to verify or review.")


def by_evidence(seen: Evidence, history: Reviews) -> Refused:
    what = "could not be verified" if is_unjudged(seen) else "was not good enough"
    lines = [f"The last attempt {what}: {seen.reason}", *complaints(seen), *earlier_findings(history)]
    return Refused(f"verification failed: {seen.reason}", "\n".join(lines))


def by_merge(problem: str) -> Refused:
    """The refusal because other work reached the spec's branch meanwhile, and this work conflicts with it."""
    return Refused(
        f"it could not be delivered: {problem}",
        f"The last attempt was good by itself, but other work was delivered meanwhile, and {problem}."
        " The files in your folder now contain that other work.",
    )


def by_person(who: str, why: str) -> Refused:
    return Refused(f"rejected by {who}: {why}", f"A person has rejected the last attempt:\n{why}", once_more=True)


def feedback(refused: Refused, *, kept: bool) -> Feedback:
    """The refusal as one block of the next prompt."""
    state = [] if refused.reason == CHANGED_NOTHING else [KEPT if kept else TAKEN_BACK]
    return (Note("INSIDE", "\n".join([refused.text, *state])),)
