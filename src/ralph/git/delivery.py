"""The delivery of a task's whole change as one commit on its spec's branch. It never touches what is checked out."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ralph.git.branch_tip import BranchTip, branch_tip, switch_away
from ralph.git.checkout import HEADS, Checkout
from ralph.git.delivered import RUN, TASK, commits_of
from ralph.git.folders import anything_at
from ralph.git.listing import linked
from ralph.git.repository import Change, Repository
from ralph.git.worktree import BETWEEN, DONE, remove, return_to_branch
from ralph.kernel.actions.tasks import Delivered, Worktree
from ralph.model.errors import StateError
from ralph.workbench.bench import Ended

ROUNDS = 20
"""How many times other tasks may deliver to the same branch meanwhile."""
NAMED = 10
SHORT = 8


class _Undeliverable(Exception):
    """The work cannot be delivered. The text is for the user."""


class _Conflict(_Undeliverable):
    """The work conflicts with other work on the branch."""


class _Point(NamedTuple):
    """A commit and its tree."""

    commit: str
    tree: str


async def deliver(
    repository: Repository, worktree: Worktree, *, message: str, commit: str = "", run: str = ""
) -> Delivered:
    """Deliver the work. Called again after a kill, it finds the commit that it made.

    If the branch has moved, the work is merged with it in the worktree and nothing is delivered. Exactly what was
    checked is delivered, so the caller checks again and calls again.
    """
    return (await _delivered(repository, worktree, message, commit, run))[0]


async def deliver_and_remove(
    repository: Repository, worktree: Worktree, *, message: str, commit: str = "", run: str = ""
) -> Delivered:
    """Deliver the work and remove the worktree. A worktree that cannot be removed is harmless: the work is safe."""
    done, inside = await _delivered(repository, worktree, message, commit, run)
    if done.problem or done.moved_to:
        return done
    return replace(done, left=await remove(repository, worktree, inside))


async def _delivered(
    repository: Repository, worktree: Worktree, message: str, commit: str, run: str
) -> tuple[Delivered, Checkout | None]:
    task = worktree.branch.removeprefix(worktree.spec_branch + BETWEEN)
    text = with_trailers(message, task, run)
    try:
        inside = await _inside(repository, worktree)
        work = await _work(repository, worktree, task, inside)
        _require(work, commit, worktree.branch)
        for _ in range(ROUNDS):
            done = await _attempt(repository, worktree, task, work, text)
            if done:
                return done, inside
    except _Undeliverable as problem:
        return Delivered("", str(problem), isinstance(problem, _Conflict)), None
    raise StateError(f"the branch {worktree.spec_branch} keeps moving.", "Try again: ralph resume")


def _require(work: _Point, commit: str, branch: str) -> None:
    """Require that exactly what was verified is delivered."""
    if commit and work.commit != commit:
        raise _Undeliverable(f"{branch} is at {work.commit[:SHORT]}, but {commit[:SHORT]} is what was verified")


async def _inside(repository: Repository, worktree: Worktree) -> Checkout | None:
    """The state of the worktree, on its branch; None if it does not exist."""
    path = Path(worktree.path)
    if not anything_at(path):
        return None
    inside = await linked(repository, path)
    if inside is None:
        raise _Undeliverable(f"{path} is no longer the worktree of {worktree.branch}")
    return await return_to_branch(repository, path, worktree.branch, inside)


async def _work(repository: Repository, worktree: Worktree, task: str, inside: Checkout | None) -> _Point:
    """The commit that holds the whole work."""
    if inside and inside.head and inside.tree:
        return _Point(inside.head, inside.tree)
    # There is no worktree: the work was delivered and the worktree removed, and ralph was killed before it knew.
    names = [HEADS + worktree.branch, *([] if inside else [f"{DONE}/{task}"])]
    found = await repository.resolve(*(f"{name}^{{{what}}}" for name in names for what in ("commit", "tree")))
    points = [_Point(*found[place : place + 2]) for place in range(0, len(found), 2)]
    work = next((point for point in points if all(point)), None)
    if not work:
        raise _Undeliverable(f"the branch {worktree.branch} is gone")
    return work


def with_trailers(message: str, task: str, run: str = "") -> str:
    """The message with trailers in their own paragraph, so that what an agent wrote at its end is not a trailer."""
    lines = [f"{TASK}: {task}", *([f"{RUN}: {run}"] if run else [])]
    return "\n".join([message.strip(), "", *lines, ""])


async def _attempt(
    repository: Repository, worktree: Worktree, task: str, work: _Point, message: str
) -> Delivered | None:
    """The delivery; None if another task delivered at the same moment."""
    tip, onto, parted = await _where_it_parts(repository, worktree, work)
    base = onto if parted == onto.commit else await _point(repository, parted)
    if work.tree == base.tree:
        return Delivered("")
    if base != onto and (made := await _made_before(repository, base, onto, task, work)):
        return Delivered(made)
    tree = await _merged(repository, base, onto, work)
    if tree == onto.tree:
        return Delivered("")
    if tree != work.tree:
        merged = await _merge_here(repository, worktree, tree, work, onto)
        return Delivered("", moved_to=onto.commit, merged=merged)
    if tip.is_held:
        raise _Undeliverable(
            f"{worktree.spec_branch} is checked out in {tip.holder}."
            f" Check out something else there: {switch_away(tip.holder)} && ralph resume"
        )
    commit = await repository.commit_tree(tree, onto.commit, message)
    moved = await repository.move(Change(HEADS + worktree.spec_branch, commit, tip.commit))
    return Delivered(commit) if moved else None


async def _where_it_parts(repository: Repository, worktree: Worktree, work: _Point) -> tuple[BranchTip, _Point, str]:
    """The spec's branch, the commit that the work is put on, and their common ancestor."""
    tip = await branch_tip(repository, worktree.spec_branch, below=work.commit)
    if tip.commit:
        return tip, _Point(tip.commit, tip.tree), tip.commit
    tip = await branch_tip(repository, worktree.spec_branch)
    # A user may have deleted the branch of the spec: it begins again where the task began.
    onto = _Point(tip.commit, tip.tree) if tip.commit else await _point(repository, worktree.base)
    return tip, onto, await repository.merge_base(work.commit, onto.commit) or worktree.base


async def _merge_here(repository: Repository, worktree: Worktree, tree: str, work: _Point, onto: _Point) -> str:
    """The commit of the merged work, which the worktree then holds. The worktree is ralph's own."""
    message = f"ralph: merge {worktree.spec_branch}\n"
    merged = await repository.commit_tree(tree, work.commit, message, onto.commit)
    inside = repository.at(Path(worktree.path))
    await inside.restore()
    await inside.git.ask("reset", "--quiet", "--hard", merged)
    return merged


async def _point(repository: Repository, commit: str) -> _Point:
    [tree] = await repository.resolve(f"{commit}^{{tree}}")
    if not tree:
        raise _Undeliverable(f"the commit {commit}, at which the work began, is gone")
    return _Point(commit, tree)


async def _made_before(repository: Repository, base: _Point, onto: _Point, task: str, work: _Point) -> str:
    """A commit of this task with exactly this change."""
    for made in await commits_of(repository, task, onto.commit, since=base.commit):
        with suppress(_Undeliverable):
            if made.tree == await _merged(repository, base, await _point(repository, made.parent), work):
                return made.commit
    return ""


async def _merged(repository: Repository, base: _Point, onto: _Point, work: _Point) -> str:
    """The tree of `onto` with the change from `base` to `work`."""
    if base.tree == onto.tree:
        return work.tree
    # A commit that nobody sees: the change as one step from the commit that it is taken from.
    step = await repository.commit_tree(work.tree, base.commit, "step")
    options = ("--write-tree", "-z", "--name-only", "--no-messages")
    done = await repository.git.run("merge-tree", *options, onto.commit, step)
    tree, _, names = done.text.partition("\0")
    if done.code == 0:
        return tree
    if done.code == 1:
        raise _Conflict(_conflict(names.strip("\0").split("\0")))
    raise await _cannot_merge(repository, done)


def _conflict(names: list[str]) -> str:
    shown = ", ".join(name.encode(errors="replace").decode() for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"other work on the spec's branch conflicts with it in {shown}{more}"


async def _cannot_merge(repository: Repository, done: Ended) -> Exception:
    if "usage:" not in done.err:
        return repository.git.failed("merge-tree", done)
    version = await repository.git.ask("version")
    why = f"the spec's branch has moved, and {version} cannot merge without a working tree: update git to 2.38 or newer"
    return _Undeliverable(why)
