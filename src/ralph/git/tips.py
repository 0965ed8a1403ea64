"""The tip of a branch: moved to the work, and checked not to have moved since."""

from ralph.git.checkout import Checkout
from ralph.git.repository import Change, Repository
from ralph.git.worktree import return_to_branch

START = "refs/ralph/start"
"""The ref of the tree at which the latest `ralph run` began, so that git's garbage collection keeps it."""
SHORT = 8


async def bring_to_branch(repository: Repository, branch: str) -> Checkout:
    """Put the work on the branch. Agents check out branches of their own or detach HEAD, but their work belongs to
    it.
    """
    inside = await repository.look()
    if inside.branch == branch:
        return inside
    await return_to_branch(repository, repository.folder, branch, inside)
    return await repository.look()


async def moved_from(repository: Repository, commit: str, branch: str) -> str:
    """Why the branch is not at that commit any more, in a few words; empty if it is."""
    inside = await repository.look()
    if inside.branch != branch:
        at = f"the branch {inside.branch}" if inside.branch else f"the commit {inside.head[:SHORT]}"
        return f"HEAD of the worktree was moved from {branch} to {at} while the work was verified"
    if inside.head != commit:
        return (
            f"{branch} was moved from {commit[:SHORT]}, which was verified, to {inside.head[:SHORT] or 'nothing'}"
            " while the checks ran"
        )
    return ""


async def keep_start(repository: Repository, tree: str) -> None:
    commit = await repository.commit_tree(tree, "", "ralph: the start of a run\n")
    [before] = await repository.resolve(START)
    await repository.move(Change(START, commit, before))
