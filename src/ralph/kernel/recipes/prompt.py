"""The prompt recipe: the same prompt again and again until guardrails pass and the agent's answer says so."""

from collections.abc import Generator
from typing import Any

from ralph.kernel.actions.agent import (
    CommitMessage,
    FeedBack,
    ReadCommitMessage,
    ReadResponse,
    Said,
)
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.commands import (
    NoteUserChanges,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
    UserChanges,
)
from ralph.kernel.agent_call import Turn
from ralph.kernel.feedback import GAP, NONE, Feedback, agent_note, denial_notes, guardrail_note, names_tag, tag_note
from ralph.kernel.going_on import Persistence, Rounds
from ralph.kernel.prompt_options import Guardrail, PromptRun, ScmTasks
from ralph.kernel.prompt_proof import UserWork
from ralph.kernel.slugs import unique_slugs
from ralph.kernel.stage_text import not_verified
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import AgentFailed, Failed

NAME = "prompt"
Failures = tuple[tuple[Guardrail, Evidence], ...]
COMMIT_PROMPT = "Provide a short imperative commit message for the changes. Output only the message, no explanation."


def prompt_loop(run: PromptRun) -> Recipe:
    persistence = Persistence()
    turn, rounds = Turn(persistence), Rounds(run.limit, persistence)
    work = UserWork(run, persistence)
    rejected: Feedback = NONE
    crashed: Feedback = NONE
    missing = ""
    yield from work.begin()
    before: UserChanges = (yield NoteUserChanges(0, run.scm.command)) if run.scm else UserChanges()
    while True:
        if over := (yield from turn.end_of_denials(rounds.now)) or (yield from rounds.begin(missing)):
            return over
        i = rounds.now
        said = yield from turn.work(
            run.prompt, rejected + crashed, iteration=i, limit=rounds.limit, count=run.count, file=run.file
        )
        if isinstance(said, AgentFailed):
            return said
        if not said.ok:
            # What the guardrails said about the work still holds: nothing has checked it since.
            crashed, missing = (agent_note(said),), said.reason
            yield from _fed_back(i, crashed)
            continue
        crashed = denial_notes(said) + _tag_notes(turn.file_text if run.file else run.prompt, said, run)
        yield from work.put_back(i)

        failures = yield from _guardrails(run.guardrails, i)
        rejected = tuple(guardrail_note(seen, each.place, each.hint) for each, seen in failures)
        failed_in_place = [each for each, _ in failures]
        is_open = bool(failures) and work.may_excuse(failed_in_place)
        missing = (yield from _no_claim(turn.said(said), said, run, i)) if is_open else _last_failure(failures)
        if missing:
            yield from _fed_back(i, rejected + crashed)
            continue

        scm_problem = (yield from _scm_tasks(run.scm, i, before)) if run.scm else ""
        missing = "" if failures else (yield from _no_claim(turn.said(said), said, run, i))
        if missing:
            yield from _fed_back(i, crashed)
            continue
        if scm_problem:
            failed = Failed(f"the work is done, but the SCM tasks failed: {scm_problem}")
            if (yield from persistence.give_up(i, failed)) is None:
                return failed
            # Only another iteration tries them again.
            rounds.allow_one_more()
            continue
        end = yield from work.judged(i, turn.said(said), failed_in_place)
        if not isinstance(end, Evidence):
            return end
        rejected, missing = (not_verified(end),), f"not proven: {end.reason}"
        yield from _fed_back(i, rejected + crashed)


def _fed_back(i: int, notes: Feedback) -> Generator[Step, Any, None]:
    if notes:
        yield FeedBack(i, GAP.join(note.text for note in notes))


def _tag_notes(base: str, said: AgentReport, run: PromptRun) -> Feedback:
    """The note that tells an agent how to report that it is done, if it was not told and did not report it."""
    is_told = names_tag(base) or f"<response>{run.completion}</response>" in said.final
    return NONE if is_told else (tag_note(run.completion),)


def _no_claim(final: Said, said: AgentReport, run: PromptRun, i: int) -> Generator[Step, Any, str]:
    """Why the agent's answer is not a claim that can be judged; empty if it is one."""
    answer: Evidence = yield ReadResponse(i, final, run.completion)
    if answer.passed and said.denial and not run.guardrails:
        return f"{said.denial}, and no guardrail shows that the work is done anyway"
    return "" if answer.passed else answer.reason


def _guardrails(guardrails: tuple[Guardrail, ...], i: int) -> Generator[Step, Any, Failures]:
    """The guardrails that failed, and their evidence. All are run, even after a failure."""
    failed: Failures = ()
    for guardrail, slug in zip(guardrails, unique_slugs(each.command for each in guardrails), strict=True):
        seen: Evidence = yield RunCommand(i, guardrail.command, slug, guardrail.place)
        failed += () if seen.passed else ((guardrail, seen),)
    return failed


def _last_failure(failed: Failures) -> str:
    return "".join(f'guardrail "{each.command}" failed: {seen.reason}' for each, seen in failed[-1:])


def _scm_tasks(scm: ScmTasks, i: int, before: UserChanges) -> Generator[Step, Any, str]:
    """What went wrong; empty if nothing did. The tasks run in order, and the first problem ends them."""
    names = unique_slugs(scm.tasks)
    hooks = before.hooks if scm.hooks else None
    for task, name in zip(scm.tasks, names, strict=True):
        message, paths, branch = "", (), ""
        if task == "commit":
            which = "" if name == task else name
            staged: Staged = yield StageChanges(i, scm.command, which, before.head, before.tree)
            if staged.problem:
                return staged.problem
            if not staged.pending:
                continue
            said: Answer = yield AskModel(i, "commit-message", COMMIT_PROMPT, slug=which)
            if said.reason:
                return f"no commit message: {said.reason}"
            words = Said(said.text, COMMIT_PROMPT if said.plain else "")
            wording: CommitMessage = yield ReadCommitMessage(i, words, which)
            if wording.problem:
                return wording.problem
            message, paths, branch = wording.text, staged.paths, before.branch
        done: Evidence = yield RunScmTask(i, scm.command, task, message, name, paths, hooks, branch)
        if not done.passed:
            return f"{done.check}: {done.reason}"
    return ""
