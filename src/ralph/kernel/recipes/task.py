"""The task recipe: the stages of a task in order, in a worktree of its own; a later stage may send it back."""

from collections.abc import Generator, Iterable
from itertools import count
from typing import Any

import msgspec

from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.planning import KeepSummary
from ralph.kernel.actions.tasks import Delivered, Worktree
from ralph.kernel.actions.waiting import ChildEnd, FindVerifiedStages, RunChild, VerifiedStages
from ralph.kernel.approving import Approvals
from ralph.kernel.delivering import Delivery, NamedVerification
from ralph.kernel.feedback import NONE, Feedback, Note
from ralph.kernel.going_on import Persistence
from ralph.kernel.recipes.stage import NAME as STAGE
from ralph.kernel.recipes.stage import StageRun
from ralph.kernel.stage_text import Stage, sent_back
from ralph.kernel.summarising import summarised
from ralph.kernel.task_work import TaskOptions, TaskWork, opened
from ralph.kernel.verification import commands_of
from ralph.model.proof import together
from ralph.model.verdicts import AnyVerdict, EndedBy, Failed, MaxIterations, SentBack, Verified

NAME = "task"
SENT_BACK = str(SentBack.__struct_config__.tag)


class TaskRun(TaskOptions, frozen=True, omit_defaults=True, kw_only=True, tag=NAME):
    stages: tuple[Stage, ...]


def task_loop(run: TaskRun) -> Recipe:
    persistence = Persistence()
    pipeline, approvals = _Pipeline(run), Approvals(run.task.id, run.people)
    commands = tuple(command for stage in run.stages for command in commands_of(stage.check))
    for start in count():
        # Work that conflicts with other work is redone on top of it.
        worktree = yield from opened(run, start, commands, persistence, fresh=run.fresh or start > 0)
        if isinstance(worktree, Failed):
            return worktree
        pipeline.begin(worktree)
        if not start and not run.fresh:
            known: VerifiedStages = yield FindVerifiedStages(start, worktree.folder)
            pipeline.skip(known.ends)
        bad = (yield from _stages(pipeline, persistence)) or (yield from _approved(approvals, pipeline, persistence))
        if bad:
            return bad
        end = yield from _delivered(run, pipeline, persistence)
        if end is not None:
            return end
    raise AssertionError("it counts for ever")


def _stages(pipeline: "_Pipeline", persistence: Persistence) -> Generator[Step, Any, AnyVerdict | None]:
    """None once all stages are verified; otherwise the verdict that ends the task."""
    again = 0
    while now := pipeline.stage:
        over = pipeline.nothing_left
        if over:
            bad: AnyVerdict = over
        else:
            end: ChildEnd = yield pipeline.child(again)
            if pipeline.goes_on_after(end):
                again = 0
                continue
            bad = EndedBy(end.verdict, f"{now.role}: {end.reason}", end.exit_code)
        if (yield from persistence.give_up(pipeline.number, bad)) is None:
            return bad
        again = persistence.again
        if over:
            pipeline.allow_one_more()
    return None


def _approved(
    approvals: Approvals, pipeline: "_Pipeline", persistence: Persistence
) -> Generator[Step, Any, AnyVerdict | None]:
    """None once people approved. A rejection sends the work back to the first stage; until then the run is blocked."""
    while approvals.are_wanted:
        said = yield from approvals.asked(pipeline.number)
        if not said.rejected_by:
            break
        pipeline.begin_again(sent_back("person who runs this loop", said.why))
        if bad := (yield from _stages(pipeline, persistence)):
            return bad
    return None


class _Pipeline:
    """Which stage works now, and how many iterations each has used. A stage that works again continues its count."""

    def __init__(self, run: TaskRun) -> None:
        self._run = run
        self._position = 0
        self._visits = dict.fromkeys((each.role for each in run.stages), 0)
        self.number = 0
        self.iterations = 0

    def begin(self, worktree: Worktree) -> None:
        """Begin at the first stage, with all iterations."""
        self.worktree = worktree
        self._position = 0
        self._used = dict.fromkeys(self._visits, 0)
        self._notes: dict[str, Feedback] = {}
        self._ends: dict[str, ChildEnd] = {}
        self._visit()

    def skip(self, ends: Iterable[ChildEnd]) -> None:
        """Skip the first stages, because an earlier run verified them on the same tree."""
        for stage, end in zip(self._run.stages, ends, strict=False):
            self._ends[stage.role] = end
            self._position += 1
            self._visit()

    @property
    def commit(self) -> str:
        """The commit that the last stage verified."""
        return self._ends[self._run.stages[-1].role].commit

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that verified the stages, in the order of the stages."""
        return tuple(self._ends[each.role].run_id for each in self._run.stages)

    def unseen(self) -> list[Stage]:
        """The stages that verified a commit other than the last one."""
        return [each for each in self._run.stages if self._ends[each.role].commit != self.commit]

    def done(self) -> Verified:
        ends = self._ends.values()
        proof = together(end.proof or "word" for end in ends)
        if proof == "checked" and not all(stage.is_loop for stage in self._run.stages):
            proof = "warned"
        doubts = tuple(dict.fromkeys(doubt for end in ends for doubt in end.doubts))
        return Verified(self.iterations, proof, commit=self.commit, doubts=doubts)

    def _visit(self) -> None:
        self.number += 1
        if self.stage:
            self._visits[self.stage.role] += 1

    @property
    def stage(self) -> Stage | None:
        return self._run.stages[self._position] if self._position < len(self._run.stages) else None

    @property
    def nothing_left(self) -> MaxIterations | None:
        stage = self._run.stages[self._position]
        if self._used[stage.role] < stage.limit:
            return None
        return MaxIterations(stage.limit, f"{stage.role} has no iteration left to work on what came back")

    def begin_again(self, note: Note) -> None:
        """Begin again at the first stage; each stage has at least one iteration left."""
        self._position = 0
        self._notes[self._run.stages[0].role] = (note,)
        self._used = {stage.role: min(self._used[stage.role], stage.limit - 1) for stage in self._run.stages}
        self._visit()

    def allow_one_more(self) -> None:
        """Allow the stage that used up its limit one more iteration, because a person said to continue."""
        self._used[self._run.stages[self._position].role] -= 1

    def child(self, again: int) -> RunChild:
        stage = self._run.stages[self._position]
        visit = self._visits[stage.role]
        loop = StageRun(
            spec=self._run.spec,
            task=self._run.task,
            stage=stage,
            worktree=self.worktree,
            first=self._used[stage.role] + 1,
            earlier=tuple(each.role for each in self._run.stages[: self._position]),
            feedback=self._notes.get(stage.role, NONE),
            rules=self._run.rules,
        )
        name = stage.role if visit == 1 else f"{stage.role}-{visit}"
        return RunChild(self.number, STAGE, name, msgspec.to_builtins(loop), again)

    def goes_on_after(self, end: ChildEnd) -> bool:
        """Whether the pipeline continues: with the next stage, or with an earlier one that must work again."""
        now = self._run.stages[self._position]
        if end.verdict == SENT_BACK:
            before = self._notes.get(end.sent_back_to, NONE)
            self._notes[end.sent_back_to] = (*before, sent_back(now.role, end.why))
            self._position = next(i for i, each in enumerate(self._run.stages) if each.role == end.sent_back_to)
        elif end.verdict == "verified":
            self._ends[now.role] = end
            self._position += 1
        else:
            return False
        self._used[now.role] += end.iterations
        self.iterations += end.iterations
        self._visit()
        return True


def _delivered(
    run: TaskRun, pipeline: _Pipeline, persistence: Persistence
) -> Generator[Step, Any, Verified | Failed | None]:
    """The verdict; None if the task must be redone because other work conflicts with it."""
    commit = pipeline.commit
    worktree, i = pipeline.worktree, pipeline.number
    left = yield from summarised(run.task, worktree, commit, iteration=i, runs=pipeline.runs)
    delivery = Delivery(run, TaskWork(run.task.id, worktree, run.rules), i, left.summary.summary)
    # Only the last tree counts: a later stage may have broken what an earlier stage verified.
    problem = yield from delivery.fails(_checks(pipeline.unseen()), commit)
    for number in count(1):
        if problem:
            failed = Failed(f"all stages are verified, but the work could not be delivered: {problem}")
            if (yield from persistence.give_up(i, failed)) is None:
                return failed
        done: Delivered = yield delivery.ask(number, commit)
        if done.conflict:
            failed = Failed(f"all stages are verified, but the work could not be delivered: {done.problem}")
            return failed if (yield from persistence.give_up(i, failed)) is None else None
        problem = done.problem
        if done.moved_to:
            commit = done.merged
            problem = yield from delivery.fails(_checks(run.stages), commit, number)
        elif not problem:
            verdict = pipeline.done()
            yield delivery.record(verdict, done.commit or commit)
            yield KeepSummary(i, run.task.id, left)
            return verdict
    raise AssertionError("it counts for ever")


def _checks(stages: Iterable[Stage]) -> list[NamedVerification]:
    return [NamedVerification(stage.role, stage.check) for stage in stages]
