"""A worktree for a task on a branch of its own: made, found again after a kill, healed, and taken away."""

import asyncio
import shlex
from pathlib import Path

from ralph.git.command import RESUME
from ralph.git.folders import anything_at, delete_set_aside, drop_if_empty, may_be_repaired, place, set_aside
from ralph.git.listing import HEADS, Entry, holder_of, is_linked, registered_at, worktrees
from ralph.git.repository import Repository
from ralph.kernel.actions import Worktree
from ralph.model.errors import ConfigError, StateError

BRANCHES = "ralph/"
BETWEEN = "--"
"""Between spec and task in the name of a branch: git cannot have a branch below another."""
DISCARDED = "refs/ralph/discarded"
DONE = "refs/ralph/done"


async def prepare(
    repository: Repository, *, project: Path, spec: str, task: str, fresh: bool = False, start: str = ""
) -> Worktree:
    """The task's worktree, with what an earlier run did in it; a `fresh` one begins where the spec's branch is."""
    await repository.require()
    if BETWEEN in spec:
        raise ConfigError(
            f"the spec id {spec} contains {BETWEEN!r}, which in the name of a branch begins the task.",
            "Give the spec another id.",
        )
    spec_branch = BRANCHES + spec
    branch = spec_branch + BETWEEN + task
    await _make_branch(repository, spec_branch, start or "HEAD")
    path = place(project, task)
    kept = await _usable(repository, path, branch)
    if fresh:
        await _discard(repository, path, branch, spec_branch, kept=kept)
        kept = False
    await _make_branch(repository, branch, HEADS + spec_branch)
    if kept:
        await return_to_branch(repository, path, branch)
    else:
        await _add(repository, path, branch)
    folder = path / await repository.git.at(project).ask("rev-parse", "--show-prefix")
    folder.mkdir(parents=True, exist_ok=True)
    base = await repository.merge_base(HEADS + branch, HEADS + spec_branch)
    if not base:
        raise ConfigError(
            f"the branches {branch} and {spec_branch} have no commit in common.",
            "Begin the task anew, or delete the branch that is wrong.",
        )
    return Worktree(path=str(path), folder=str(folder), branch=branch, base=base, spec_branch=spec_branch, reused=kept)


async def remove(repository: Repository, worktree: Worktree) -> str:
    """Take away the worktree and its branch; its commits stay under refs/ralph/done. Why not, if it cannot be."""
    path = Path(worktree.path)
    if anything_at(path):
        if not await is_linked(repository, path):
            return f"{path} is no longer the worktree of {worktree.branch}."
        if changes := await repository.at(path).uncommitted():
            return f"{path} has uncommitted work: {changes} files."
        await return_to_branch(repository, path, worktree.branch)
    task = worktree.branch.removeprefix(worktree.spec_branch + BETWEEN)
    tip = await repository.resolve(HEADS + worktree.branch)
    if tip:
        await _keep_as_done(repository, task, tip)
    await _take_away(repository, path)
    if tip and not await repository.move(HEADS + worktree.branch, "", tip):
        return f"the branch {worktree.branch} has just moved."
    return ""


async def return_to_branch(repository: Repository, path: Path, branch: str) -> None:
    """What is checked out becomes the branch: agents make branches of their own, or leave a rebase unfinished."""
    inside = repository.at(path)
    if await inside.branch() == branch:
        return
    head, tip = await inside.resolve("HEAD"), await repository.resolve(HEADS + branch)
    if head and head != tip:
        if tip and await repository.merge_base(tip, head) != tip:
            await keep(repository, path.name, tip)
        if not await repository.move(HEADS + branch, head, tip):
            raise StateError(f"the branch {branch} has just moved.", RESUME)
    await inside.git.ask("symbolic-ref", "HEAD", HEADS + branch)


async def keep(repository: Repository, task: str, commit: str) -> None:
    """Under a ref of its own, so that nothing is ever lost by beginning anew."""
    listed = await repository.git.ask("for-each-ref", "--format=%(objectname) %(refname)", f"{DISCARDED}/{task}/")
    refs = [line.split() for line in listed.splitlines()]
    if any(kept == commit for kept, _ in refs):
        return
    number = max((int(ref.rpartition("/")[2]) for _, ref in refs), default=0) + 1
    while not await repository.move(f"{DISCARDED}/{task}/{number}", commit, ""):
        number += 1


async def _make_branch(repository: Repository, branch: str, start: str) -> None:
    """Unless it is there already."""
    if await repository.resolve(HEADS + branch):
        return
    commit = "" if start.startswith("-") else await repository.resolve(start)
    if not commit:
        raise ConfigError(f"there is no commit {start!r} to begin {branch} from.", "Name a branch or a commit.")
    if await repository.resolve(HEADS + BRANCHES.rstrip("/")):
        raise ConfigError(
            f"the branch 'ralph' is in the way of {branch}.", "Rename it: git branch --move ralph another-name"
        )
    # Of two tasks that begin at once, one makes the branch of their spec.
    await repository.move(HEADS + branch, commit, "")


async def _usable(repository: Repository, path: Path, branch: str) -> bool:
    """Whether the worktree is there and whole. What a killed attempt left of one is cleared away."""
    entries = await worktrees(repository)
    entry = registered_at(path, entries)
    if anything_at(path) and not (entry and (entry.unfinished or await is_linked(repository, path))):
        await _repair(repository, path)
        entries = await worktrees(repository)
        entry = registered_at(path, entries)
    _refuse_elsewhere(branch, path, entries)
    if entry and (entry.unfinished or not anything_at(path)):
        await _take_away(repository, path)
        return False
    return entry is not None


def _refuse_elsewhere(branch: str, path: Path, entries: list[Entry]) -> None:
    holder = holder_of(branch, entries)
    if holder is None or holder == registered_at(path, entries):
        return
    if holder.path.exists():
        raise ConfigError(
            f"the branch {branch} is checked out in {holder.path}.",
            f"Switch to another branch there: git -C {shlex.quote(str(holder.path))} switch --detach",
        )
    raise ConfigError(
        f"git has the branch {branch} down as checked out in {holder.path}, which is gone.", "Run: git worktree prune"
    )


async def _repair(repository: Repository, path: Path) -> None:
    """After the project was moved, or `.git` was deleted in the worktree. What is no worktree of ours is refused."""
    if drop_if_empty(path):
        return
    if may_be_repaired(path):
        await repository.git.run("worktree", "repair", str(path))
    if not await is_linked(repository, path):
        raise ConfigError(
            f"{path} is where the task's worktree belongs, but it is something else.", "Move it away or delete it."
        )


async def _add(repository: Repository, path: Path, branch: str) -> None:
    argv = ("worktree", "add", "--quiet", str(path), branch)
    done = await repository.git.run(*argv)
    if done.code != 0 and "smudge" in done.err:
        # Large files that cannot be fetched now stay the pointers that they are in git.
        done = await repository.git.run(*argv, env={"GIT_LFS_SKIP_SMUDGE": "1"})
    if done.code != 0:
        raise repository.git.failed("worktree add", done)


async def _discard(repository: Repository, path: Path, branch: str, spec_branch: str, *, kept: bool) -> None:
    if kept:
        await return_to_branch(repository, path, branch)
    tip = await repository.resolve(HEADS + branch)
    if tip:
        commit = await _with_uncommitted(repository.at(path), tip) if kept else tip
        if await repository.merge_base(commit, HEADS + spec_branch) != commit:
            await keep(repository, path.name, commit)
    await _take_away(repository, path)
    if tip:
        await repository.move(HEADS + branch, "", tip)


async def _with_uncommitted(inside: Repository, tip: str) -> str:
    tree = await inside.snapshot()
    if tree == await inside.tree(tip):
        return tip
    return await inside.commit_tree(tree, tip, "ralph: work that was not committed\n")


async def _keep_as_done(repository: Repository, task: str, tip: str) -> None:
    ref = f"{DONE}/{task}"
    before = await repository.resolve(ref)
    if before and await repository.merge_base(before, tip) != before:
        await keep(repository, task, before)
    await repository.move(ref, tip, before)


async def _take_away(repository: Repository, path: Path) -> None:
    set_aside(path)
    if registered_at(path, await worktrees(repository)):
        await repository.git.ask("worktree", "remove", "--force", "--force", str(path))
    await asyncio.to_thread(delete_set_aside, path.parent)
