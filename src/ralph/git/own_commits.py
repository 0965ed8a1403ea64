"""Commits that ralph makes in the user's own tree: of named files, and with nothing else in them."""

import os
from collections.abc import Mapping
from pathlib import Path

from ralph.git.checkout import HEADS
from ralph.git.command import RESUME
from ralph.git.repository import Change, Repository
from ralph.git.rollback import attempt_ref
from ralph.git.trees import compose_tree
from ralph.model.errors import StateError
from ralph.model.proof import NewFile

FILE = "100644"


async def commit_files(repository: Repository, files: Mapping[str, bytes], message: str, branch: str) -> str:
    """The commit. The files are written as well; index and working tree otherwise stay as they are.

    No filter, hook or attribute of the repository affects it.
    """
    at = await repository.look()
    for name, content in files.items():
        write_file(at.top, name, content)
    tree = await compose_tree(repository, at.tree, {name: NewFile(FILE, content) for name, content in files.items()})
    if tree == at.tree:
        return at.head
    commit = await repository.commit_tree(tree, at.head, message)
    if not await repository.move(Change(HEADS + branch, commit, at.head)):
        raise StateError(f"the branch {branch} has just moved.", RESUME)
    names = [os.fsencode(name) + b"\0" for name in files]
    listed = await repository.git.records("ls-tree", "-z", "-r", commit, "--", *files, wanted=bool)
    lines = "".join(f"{each}\0" for each in listed) if names else ""
    await repository.git.at(at.top).ask("update-index", "-z", "--index-info", stdin=os.fsencode(lines))
    return commit


def write_file(top: Path, name: str, content: bytes) -> None:
    """Write a file, replacing whatever is there: an agent may have put a link or a folder there."""
    path = top / name
    for parent in reversed(Path(name).parents):
        folder = top / parent
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.agent-{os.getpid()}"))
    fresh = path.with_name(f".{path.name}.ralph-{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.write_bytes(content)
    fresh.replace(path)


async def back_on_branch(repository: Repository, branch: str, head: str, run_id: str, iteration: int) -> str:
    """What was wrong, if an agent left the branch, reset it or worked beside it.

    HEAD and the branch are put back to where the iteration began. Its commits stay under a ref, and the files as they
    are.
    """
    at = await repository.look()
    tip = await repository.commit_at(HEADS + branch)
    if at.branch == branch and tip and await repository.merge_base(head, tip) == head:
        return ""
    kept = await _kept(repository, [at.head, tip], head, attempt_ref(run_id, NAME, iteration))
    await _point_back(repository, branch, head, tip)
    return f"The branch {branch} was left, reset or replaced. It is back where the iteration began.{kept}"


async def back_where_left(repository: Repository, branch: str, head: str, run_id: str, iteration: int) -> str:
    """What was wrong, if anything was committed or checked out since ralph left the branch at this commit.

    Everything is reset to that commit; other commits stay under a ref. Files that differ from both are left as they
    are.
    """
    at = await repository.look()
    tip = await repository.commit_at(HEADS + branch)
    if at.branch == branch and tip == head:
        return ""
    kept = await _kept(repository, [at.head, tip], head, attempt_ref(run_id, BETWEEN, iteration))
    if at.branch == branch:
        # The files are reset as well, unless that would remove what nobody has committed.
        await repository.git.at(at.top).run("reset", "--quiet", "--keep", head)
    if (await repository.look()).head != head or at.branch != branch:
        await _point_back(repository, branch, head, await repository.commit_at(HEADS + branch))
    return f"The branch {branch} was moved between two iterations. It is back where the last one ended.{kept}"


NAME = "stories"
BETWEEN = "stories-between"


async def _point_back(repository: Repository, branch: str, head: str, tip: str) -> None:
    """Point HEAD and the branch to this commit, whatever the working tree holds."""
    if tip != head and not await repository.move(Change(HEADS + branch, head, tip)):
        raise StateError(f"the branch {branch} has just moved.", RESUME)
    git = repository.git.at((await repository.look()).top)
    await git.ask("symbolic-ref", "HEAD", HEADS + branch)
    await git.ask("read-tree", "HEAD")


async def _kept(repository: Repository, commits: list[str], head: str, ref: str) -> str:
    names: list[str] = []
    for commit in dict.fromkeys(each for each in commits if each and each != head):
        name = f"{ref}.{len(names)}"
        [there] = await repository.resolve(name)
        await repository.move(Change(name, commit, there))
        names.append(name)
    return f" Its commits are kept: {', '.join(names)}." if names else ""
