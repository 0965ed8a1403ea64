"""The review recipe: one review of a change, without a loop."""

from collections.abc import Generator
from typing import Any

from msgspec import Struct

from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.tasks import RecordStart, Start, Worktree
from ralph.kernel.going_on import Persistence
from ralph.kernel.review_question import Beside
from ralph.kernel.reviewing import ReviewMaterial, Reviews, reviewed
from ralph.kernel.stage_text import TaskText
from ralph.model.git_rules import GitRules
from ralph.model.reviews import Review, ReviewBy
from ralph.model.verdicts import AgentFailed, AnyVerdict, Failed, MustRevise, Verified
from ralph.model.words import count

NAME = "review"


class ReviewRun(Struct, frozen=True, omit_defaults=True):
    by: ReviewBy
    base: str
    commit: str
    task: TaskText
    """The text that tells the reviewer what the change is for."""
    beside: tuple[Beside, ...] = ()
    label: str = ""
    """What the user asked to review."""
    fresh: str = ""
    """A token of this run, if no earlier answer may be used."""


def review_loop(run: ReviewRun) -> Recipe:
    persistence, history = Persistence(), Reviews()
    while True:
        iteration = persistence.again + 1
        rules = (yield from _git_rules(run, iteration)) if run.by.command else None
        about = ReviewMaterial(iteration, run.task, run.base, run.commit, run.beside, rules, fresh=run.fresh)
        review = yield from reviewed(run.by, about, history, persistence)
        if isinstance(review, AgentFailed):
            return review
        verdict = _verdict(review, iteration)
        if isinstance(verdict, Verified) or (yield from persistence.give_up(iteration, verdict)) is None:
            return verdict


def _git_rules(run: ReviewRun, iteration: int) -> Generator[Step, Any, GitRules | None]:
    """The git rules for a program, which sees files as the user's git writes them; a model reads the committed
    content.
    """
    known: Start = yield RecordStart(iteration, Worktree(".", ".", "", run.base, ""), ())
    return known.git


def _verdict(review: Review, iteration: int) -> AnyVerdict:
    match review.decision:
        case "SHIP":
            note = f" ({review.note})" if review.note else ""
            what = f"SHIP: reviewed by {review.reviewer}{note}{{after}}; nothing was run"
            return Verified(iteration, "word", what=what, unit="look", commit=review.commit)
        case "REVISE":
            return MustRevise(f"{count(len(review.blocking), 'finding')} of {review.reviewer} to fix")
        case _:
            return Failed(f"there is no review: {review.problem}")
