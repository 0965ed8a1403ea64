"""Undoing an attempt: a ref keeps its commit, and the worktree is reset to where the work began."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from ralph.git.checkout import HEADS, Checkout
from ralph.git.command import RESUME, Git
from ralph.git.folders import make_writable
from ralph.git.kept_files import delete
from ralph.git.listing import linked
from ralph.git.own_index import KEPT, install, keep, know, take_kept
from ralph.git.repository import Change, Repository
from ralph.git.sealed import seal
from ralph.git.staging import whole_work
from ralph.git.trees import SUBMODULE
from ralph.git.verification_place import UNFINISHED
from ralph.git.worktree import DISCARDED, return_to_branch
from ralph.kernel.actions.tasks import Worktree
from ralph.model.errors import StateError
from ralph.model.git_rules import GitRules
from ralph.workbench.ceiling import WORKTREES

MOST = 100
"""How many attempts may want the same ref."""


def attempt_ref(run_id: str, task: str, iteration: int) -> str:
    """The ref of a run's discarded attempt."""
    return f"{DISCARDED}/{run_id}/{task}/{iteration}"


async def discard(repository: Repository, worktree: Worktree, *, ref: str, commit: str) -> str:
    """The ref that keeps the commit; empty if there is nothing to keep. Repeated after a kill, it has the same result.

    `repository` is the project's, and the worktree is one that ralph made in it: any other tree is refused.
    """
    path = Path(worktree.path)
    inside = await _own(repository, path)
    inside = await return_to_branch(repository, path, worktree.branch, inside)
    kept = await _moved(repository, worktree, inside.head, ref=ref, commit=commit)
    for name in UNFINISHED:
        delete(inside.git_dir / name)
    try:
        await _reset(repository.git.at(path), inside, worktree, commit)
    except StateError:
        # Some tools make their files read-only, folders and all.
        make_writable(path)
        await _reset(repository.git.at(path), inside, worktree, commit)
    return kept


async def _own(repository: Repository, path: Path) -> Checkout:
    parent = repository.folder.joinpath(*WORKTREES)
    is_own = path.parent == parent and not parent.is_symlink()
    inside = await linked(repository, path) if is_own else None
    if inside is None or not inside.is_linked:
        raise StateError(f"{path} is not a worktree of ralph's, so nothing in it is discarded.", RESUME)
    return inside


async def _moved(repository: Repository, worktree: Worktree, tip: str, *, ref: str, commit: str) -> str:
    """The ref of the attempt. Moving the branch back and creating the ref happen together or not at all."""
    branch = Change(HEADS + worktree.branch, worktree.base, tip)
    if commit == worktree.base:
        keeping, found = "", True
    else:
        keeping, found = await _free(repository, ref, commit)
    changes = ([] if found else [Change(keeping, commit, "")]) + ([] if tip == worktree.base else [branch])
    if changes and not await repository.move(*changes):
        raise StateError(f"the branch {worktree.branch} has just moved.", RESUME)
    return keeping


async def _free(repository: Repository, ref: str, commit: str) -> tuple[str, bool]:
    """The ref for this commit, and whether it already exists. The ref of another commit is never used."""
    for number in range(1, MOST):
        name = ref if number == 1 else f"{ref}.{number}"
        [there] = await repository.resolve(name)
        if not there or there == commit:
            return name, bool(there)
    raise StateError(f"{ref} and {MOST} more like it are taken.", "Remove old runs: ralph runs gc --keep 20")


async def _reset(git: Git, inside: Checkout, worktree: Worktree, commit: str) -> None:
    """Reset by the user's rules alone: nothing that an agent told git decides what is written or removed, or where."""
    rules = worktree.git or GitRules()
    with tempfile.TemporaryDirectory(prefix="ralph-reset-") as directory:
        folder = Path(directory)
        index = folder / "index"
        top = git.folder.resolve()
        sealed = seal(folder / "git", rules, inside.common_dir, top, worktree.base)
        env = {**sealed, "GIT_INDEX_FILE": str(index)}
        if not take_kept(inside.git_dir / KEPT, index):
            await git.ask("read-tree", commit, env=env)
        done = await git.write_files("read-tree", "--reset", "-u", worktree.base, env=env)
        if done.code != 0:
            raise git.failed("read-tree", done)
        lent = [name.decode(errors="surrogateescape") for name in rules.lent]
        await git.ask("clean", "--quiet", "-ffd", "--", *whole_work(inside, lent), env=env)
        await _reset_submodules(git, inside, env)
        keep(index, inside.git_dir / KEPT)
        install(index, inside.git_dir / "index")
    know(inside.git_dir / "index")


async def _reset_submodules(git: Git, inside: Checkout, env: Mapping[str, str]) -> None:
    """Reset the submodules that are filled to the commits of the base."""
    if not (git.folder / ".gitmodules").is_file():
        return
    listed = await git.records("ls-files", "-z", "--stage", env=env, wanted=_is_submodule)
    for about, _, name in (record.partition("\t") for record in listed):
        place = git.folder / name
        if own := _git_dir(place, inside.git_dir / "modules"):
            there = {"GIT_DIR": str(own), "GIT_WORK_TREE": str(place)}
            await git.at(place).run("checkout", "--quiet", "--force", "--detach", about.split(" ")[1], env=there)
            await git.at(place).run("clean", "--quiet", "-ffd", env=there)


def _is_submodule(record: bytes) -> bool:
    return record.startswith(SUBMODULE.encode())


def _git_dir(place: Path, modules: Path) -> Path | None:
    """The git directory of a submodule that git filled here. An agent could make it lead to any repository, even the
    user's.
    """
    link = place / ".git"
    if place.is_symlink() or link.is_symlink() or not link.is_file():
        return None
    found = (place / link.read_text(errors="replace").removeprefix("gitdir:").strip()).resolve()
    return found if found.is_relative_to(modules.resolve()) else None
