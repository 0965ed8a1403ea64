"""The whole change of a task as one commit on the branch of its spec. Nothing that is checked out is ever touched."""

import re
from contextlib import suppress
from pathlib import Path

from ralph.git.command import Done
from ralph.git.folders import anything_at
from ralph.git.listing import HEADS, holder_of, is_linked, worktrees
from ralph.git.repository import Repository
from ralph.git.worktree import BETWEEN, DONE, return_to_branch
from ralph.kernel.actions import Delivered, Worktree
from ralph.model.errors import StateError

TASK = "Ralph-Task"
ROUNDS = 20
"""How often other tasks may deliver to the same branch in between."""
NAMED = 10
TRAILER = re.compile(r"[A-Za-z0-9-]+: .*")


class _Undeliverable(Exception):
    """In words for the user."""


async def deliver(repository: Repository, worktree: Worktree, *, message: str) -> Delivered:
    """Called again after a kill, it finds the commit that it has made."""
    task = worktree.branch.removeprefix(worktree.spec_branch + BETWEEN)
    text = with_trailer(message, f"{TASK}: {task}")
    try:
        work = await _work(repository, worktree, task)
        for _ in range(ROUNDS):
            done = await _attempt(repository, worktree, task, work, text)
            if done:
                return done
    except _Undeliverable as problem:
        return Delivered("", str(problem))
    raise StateError(f"the branch {worktree.spec_branch} moves all the time.", "Try again: ralph resume")


async def _work(repository: Repository, worktree: Worktree, task: str) -> str:
    """The commit that holds all of it."""
    path = Path(worktree.path)
    there = anything_at(path)
    if there:
        if not await is_linked(repository, path):
            raise _Undeliverable(f"{path} is no longer the worktree of {worktree.branch}")
        await return_to_branch(repository, path, worktree.branch)
    work = await repository.resolve(HEADS + worktree.branch)
    if not work and not there:
        # It was delivered and taken away, and ralph did not live to hear of it.
        work = await repository.resolve(f"{DONE}/{task}")
    if not work:
        raise _Undeliverable(f"the branch {worktree.branch} is gone")
    return work


def with_trailer(message: str, trailer: str) -> str:
    """Beside other trailers, if the message ends with some."""
    paragraphs = message.strip().split("\n\n")
    lines = paragraphs[-1].splitlines()
    if len(paragraphs) > 1 and all(TRAILER.fullmatch(line) for line in lines):
        return "\n\n".join(paragraphs) + ("\n" if trailer in lines else f"\n{trailer}\n")
    return f"{message.strip()}\n\n{trailer}\n"


async def _attempt(repository: Repository, worktree: Worktree, task: str, work: str, message: str) -> Delivered | None:
    """Nothing if another task has delivered at the same moment."""
    ref = HEADS + worktree.spec_branch
    tip = await repository.resolve(ref)
    # A user may have deleted the branch of the spec: it begins again where the task began.
    onto = tip or worktree.base
    base = await repository.merge_base(work, onto) or worktree.base
    if await repository.tree(work) == await repository.tree(base):
        return Delivered("")
    if made := await _made_before(repository, base, onto, task, work):
        return Delivered(made)
    tree = await _merged(repository, base, onto, work)
    if tree == await repository.tree(onto):
        return Delivered("")
    if holder := holder_of(worktree.spec_branch, await worktrees(repository)):
        raise _Undeliverable(
            f"{worktree.spec_branch} is checked out in {holder.path}: switch to another branch there, then ralph resume"
        )
    commit = await repository.commit_tree(tree, onto, message)
    return Delivered(commit) if await repository.move(ref, commit, tip) else None


async def _made_before(repository: Repository, base: str, onto: str, task: str, work: str) -> str:
    """A commit of this task with this very change."""
    for commit, parent in await _commits_of(repository, base, onto, task):
        with suppress(_Undeliverable):
            if await repository.tree(commit) == await _merged(repository, base, parent, work):
                return commit
    return ""


async def _commits_of(repository: Repository, base: str, tip: str, task: str) -> list[tuple[str, str]]:
    """Each with its parent, the newest first."""
    trailers = f"%(trailers:key={TASK},valueonly,separator=%x00)"
    chosen = ("--fixed-strings", f"--grep={TASK}: {task}", f"{base}..{tip}", "--")
    listed = await repository.git.ask("log", f"--format=%H %P%x00{trailers}", *chosen)
    found: list[tuple[str, str]] = []
    for line in listed.splitlines():
        hashes, _, tasks = line.partition("\0")
        if task in tasks.split("\0"):
            commit, parent = hashes.split()[:2]
            found.append((commit, parent))
    return found


async def _merged(repository: Repository, base: str, onto: str, work: str) -> str:
    """The tree of `onto` with the change from `base` to `work`."""
    if await repository.tree(base) == await repository.tree(onto):
        return await repository.tree(work)
    # A commit that nobody sees: the change as one step from where it is to be taken.
    step = await repository.commit_tree(await repository.tree(work), base, "step")
    done = await repository.git.run("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", onto, step)
    tree, _, names = done.text.partition("\0")
    if done.code == 0:
        return tree
    if done.code == 1:
        raise _Undeliverable(_conflict(names.strip("\0").split("\0")))
    raise await _cannot_merge(repository, done)


def _conflict(names: list[str]) -> str:
    shown = ", ".join(name.encode(errors="replace").decode() for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"other work on the spec's branch conflicts with it in {shown}{more}"


async def _cannot_merge(repository: Repository, done: Done) -> Exception:
    if "usage:" not in done.err:
        return repository.git.failed("merge-tree", done)
    version = await repository.git.ask("version")
    return _Undeliverable(f"the spec's branch has moved, and {version} cannot merge beside a working tree: 2.38 can")
