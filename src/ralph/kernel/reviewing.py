"""A review: the change is read, a reviewer is asked, its findings are located, and the result is one review.

A reviewer that fails or cannot be understood ships nothing: it is asked once more, and then there is no decision.
"""

from collections.abc import Generator, Sequence
from typing import Any

from msgspec.structs import replace

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Answer, Change, FileDiff, Files, ReadChange, ReadFiles, numbered
from ralph.kernel.actions.reviews import FindReview, FoundReview, RecordReview
from ralph.kernel.going_on import Persistence
from ralph.kernel.problems import reviewer_failed
from ralph.kernel.review_asking import Heard, ReviewMaterial, ask_model, ask_program, heard
from ralph.kernel.review_history import Reviews, review_feedback
from ralph.kernel.review_question import MOST_ALONE, MOST_SHOWN, Part, batches
from ralph.kernel.review_rules import Asked, Weighed
from ralph.model.reviews import Review, ReviewBy, ReviewIssue, Settled
from ralph.model.verdicts import AgentFailed

__all__ = ["ReviewMaterial", "Reviews", "review_feedback", "reviewed"]

NO_CHANGE = "there is no change to review"


def reviewed(
    by: ReviewBy, about: ReviewMaterial, history: Reviews, persistence: Persistence
) -> Generator[Step, Any, Review | AgentFailed]:
    """The review, added to the history; or the verdict, if the reviewer will never be able to work and nobody says to
    continue.
    """
    while True:
        review = yield from _review(by, about, history)
        failed = reviewer_failed(review)
        if failed is None:
            history.add(review)
            return review
        if (yield from persistence.give_up(about.iteration, failed)) is None:
            return failed
        about = replace(about, again=persistence.again)


def _review(by: ReviewBy, about: ReviewMaterial, history: Reviews) -> Generator[Step, Any, Review]:
    name = numbered(by.tier, about.again)
    found: FoundReview = yield FindReview(about.iteration, name, by, about.task, about.base, about.commit, about.fresh)
    if found.review:
        review = _standing(found.review, history)
    else:
        review = yield from _made(by, about, history, name)
    review = replace(review, base=about.base, commit=about.commit, tree=found.tree)
    recorded: Review = yield RecordReview(about.iteration, name, by, about.task, review, about.fresh)
    return recorded


def _standing(review: Review, history: Reviews) -> Review:
    return replace(review, blocking=history.adopted(review.blocking), answers={}, stubborn=(), stands=True)


def _made(by: ReviewBy, about: ReviewMaterial, history: Reviews, name: str) -> Generator[Step, Any, Review]:
    asked = Asked(by, about.task, history.earlier(by.tier), is_first=not history.rounds(by.tier))
    if by.command:
        answers = [(yield from heard(asked, about, name, ask_program(asked, about)))]
    else:
        answers = yield from _heard_of_all(asked, about, name)
    review = _joined(by, answers)
    stubborn = history.twice_not_fixed(review.answers) if review.decision else ()
    return replace(review, blocking=history.named(review.blocking), stubborn=stubborn)


def _heard_of_all(asked: Asked, about: ReviewMaterial, name: str) -> Generator[Step, Any, list[Heard]]:
    """The results of one question for each part of the change, up to the first without an answer."""
    change: Change = yield ReadChange(about.iteration, name, about.base, about.commit, (), Said(""), MOST_SHOWN)
    parts = yield from _parts(change, about, name)
    if not parts:
        return [Heard(without=Answer(reason=NO_CHANGE))]
    answers: list[Heard] = []
    for number, (part, earlier) in enumerate(zip(parts, _shared(asked.earlier, parts), strict=True), start=1):
        own = asked._replace(earlier=earlier)
        ask = ask_model(own, about, part, change.boundary)
        hidden = [each.path for each in part.hidden if each.must_be_seen]
        hidden += [f"{part.more:,} more file{'' if part.more == 1 else 's'}"] if part.more else []
        answers.append((yield from heard(own, about, _part_name(name, number), ask, hidden)))
        if answers[-1].weighed is None:
            break
    return answers


def _parts(change: Change, about: ReviewMaterial, name: str) -> Generator[Step, Any, list[Part]]:
    """The parts of the change. Each file that can be shown completely is in exactly one of them."""
    groups, hidden = batches(change)
    shown = [tuple(each for each in change.files if each.is_shown and each.text)]
    for number, group in enumerate(groups, start=2):
        paths = tuple(each.path for each in group)
        more: Files = yield ReadFiles(
            about.iteration, _part_name(name, number), about.base, about.commit, paths, MOST_ALONE
        )
        shown.append(more.files)
        read = [each.path for each in more.files if each.is_shown]
        hidden += [each for each in group if each.path not in read]
    rest = [each for each in change.files if not each.must_be_seen and not each.is_shown]
    return _as_parts([files for files in shown if files], [*hidden, *rest], change.more)


def _as_parts(shown: Sequence[tuple[FileDiff, ...]], hidden: Sequence[FileDiff], more: int) -> list[Part]:
    """The parts. The first one names what is not shown."""
    if not shown and not hidden and not more:
        return []
    first, *others = shown or [()]
    paths = [each.path for files in shown for each in files]
    parts = [Part(first, _without(paths, first), tuple(hidden), more)]
    return parts + [Part(files, _without(paths, files)) for files in others]


def _without(paths: Sequence[str], files: Sequence[FileDiff]) -> tuple[str, ...]:
    own = {each.path for each in files}
    return tuple(path for path in paths if path not in own)


def _part_name(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-part-{number}"


def _shared(earlier: Sequence[ReviewIssue], parts: Sequence[Part]) -> list[tuple[ReviewIssue, ...]]:
    """The earlier findings for each part: those in its files; the first part also gets those in no file of the
    change.
    """
    found: list[list[ReviewIssue]] = [[] for _ in parts]
    for issue in earlier:
        holders = (number for number, part in enumerate(parts) if any(each.path == issue.file for each in part.files))
        found[next(holders, 0)].append(issue)
    return [tuple(each) for each in found]


def _joined(by: ReviewBy, answers: Sequence[Heard]) -> Review:
    """One review from all parts. One part that requests changes is enough; one without an answer leaves no decision."""
    whole = [each.weighed for each in answers if each.weighed]
    review = Review(
        by.tier,
        by.reviewer,
        blocking=tuple(dict.fromkeys(issue for each in whole for issue in each.blocking)),
        recorded=tuple(dict.fromkeys(issue for each in whole for issue in each.recorded)),
        answers=_worst(whole),
        note="; ".join(dict.fromkeys(each.note for each in answers if each.note)),
        unseen=tuple(dict.fromkeys(name for each in answers for name in each.unseen)),
    )
    missing = next((each.without for each in answers if each.weighed is None), None)
    if missing is not None:
        return replace(review, problem=missing.reason, cause=missing.problem)
    if review.blocking:
        return replace(review, decision="REVISE")
    if review.unseen:
        return replace(review, problem=f"the reviewer has not seen {', '.join(review.unseen)}")
    return replace(review, decision="SHIP")


def _worst(whole: Sequence[Weighed]) -> dict[str, Settled]:
    """The worst answer about each earlier finding: what is not fixed in one part is not fixed."""
    found: dict[str, Settled] = {}
    for each in whole:
        found |= {name: said for name, said in each.answers.items() if found.get(name) != "not fixed"}
    return found
