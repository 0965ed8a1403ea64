"""The prompt recipe: the same prompt again and again until guardrails pass and the agent's answer says so."""

from collections.abc import Generator
from typing import Any

from msgspec import Struct

from ralph.kernel.actions import (
    AnyAction,
    CommitMessage,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    Recipe,
    RunAgent,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
)
from ralph.kernel.agent_call import call_agent
from ralph.kernel.feedback import NONE, Feedback, Place, agent_note, guardrail_note
from ralph.kernel.problems import SILENT_FAILURES, hopeless
from ralph.kernel.slugs import unique_slugs
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, Verified

NAME = "prompt"
VERSION = 1
COMMIT_PROMPT = "Provide a short imperative commit message for the changes. Output only the message, no explanation."


class Guardrail(Struct, frozen=True):
    command: str
    place: Place = "APPEND"
    hint: str = ""


class Scm(Struct, frozen=True):
    command: str
    tasks: tuple[str, ...]


class PromptRun(Struct, frozen=True, omit_defaults=True):
    limit: int
    completion: str
    prompt: str = ""
    file: str | None = None
    """Read again in each iteration; `prompt` counts only without it."""
    guardrails: tuple[Guardrail, ...] = ()
    scm: Scm | None = None
    count: bool = False
    """Whether the prompt begins with `Iteration X of Y, Z remaining.`"""


def prompt_loop(run: PromptRun) -> Recipe:
    slugs = unique_slugs(guardrail.command for guardrail in run.guardrails)
    rejected: Feedback = NONE
    crashed: Feedback = NONE
    silent = 0
    missing = ""
    for i in range(1, run.limit + 1):
        base: str = run.prompt if run.file is None else (yield ReadPrompt(i, run.file))
        said = yield from call_agent(base, rejected + crashed, iteration=i, limit=run.limit, count=run.count)
        if verdict := hopeless(said):
            return verdict
        if not said.ok:
            silent = silent + 1 if said.silent else 0
            if silent == SILENT_FAILURES:
                return AgentFailed(f"the agent failed {silent} times in a row without any output: {said.reason}")
            # What the guardrails said of the work before still holds: nothing has checked it since.
            crashed, missing = (agent_note(said),), said.reason
            continue
        silent, crashed = 0, NONE

        rejected = NONE
        for guardrail, slug in zip(run.guardrails, slugs, strict=True):
            seen: Evidence = yield RunCommand(i, guardrail.command, slug)
            if not seen.passed:
                rejected += (guardrail_note(seen, guardrail.place, guardrail.hint),)
                missing = f'guardrail "{guardrail.command}" failed: {seen.reason}'
        if rejected:
            continue

        scm_problem = (yield from _scm_tasks(run.scm, i)) if run.scm else ""
        answer: Evidence = yield ReadResponse(i, said.attempt_dir, run.completion, said.plain)
        if answer.passed:
            return Failed(f"the work is done, but the SCM tasks failed: {scm_problem}") if scm_problem else Verified(i)
        missing = answer.reason
    return MaxIterations(run.limit, missing)


def _scm_tasks(scm: Scm, i: int) -> Generator[AnyAction, Any, str]:
    """Run the tasks in order and return what went wrong, or nothing. The first problem ends them."""
    for task in scm.tasks:
        message = ""
        if task == "commit":
            staged: Staged = yield StageChanges(i, scm.command)
            if staged.problem:
                return staged.problem
            if not staged.pending:
                continue
            said: AgentReport = yield RunAgent(i, COMMIT_PROMPT, purpose="commit-message")
            if not said.ok:
                return f"no commit message: {said.reason}"
            wording: CommitMessage = yield ReadCommitMessage(i, said.attempt_dir, said.plain)
            if wording.problem:
                return wording.problem
            message = wording.text
        done: Evidence = yield RunScmTask(i, scm.command, task, message)
        if not done.passed:
            return f"{done.check}: {done.reason}"
    return ""
