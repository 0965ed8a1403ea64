"""Actions that run the user's own commands: guardrails, and version control tasks."""

import os
import shutil
from pathlib import Path

from msgspec.structs import replace

from ralph.checks.command import run_command
from ralph.git.scm import ScmCommand
from ralph.git.user_changes import changed_since, elsewhere, uncommitted_among, user_changes
from ralph.kernel.actions.commands import NoteUserChanges, RunCommand, RunScmTask, StageChanges, Staged, UserChanges
from ralph.loop.context import Attempt
from ralph.loop.remote_trust import changed_remotes
from ralph.model.evidence import Evidence


async def run_guardrail(action: RunCommand, attempt: Attempt) -> Evidence:
    run = attempt.run
    kept = attempt.log(f"guardrail_{action.slug}", iteration=action.iteration)
    limit = run.settings.timeouts.guardrail or None
    evidence = await run_command(attempt.bench.logging_to(kept), action.command, limit=limit)
    shown = run.state.root / f"guardrail_{action.iteration}_{action.slug}.log"
    _put(kept, shown)
    return replace(evidence, log=run.state.relative(shown), kept_log=run.state.relative(kept))


async def note_user_changes(action: NoteUserChanges, attempt: Attempt) -> UserChanges:
    scm = ScmCommand(action.command, attempt.bench)
    if not scm.is_git:
        return UserChanges()
    return replace(await user_changes(attempt.repository()), hooks=await scm.hooks())


async def stage_changes(action: StageChanges, attempt: Attempt) -> Staged:
    # The agent may have removed what keeps ralph's state out of the commit.
    attempt.run.state.create()
    scm = await _scm(action.command, attempt)
    if not action.tree:
        return await scm.stage()
    found = await changed_since(attempt.repository(), action.head, action.tree)
    return await scm.stage_only(found)


async def run_scm_task(action: RunScmTask, attempt: Attempt) -> Evidence:
    scm, run = await _scm(action.command, attempt), attempt.run
    if scm.is_git and action.task != "commit":
        problem = changed_remotes(run.store, run.project_id, run.project)
        if problem:
            return Evidence(f"{action.command} {action.task}", passed=False, reason=str(problem))
    changed = await scm.changed_hooks(action.hooks)
    allowed = action.hooks is not None and not changed
    done = await scm.run_task(action.task, action.message, action.paths, hooks=allowed)
    if not done.passed and action.paths and not await uncommitted_among(attempt.repository(), action.paths):
        # An earlier attempt made the commit, and ralph was killed before it knew.
        done = replace(done, passed=True, reason="nothing to commit")
    left = await elsewhere(attempt.repository(), action.branch) if done.passed and action.branch else ""
    skipped = f"hooks did not run: {', '.join(changed)} changed during the run" if changed else ""
    notes = "; ".join(filter(None, (left, skipped)))
    return replace(done, reason=f"{done.reason} ({notes})") if notes else done


async def _scm(command: str, attempt: Attempt) -> ScmCommand:
    scm = ScmCommand(command, attempt.bench)
    if attempt.number > 1:
        await scm.drop_stale_lock()
    return scm


def _put(log: Path, place: Path) -> None:
    """Also put the log where the agent is told to look. It replaces an earlier run's log."""
    place.unlink(missing_ok=True)
    try:
        os.link(log, place)
    except OSError:
        shutil.copyfile(log, place)
