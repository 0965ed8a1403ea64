"""A worktree for a task on a branch of its own: created, found again after a kill, repaired, and removed."""

import asyncio
import os
import shlex
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ralph.git.branch_tip import switch_away
from ralph.git.checkout import HEADS, Checkout
from ralph.git.command import RESUME
from ralph.git.folders import (
    admin_of,
    anything_at,
    delete_set_aside,
    drop_if_empty,
    may_be_repaired,
    own_git_dir,
    place,
    repository_of,
    set_aside,
    set_aside_admin,
)
from ralph.git.known_places import remember_place, seen_at
from ralph.git.listing import ListedWorktree, holder_of, linked, registered_at, worktrees
from ralph.git.own_index import know_new_worktree
from ralph.git.repository import Change, Repository, drop_locks
from ralph.kernel.actions.tasks import Worktree
from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import BRANCHES
from ralph.model.words import count
from ralph.workbench.bench import Ended

BETWEEN = "--"
"""The separator between spec and task in a branch name: git cannot have a branch below another."""
DISCARDED = "refs/ralph/discarded"
DONE = "refs/ralph/done"
ROUNDS = 20
"""How many times others may create the same branch meanwhile."""


class _Branches(NamedTuple):
    spec: str
    task: str
    start: str
    """Where the spec's branch begins, if it does not exist."""


async def prepare(
    repository: Repository, *, project: Path, spec: str, task: str, fresh: bool = False, start: str = ""
) -> Worktree:
    """The task's worktree, with an earlier run's work in it; a `fresh` one begins at the tip of the spec's branch."""
    at = await repository.require()
    if BETWEEN in spec:
        raise ConfigError(
            f"the spec id {spec} contains {BETWEEN!r}, which separates spec and task in branch names.",
            "Give the spec another id.",
        )
    spec_branch = BRANCHES + spec
    branches = _Branches(spec_branch, spec_branch + BETWEEN + task, start or at.head)
    path = place(project, task)
    base, kept = "", False
    if not fresh and not anything_at(path):
        base = await _begun(repository, path, branches)
    if not base:
        kept = await _reopened(repository, path, branches, fresh=fresh)
        base = await _base(repository, branches)
    folder = path / at.prefix
    folder.mkdir(parents=True, exist_ok=True)
    return Worktree(str(path), str(folder), branches.task, base, branches.spec, reused=kept)


async def remove(repository: Repository, worktree: Worktree, inside: Checkout | None = None) -> str:
    """Remove the worktree and its branch; its commits stay under refs/ralph/done. Returns why, if that is not possible.

    `inside` is what the caller has just seen in it, on its branch.
    """
    path = Path(worktree.path)
    tip = ""
    if anything_at(path):
        inside = inside or await linked(repository, path)
        if inside is None:
            return f"{path} is no longer the worktree of {worktree.branch}."
        if changes := await repository.at(path).uncommitted(inside):
            return f"{path} has uncommitted work: {count(changes, 'file')}."
        tip = (await return_to_branch(repository, path, worktree.branch, inside)).head
    tip = tip or await repository.commit_at(HEADS + worktree.branch)
    await take_away(repository, path)
    if tip and not await _retire(repository, worktree, tip):
        return f"the branch {worktree.branch} has just moved."
    return ""


async def relink(repository: Repository, path: Path) -> None:
    """Restore the link that makes the folder a worktree, if an agent deleted it. The folder still holds the agent's
    work.
    """
    common_dir = await repository.common_dir()
    if repository_of(path) == common_dir:
        return
    if may_be_repaired(path):
        await repository.git.run("worktree", "repair", str(path))
    if repository_of(path) != common_dir:
        raise StateError(
            f"{path / '.git'} is not the one that ralph made, so the work beside it cannot be saved.",
            "Move it away, then continue: ralph resume",
        )


async def make_again(repository: Repository, path: Path) -> str:
    """Make a worktree that was deleted again, from the branch of its task. Returns the name of the branch."""
    listed = await repository.git.ask("for-each-ref", "--format=%(refname)", f"{HEADS}{BRANCHES}*{BETWEEN}{path.name}")
    found = [ref.removeprefix(HEADS) for ref in listed.splitlines() if ref.partition(BETWEEN)[2] == path.name]
    if len(found) != 1:
        which = f"{len(found)} branches could be its own" if found else "its branch is gone too"
        raise StateError(
            f"the worktree {path} was deleted, and {which}.", f"Start the task again: ralph retry {path.name}"
        )
    await take_away(repository, path)
    done = await _add(repository, path, found[0])
    if done.code != 0:
        raise repository.git.failed("worktree add", done)
    return found[0]


async def return_to_branch(repository: Repository, path: Path, branch: str, inside: Checkout) -> Checkout:
    """Make the branch what is checked out: agents create branches of their own, or leave a rebase unfinished."""
    if inside.branch == branch:
        return inside
    head, tip = inside.head, await repository.commit_at(HEADS + branch)
    if head and head != tip:
        if tip and await repository.merge_base(tip, head) != tip:
            await keep(repository, path.name, tip)
        if not await repository.move(Change(HEADS + branch, head, tip)):
            raise StateError(f"the branch {branch} has just moved.", RESUME)
    await repository.git.at(path).ask("symbolic-ref", "HEAD", HEADS + branch)
    return replace(inside, branch=branch, head=head or tip)


async def keep(repository: Repository, task: str, commit: str) -> None:
    """Keep the commit under a ref, so that starting again never loses anything."""
    listed = await repository.git.ask("for-each-ref", "--format=%(objectname) %(refname)", f"{DISCARDED}/{task}/")
    refs = [line.split() for line in listed.splitlines()]
    if any(kept == commit for kept, _ in refs):
        return
    number = max((int(ref.rpartition("/")[2]) for _, ref in refs), default=0) + 1
    while not await repository.move(Change(f"{DISCARDED}/{task}/{number}", commit, "")):
        number += 1


async def _begun(repository: Repository, path: Path, branches: _Branches) -> str:
    """The commit at which the new worktree begins; empty if git has something recorded there that must be checked
    first.
    """
    spec_tip, tip = await _make_branches(repository, branches)
    done = await _add(repository, path, branches.task)
    if done.code != 0:
        if anything_at(path):
            raise repository.git.failed("worktree add", done)
        return ""
    return tip if tip == spec_tip else await _base(repository, branches)


async def _reopened(repository: Repository, path: Path, branches: _Branches, *, fresh: bool) -> bool:
    """Whether the worktree existed. If not, it is created from its branch, which may have existed."""
    await _make_branches(repository, branches, task=False)
    inside = await _usable(repository, path, branches.task)
    if fresh:
        await _discard(repository, path, branches, inside)
        inside = None
    await _make_branches(repository, branches)
    if inside:
        # Nobody else works on this task now, and a git may have been killed here.
        drop_locks(inside)
        await return_to_branch(repository, path, branches.task, inside)
        return True
    done = await _add(repository, path, branches.task)
    if done.code != 0:
        raise repository.git.failed("worktree add", done)
    return False


async def _base(repository: Repository, branches: _Branches) -> str:
    base = await repository.merge_base(HEADS + branches.task, HEADS + branches.spec)
    if not base:
        raise ConfigError(
            f"the branches {branches.task} and {branches.spec} have no commit in common.",
            "Start the task again, or delete the branch that is wrong.",
        )
    return base


async def _make_branches(repository: Repository, branches: _Branches, *, task: bool = True) -> tuple[str, str]:
    """Create the missing branches, the task's at the tip of the spec's. Returns where both are."""
    wanted = [HEADS + branches.spec, *([HEADS + branches.task] if task else [])]
    for _ in range(ROUNDS):
        *tips, start = await repository.resolve(*(f"{name}^{{commit}}" for name in (*wanted, branches.start)))
        first = tips[0] or start
        if not first:
            raise ConfigError(
                f"there is no commit {branches.start!r} to begin {branches.spec} from.", "Name a branch or a commit."
            )
        missing = [Change(ref, first, "") for ref, tip in zip(wanted, tips, strict=True) if not tip]
        # If two tasks begin at the same time, one of them creates the branch of their spec.
        if not missing or await _made(repository, missing):
            return first, tips[-1] or first
    raise StateError(f"the branch {branches.spec} keeps being created and deleted.", RESUME)


async def _made(repository: Repository, missing: list[Change]) -> bool:
    try:
        return await repository.move(*missing)
    except StateError as error:
        if not await repository.commit_at(HEADS + BRANCHES.rstrip("/")):
            raise
        branch = missing[0].ref.removeprefix(HEADS)
        raise ConfigError(
            f"the branch 'ralph' blocks the creation of {branch}.", "Rename it: git branch --move ralph another-name"
        ) from error


async def _usable(repository: Repository, path: Path, branch: str) -> Checkout | None:
    """The worktree, if it exists and is complete. What a killed attempt left is removed."""
    entries = await worktrees(repository)
    entry = registered_at(path, entries)
    inside = await linked(repository, path) if entry and not entry.unfinished else None
    if anything_at(path) and not inside and not (entry and entry.unfinished):
        inside = await _repair(repository, path)
        entries = await worktrees(repository)
        entry = registered_at(path, entries)
    _refuse_elsewhere(branch, path, entries)
    if entry and (entry.unfinished or not anything_at(path)):
        await take_away(repository, path)
        return None
    return inside if entry else None


def _refuse_elsewhere(branch: str, path: Path, entries: list[ListedWorktree]) -> None:
    holder = holder_of(branch, entries)
    if holder is None or holder == registered_at(path, entries):
        return
    if holder.path.exists():
        raise ConfigError(
            f"the branch {branch} is checked out in {holder.path}.",
            f"Check out something else there: {switch_away(str(holder.path))}",
        )
    raise ConfigError(
        f"git still lists {branch} as checked out in {holder.path}, which is gone.", "Run: git worktree prune"
    )


async def _repair(repository: Repository, path: Path) -> Checkout | None:
    """Repair a worktree after the project has moved, or `.git` was deleted in it. Any other folder is refused."""
    if drop_if_empty(path):
        return None
    if may_be_repaired(path):
        await repository.git.run("worktree", "repair", str(path))
    inside = await linked(repository, path)
    if inside is None:
        raise ConfigError(
            f"{path} is where the task's worktree belongs, but it is something else.",
            f"Move it away: {shlex.join(['mv', str(path), f'{path}.old'])}",
        )
    return inside


async def _add(repository: Repository, path: Path, branch: str) -> Ended:
    done = await repository.git.write_files("worktree", "add", "--quiet", str(path), branch)
    git_dir = own_git_dir(path) if done.code == 0 else None
    if git_dir:
        _remember_places(await repository.look(), path, git_dir)
        made = seen_at(path)
        know_new_worktree(git_dir, made.tree if made else "")
    return done


def _remember_places(at: Checkout, path: Path, git_dir: Path) -> None:
    """Remember where git has just created a worktree, and the project's folder in it."""
    top = Path(os.path.realpath(path))
    for folder, prefix in {path: "", path / at.prefix: at.prefix}.items():
        remember_place(folder, Checkout(top, git_dir, at.common_dir, prefix))


async def _discard(repository: Repository, path: Path, branches: _Branches, inside: Checkout | None) -> None:
    if inside:
        await return_to_branch(repository, path, branches.task, inside)
    tip = await repository.commit_at(HEADS + branches.task)
    if tip:
        commit = await _with_uncommitted(repository.at(path), tip) if inside else tip
        if await repository.merge_base(commit, HEADS + branches.spec) != commit:
            await keep(repository, path.name, commit)
    await take_away(repository, path)
    if tip:
        await repository.move(Change(HEADS + branches.task, "", tip))


async def _with_uncommitted(inside: Repository, tip: str) -> str:
    tree = await inside.snapshot()
    if [tree] == await inside.resolve(f"{tip}^{{tree}}"):
        return tip
    return await inside.commit_tree(tree, tip, "ralph: work that was not committed\n")


async def _retire(repository: Repository, worktree: Worktree, tip: str) -> bool:
    """Replace the branch with a ref that keeps its commits. Returns whether the branch was still at its tip."""
    task = worktree.branch.removeprefix(worktree.spec_branch + BETWEEN)
    done, branch = f"{DONE}/{task}", Change(HEADS + worktree.branch, "", tip)
    if await repository.move(Change(done, tip, ""), branch):
        return True
    [before] = await repository.resolve(done)
    if before and await repository.merge_base(before, tip) != before:
        await keep(repository, task, before)
    if before != tip:
        await repository.move(Change(done, tip, before))
    return await repository.move(branch)


async def take_away(repository: Repository, path: Path) -> None:
    """Remove the worktree with everything in it, and git's record of it."""
    common_dir = repository.known_common_dir()
    admin = admin_of(path, common_dir) if common_dir else None
    set_aside(path)
    if admin is None or not set_aside_admin(admin, path):
        done = await repository.git.run("worktree", "remove", "--force", "--force", str(path))
        if done.code != 0 and registered_at(path, await worktrees(repository)):
            raise repository.git.failed("worktree remove", done)
    await asyncio.to_thread(delete_set_aside, path.parent)
