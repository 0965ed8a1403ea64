"""The stage recipe: one role works on a task until its promise is verified, or sends the task back."""

from msgspec import Struct

from ralph.kernel.actions import Claim, ReadClaim, Recipe, SaveWork, Verify, Worktree
from ralph.kernel.agent_call import call_agent
from ralph.kernel.feedback import NONE, Feedback, agent_note
from ralph.kernel.problems import SILENT_FAILURES, hopeless
from ralph.kernel.stage_text import Stage, TaskText, claim_note, claim_problem, not_verified, stage_prompt
from ralph.model.evidence import Evidence
from ralph.model.verdicts import AgentFailed, MaxIterations, SentBack, Verified

NAME = "stage"
VERSION = 1


class StageRun(Struct, frozen=True, omit_defaults=True):
    task: TaskText
    stage: Stage
    worktree: Worktree
    first: int = 1
    """The number of its first iteration: a stage that works again goes on counting."""
    earlier: tuple[str, ...] = ()
    """The stages that it may send the task back to."""
    feedback: Feedback = NONE
    """Why the task was sent back to it. It stands in every prompt until the stage is verified."""

    @property
    def limit(self) -> int:
        return self.stage.limit


def stage_loop(run: StageRun) -> Recipe:
    stage = run.stage
    latest: Feedback = NONE
    missing = ""
    silent = 0
    for i in range(run.first, stage.limit + 1):
        prompt = stage_prompt(run.task, stage, i, run.earlier)
        said = yield from call_agent(prompt, run.feedback + latest, iteration=i, limit=stage.limit, count=False)
        yield SaveWork(i, f"{run.task.id}: {stage.role}, iteration {i}")
        if verdict := hopeless(said):
            return verdict
        if not said.ok:
            silent = silent + 1 if said.silent else 0
            if silent == SILENT_FAILURES:
                return AgentFailed(f"the agent failed {silent} times in a row without any output: {said.reason}")
            latest, missing = (agent_note(said),), said.reason
            continue
        silent = 0

        claim: Claim = yield ReadClaim(i, said.attempt_dir, stage.promise, run.earlier, said.plain)
        if problem := claim_problem(claim, stage.promise, run.earlier):
            latest, missing = (claim_note(problem, stage.promise, run.earlier),), problem
            continue
        if claim.reject_stage:
            return SentBack(claim.reject_stage, claim.reject_why, i)
        seen: Evidence = yield Verify(i, stage.check, stage.promise, said.attempt_dir, run.worktree.base, said.plain)
        if seen.passed:
            return Verified(i)
        latest, missing = (not_verified(seen),), f"verification failed: {seen.reason}"
    return MaxIterations(stage.limit, missing)
