"""The chunk recipe: execute, commit, examine, until an attempt ships. An attempt that does not ship is undone."""

from collections.abc import Generator
from functools import partial
from itertools import count
from typing import Any

from ralph.kernel.actions.agent import FeedBack, Said
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.planning import BuildContext, KeepSummary
from ralph.kernel.actions.tasks import Delivered, DiscardWork, Worktree
from ralph.kernel.agent_call import Turn
from ralph.kernel.chunk_feedback import Refused, by_merge, feedback
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.chunk_text import chunk_prompt
from ralph.kernel.delivering import Delivery
from ralph.kernel.examining import Examination
from ralph.kernel.feedback import NONE, Feedback
from ralph.kernel.going_on import Persistence, Rounds
from ralph.kernel.summarising import summarised
from ralph.kernel.task_work import TaskWork, opened
from ralph.model.context import ChunkContext
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import AgentFailed, AnyVerdict, Failed, MaxIterations, Verified


def chunk_loop(run: ChunkRun) -> Recipe:
    chunk = _Chunk(run)
    for start in count():
        # The attempt begins at the tip of the spec's branch, unless it continues work that is there.
        fresh = start > 0 or run.fresh or run.on_revise == "discard"
        worktree = yield from opened(run, start, run.commands, chunk.persistence, fresh=fresh)
        if isinstance(worktree, Failed):
            return worktree
        chunk.begin(worktree)
        if run.check and not start:
            yield from chunk.work.red_at_first(run.check)
        if end := (yield from _until_it_ships(chunk)):
            return end
        end = yield from _delivered(chunk)
        if not isinstance(end, Refused):
            return end
        yield from chunk.take_back(end)
    raise AssertionError("it counts for ever")


def _until_it_ships(chunk: "_Chunk") -> Generator[Step, Any, AnyVerdict | None]:
    """None once an attempt ships; otherwise the verdict that ends the chunk."""
    while True:
        said = yield from _attempt(chunk)
        if not isinstance(said, AgentReport):
            return said
        chunk.said = chunk.turn.said(said)
        end = yield from chunk.examination.look_at(chunk.rounds.now, said, chunk.said)
        if not isinstance(end, Refused):
            return end
        yield from chunk.refuse(end)


def _attempt(chunk: "_Chunk") -> Generator[Step, Any, AgentReport | AgentFailed | MaxIterations]:
    """The agent's report, with everything that it left committed; or the verdict, if it must not work any more."""
    run, rounds = chunk.run, chunk.rounds
    over = (yield from chunk.turn.end_of_denials(rounds.now)) or (yield from rounds.begin(chunk.missing))
    if over:
        return over
    i, worktree = rounds.now, chunk.work.worktree
    context: ChunkContext = yield BuildContext(
        i, run.spec, worktree.base, worktree.prefix, run.relevant_files, run.dependencies, run.project_rules
    )
    return (
        yield from chunk.turn.work(
            partial(chunk_prompt, run.task, context),
            chunk.latest,
            iteration=i,
            limit=rounds.limit,
            after=partial(chunk.work.save, i, f"{run.task.id}: iteration {i}"),
        )
    )


def _delivered(chunk: "_Chunk") -> Generator[Step, Any, Verified | Failed | Refused]:
    """The verdict; or why the chunk must be redone on top of what others delivered meanwhile."""
    i, commit = chunk.rounds.now, chunk.work.commit
    left = yield from summarised(chunk.run.task, chunk.work.compared, commit, iteration=i, said=chunk.said)
    delivery = Delivery(chunk.run, chunk.work, i, left.summary.summary)
    for number in count(1):
        done: Delivered = yield delivery.ask(number, commit)
        if done.conflict:
            return by_merge(done.problem)
        if done.moved_to:
            commit = done.merged
            if broken := (yield from delivery.fails(chunk.run.checks, commit, number)):
                return by_merge(broken)
        elif done.problem:
            failed = Failed(f"the work is good, but it could not be delivered: {done.problem}")
            if (yield from chunk.persistence.give_up(i, failed)) is None:
                return failed
        else:
            verdict = chunk.examination.verdict(i, done.commit or commit)
            yield delivery.record(verdict, done.commit or commit)
            yield KeepSummary(i, chunk.run.task.id, left)
            return verdict
    raise AssertionError("it counts for ever")


class _Chunk:
    """The state of one run of a chunk: how many attempts were made, and what the next one is told."""

    def __init__(self, run: ChunkRun) -> None:
        self.run = run
        self.persistence = Persistence()
        self.rounds = Rounds(run.limit, self.persistence)
        self.latest: Feedback = NONE
        self.missing = ""
        self.said = Said("")
        self.turn = Turn(self.persistence, run.place)
        self.examination = Examination(run, self.persistence)

    def begin(self, worktree: Worktree) -> None:
        self.work = TaskWork(self.run.task.id, worktree, self.run.rules)
        self.examination.begin(self.work)

    def refuse(self, refused: Refused) -> Generator[Step, Any, None]:
        """Undo the attempt, unless the next one continues it."""
        if refused.keep or self.run.on_revise == "keep":
            yield from self._feed_back(refused, kept=True)
        else:
            yield from self.take_back(refused)

    def take_back(self, refused: Refused) -> Generator[Step, Any, None]:
        yield DiscardWork(self.rounds.now, self.work.worktree, self.run.task.id, self.work.commit)
        yield from self._feed_back(refused, kept=False)

    def _feed_back(self, refused: Refused, *, kept: bool) -> Generator[Step, Any, None]:
        self.latest, self.missing = feedback(refused, kept=kept), refused.reason
        if refused.once_more:
            self.rounds.allow_one_more()
        yield FeedBack(self.rounds.now, self.latest[0].text)
