"""The review of the whole branch of a spec, and the tasks that fix what it finds."""

from collections.abc import Generator
from itertools import count as counting
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.approval import AwaitPeople
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.specs import AddedTask, AddFixingTask, Branch, LookAtBranch
from ralph.kernel.actions.waiting import ChildEnd
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.fixing import fixing_text, fixing_title
from ralph.kernel.reviewing import ReviewMaterial, Reviews, reviewed
from ralph.kernel.stage_text import TaskText
from ralph.kernel.task_runs import BLOCKED, TaskRuns
from ralph.model.reviews import Review, ReviewBy
from ralph.model.verdicts import AgentFailed, AnyVerdict, EndedBy, Failed
from ralph.model.words import count


class FinalReview(Struct, frozen=True, omit_defaults=True):
    """Who reviews the whole branch, and how the findings are fixed."""

    by: ReviewBy
    fixing: ChunkRun
    """The options of a task that fixes the findings. Its text is added when it is known."""
    rounds: int = 2
    """How many times the findings are fixed and reviewed again."""
    spec: str = ""
    base: str = ""
    """The commit at which the spec's branch began, or one from which it diverged."""


def whole_branch_ships(final: FinalReview, tasks: TaskRuns, first: int) -> Generator[Step, Any, AnyVerdict | None]:
    """The verdict if the branch does not ship; None if it ships, or if a task is open and the spec is not yet whole.

    `first` is the number of the first round among the actions of the run.
    """
    history, most = Reviews(), final.rounds
    for turn in counting(1):
        number = first + turn - 1
        branch: Branch = yield LookAtBranch(number, final.spec, final.base)
        if branch.open or branch.is_empty:
            return None
        about = ReviewMaterial(number, branch.about, branch.base, branch.tip)
        review = yield from reviewed(final.by, about, history, tasks.persistence)
        if isinstance(review, AgentFailed):
            return review
        if review.ships:
            return None
        if not review.decision or turn > most:
            failed = _refused(review, turn - 1)
            if (yield from tasks.persistence.give_up(number, failed)) is None:
                return failed
            most = max(most, turn)
        if review.decision and (bad := (yield from _fixed(final, review, number, tasks))):
            return bad
    raise AssertionError("it counts for ever")


def _fixed(final: FinalReview, review: Review, number: int, tasks: TaskRuns) -> Generator[Step, Any, AnyVerdict | None]:
    """The verdict if the findings could not be fixed. They become a task of the spec, which runs like any chunk."""
    title, text = fixing_title(review), fixing_text(review)
    files = tuple(dict.fromkeys(each.file for each in review.blocking))
    added: AddedTask = yield AddFixingTask(number, final.spec, title, text, files)
    loop = replace(final.fixing, task=TaskText(added.id, title, text), relevant_files=files)
    while True:
        end: ChildEnd = yield tasks.child(number, loop)
        if end.verdict == "verified":
            tasks.finish(end)
            return None
        if end.verdict == BLOCKED:
            yield AwaitPeople(number, end.reason, tasks.persistence.again)
            tasks.persistence.go_on()
            continue
        bad = EndedBy(end.verdict, f"{added.id}: {end.reason}", end.exit_code)
        if (yield from tasks.persistence.give_up(number, bad)) is None:
            return bad


def _refused(review: Review, rounds: int) -> Failed:
    if not review.decision:
        return Failed(f"all tasks are done, but the final review came to no decision: {review.problem}")
    after = f" after {count(rounds, 'task')} to fix what it found" if rounds else ""
    findings = "; ".join(f"{each.where}: {' '.join(each.description.split())}" for each in review.blocking)
    return Failed(f"all tasks are done, but the final review asks for changes{after}: {findings}")
