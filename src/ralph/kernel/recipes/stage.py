"""The stage recipe: one role works on a task until its promise is verified, or sends the task back."""

from collections.abc import Generator
from functools import partial
from typing import Any

from msgspec import Struct

from ralph.kernel.actions.agent import Claim, FeedBack, ReadClaim, Said
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import RecordEvidence, Rules
from ralph.kernel.actions.tasks import Worktree
from ralph.kernel.agent_call import Turn
from ralph.kernel.feedback import GAP, NONE, Feedback, agent_note, denial_notes
from ralph.kernel.going_on import Persistence, Rounds
from ralph.kernel.problems import judge_failed
from ralph.kernel.proof import Blocks, doubts
from ralph.kernel.stage_text import Stage, TaskText, claim_note, not_verified, stage_prompt
from ralph.kernel.task_work import TaskWork
from ralph.model.evidence import NOT_VERIFIED, AgentReport, Evidence
from ralph.model.verdicts import AgentFailed, SentBack, Verified
from ralph.model.verification import StringMatch

NAME = "stage"


class StageRun(Struct, frozen=True, omit_defaults=True):
    spec: str
    task: TaskText
    stage: Stage
    worktree: Worktree
    first: int = 1
    """The number of the first iteration. A stage that works again continues its count."""
    earlier: tuple[str, ...] = ()
    """The stages that this stage may send the task back to."""
    feedback: Feedback = NONE
    """Why the task was sent back to this stage. It is in every prompt until the stage is verified."""
    rules: Rules = Rules()

    @property
    def limit(self) -> int:
        return self.stage.limit


def stage_loop(run: StageRun) -> Recipe:
    stage = run.stage
    persistence = Persistence()
    work = TaskWork(run.task.id, run.worktree, run.rules)
    turn = Turn(persistence, work.place)
    rounds = Rounds(stage.limit, persistence, done=run.first - 1)
    blocks = Blocks(persistence)
    latest: Feedback = NONE
    missing = ""
    yield from work.red_at_first(stage.check)
    while True:
        if over := (yield from turn.end_of_denials(rounds.now)) or (yield from rounds.begin(missing)):
            return over
        i = rounds.now
        said = yield from turn.work(
            stage_prompt(run.task, stage, i, rounds.limit, run.earlier),
            run.feedback + latest,
            iteration=i,
            limit=rounds.limit,
            after=partial(work.save, i, f"{run.task.id}: {stage.role}, iteration {i}"),
        )
        if isinstance(said, AgentFailed):
            return said
        if not said.ok:
            latest, missing = (agent_note(said),), said.reason
            yield FeedBack(i, latest[0].text)
            continue

        claim: Claim = yield ReadClaim(i, turn.said(said), stage.promise, run.earlier)
        if claim.reject_stage and not claim.problem:
            return SentBack(claim.reject_stage, claim.reject_why, i)
        denied = denial_notes(said)
        if missing := _no_claim(claim, said, stage):
            latest = (claim_note(missing, stage.promise, run.earlier), *denied)
            yield FeedBack(i, GAP.join(note.text for note in latest))
            continue
        seen = yield from _verified(run, work, i, turn.said(said), persistence)
        if isinstance(seen, AgentFailed):
            return seen
        if seen.passed:
            return Verified(i, seen.proof or "word", commit=work.commit, doubts=(*doubts(seen), *stage.doubts))
        if tampered := (yield from blocks.end(i, seen)):
            return tampered
        latest, missing = (not_verified(seen), *denied), f"verification failed: {seen.reason}"
        yield FeedBack(i, GAP.join(note.text for note in latest))


def _no_claim(claim: Claim, said: AgentReport, stage: Stage) -> str:
    """Why there is nothing to verify; empty if there is, or if nothing is to be verified."""
    if not stage.is_loop:
        return ""
    if not claim.problem and said.denial and isinstance(stage.check, StringMatch):
        return f"{said.denial}, and nothing but the promise says that the work is done anyway"
    return claim.problem


def _verified(
    run: StageRun, work: TaskWork, i: int, said: Said, persistence: Persistence
) -> Generator[Step, Any, Evidence | AgentFailed]:
    """The evidence; or the verdict, if the model that must judge cannot be asked and nobody says to continue."""
    if not run.stage.is_loop:
        reason = "the stage runs once, and nothing was checked"
        return (yield RecordEvidence(i, Evidence(NOT_VERIFIED, passed=True, reason=reason, proof="word")))
    again = 0
    while True:
        about = work.material(i, said, again, trusts_promise=run.stage.trusts_promise)
        seen = yield from work.verified(run.stage.check, about)
        # If the promise is enough, nothing has run since the work was saved, and delivery checks the tip again.
        if not isinstance(run.stage.check, StringMatch):
            seen = yield from work.confirmed(seen, about)
        failed = judge_failed(seen)
        if failed is None:
            return seen
        if (yield from persistence.give_up(i, failed)) is None:
            return failed
        again = persistence.again
