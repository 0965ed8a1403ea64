"""Actions of tasks and their stages: a worktree, the work in it, its verification and its delivery."""

from pathlib import Path

from msgspec.structs import replace

from ralph.checks.command import run_command
from ralph.checks.proof.programs import programs_of
from ralph.git.command import RESUME
from ralph.git.delivered import commits_of
from ralph.git.delivery import deliver_and_remove
from ralph.git.folders import anything_at, task_folder
from ralph.git.hidden import hidden_work
from ralph.git.local_files import copy_local_files
from ralph.git.repository import Repository
from ralph.git.rollback import attempt_ref, discard
from ralph.git.rules import record_rules
from ralph.git.tips import bring_to_branch
from ralph.git.worktree import make_again, prepare, relink
from ralph.kernel.actions.tasks import (
    Delivered,
    DeliverWork,
    Discarded,
    DiscardWork,
    FindUnfinished,
    OpenWorktree,
    RecordStart,
    Saved,
    SaveWork,
    SetUpWorktree,
    Start,
    Unfinished,
    Worktree,
)
from ralph.loop.context import Attempt
from ralph.loop.verifying import trees_of
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.store.history import last_row
from ralph.store.runs import get_run
from ralph.store.tasks import set_summary
from ralph.workbench.ceiling import WORKTREES

INIT = "init"
DELIVER_WORK = str(DeliverWork.__struct_config__.tag)
PREPARED = "ralph-prepared"
"""A file in the worktree's own part of the git directory: it says that the init command has run."""
MADE_AGAIN = "made again"
"""The key in `kept` of the branch from which a deleted worktree was made again."""


async def save(action: SaveWork, attempt: Attempt) -> Saved:
    await keep_linked(attempt)
    lost = attempt.run.kept.pop(MADE_AGAIN, "")
    repository = attempt.repository()
    at = await (bring_to_branch(repository, action.branch) if action.branch else repository.look())
    made = await repository.commit_all(action.message, again=attempt.number > 1, rules=action.git, at=at)
    now = replace(at, head=made.commit, tree=made.tree)
    found = await hidden_work(
        repository, action.base, rules=action.git, head=made.commit, uncovered=made.uncovered, at=now
    )
    return Saved(made.commit, made.tree, made.changed, tuple(found), lost)


async def keep_linked(attempt: Attempt) -> None:
    """Restore the link of the task's worktree in which the action works, if it was lost."""
    place, project = attempt.begun.action.place, attempt.run.project
    if place.kind == "task":
        await relink(attempt.repository(project), project.joinpath(*WORKTREES, place.name))


async def restore_deleted(attempt: Attempt, task: str) -> None:
    """Make the task's worktree again and set it up, if somebody deleted it. The next save tells."""
    run = attempt.run
    path = run.project.joinpath(*WORKTREES, task)
    if anything_at(path):
        return
    branch = await make_again(attempt.repository(run.project), path)
    run.kept[MADE_AGAIN] = branch
    folder = task_folder(run.project, task)
    folder.mkdir(parents=True, exist_ok=True)
    own, inside = (str(each.relative_to(run.project)) for each in (path, folder))
    worktree = Worktree(own, inside, branch, "", "")
    needs = run.settings.worktree
    ready = await set_up_worktree(SetUpWorktree(0, worktree, tuple(needs.copy), needs.init or ""), attempt)
    if not ready.passed:
        raise StateError(f"the worktree could not be prepared: {ready.reason}", RESUME)


async def open_worktree(action: OpenWorktree, attempt: Attempt) -> Worktree:
    project = attempt.run.project
    # A killed attempt to start again may have begun: what it made is new enough.
    fresh = action.fresh and attempt.number == 1
    repository = attempt.repository(project)
    made = await prepare(
        repository, project=project, spec=action.spec, task=action.task, fresh=fresh, start=action.base
    )
    # It is relative to the project, which may be elsewhere when the run continues.
    path, folder = (str(Path(each).relative_to(project)) for each in (made.path, made.folder))
    return replace(made, path=path, folder=folder)


async def record_start(action: RecordStart, attempt: Attempt) -> Start:
    repository = attempt.repository(attempt.run.project / action.worktree.folder)
    programs = programs_of(action.commands, attempt.bench.env)
    rules = await record_rules(repository, action.worktree.base)
    [tree] = await trees_of(repository, action.worktree.base)
    return Start(programs, rules, tree)


async def set_up_worktree(action: SetUpWorktree, attempt: Attempt) -> Evidence:
    project = attempt.run.project
    folder = project / action.worktree.folder
    given = await copy_local_files(folder, project, list(action.copy))
    words = [f"copied {', '.join(given.copied)}"] if given.copied else []
    words += [f"did not copy paths that lead elsewhere: {', '.join(given.skipped)}"] if given.skipped else []
    inside = attempt.repository(folder)
    words += await _warnings(inside, given.copied)
    prepared = (await inside.look()).git_dir / PREPARED if action.init else None
    if prepared is None or prepared.exists():
        return Evidence(INIT, passed=True, reason="; ".join(words) or "nothing to prepare")
    seen = await _init(action.init, folder, attempt)
    if seen.passed:
        prepared.touch()
    return replace(seen, reason="; ".join([*words, seen.reason]))


async def discard_work(action: DiscardWork, attempt: Attempt) -> Discarded:
    await restore_deleted(attempt, action.task)
    worktree = _on_this_machine(action.worktree, attempt)
    ref = attempt_ref(attempt.run.run_id, action.task, action.iteration)
    run = attempt.run
    # The summary that an earlier run left for the task does not describe the current work.
    set_summary(run.store, run.project_id, action.task, None)
    repository = attempt.repository(run.project)
    return Discarded(await discard(repository, worktree, ref=ref, commit=action.commit))


async def find_unfinished(action: FindUnfinished, attempt: Attempt) -> Unfinished:
    """A delivery that began and did not end, according to the store. The commit's message names its run."""
    run = attempt.run
    for made in await commits_of(attempt.repository(run.project), action.task, action.base):
        earlier = get_run(run.store, made.run) if made.run else None
        if earlier and (earlier.project, earlier.task_id) == (run.project_id, action.task):
            is_own = not earlier.verdict and last_row(run.store, earlier.id, DELIVER_WORK, "begun")
            return Unfinished(made.commit, made.parent, earlier.id) if is_own else Unfinished()
    return Unfinished()


async def deliver_work(action: DeliverWork, attempt: Attempt) -> Delivered:
    run = attempt.run
    worktree = _on_this_machine(action.worktree, attempt)
    repository = attempt.repository(run.project)
    # The title of the task is its subject, and may have a secret in it. A commit is published.
    message = run.mask(action.message)
    return await deliver_and_remove(repository, worktree, message=message, commit=action.commit, run=run.run_id)


def _on_this_machine(worktree: Worktree, attempt: Attempt) -> Worktree:
    path, folder = (str(attempt.run.project / each) for each in (worktree.path, worktree.folder))
    return replace(worktree, path=path, folder=folder)


async def _init(command: str, folder: Path, attempt: Attempt) -> Evidence:
    run, log = attempt.run, attempt.log(INIT)
    bench = attempt.bench.at(folder).logging_to(log)
    seen = await run_command(bench, command, limit=run.settings.timeouts.guardrail or None)
    return replace(seen, log=run.state.relative(log))


async def _warnings(inside: Repository, copied: tuple[str, ...]) -> list[str]:
    """Warnings about copied files. Ralph never commits them, but an agent that commits would, unless git ignores
    them.
    """
    known = await inside.not_ignored(copied)
    them = "it" if len(known) == 1 else "them"
    return [f"git does not ignore {', '.join(known)}: an agent could commit {them}"] if known else []
