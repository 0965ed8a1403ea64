"""Repairs of a repository whose directory has moved: git and its worktrees store each other's absolute paths."""

from pathlib import Path

from ralph.git.folders import may_be_repaired
from ralph.git.repository import Repository
from ralph.workbench.ceiling import WORKTREES


async def repair_worktrees(repository: Repository, project: Path) -> None:
    """Repair the worktrees that ralph made in the project. What git cannot repair is reported when it is next
    opened.
    """
    parent = project.joinpath(*WORKTREES)
    if parent.is_symlink() or not parent.is_dir():
        return
    lost = [str(each) for each in sorted(parent.iterdir()) if may_be_repaired(each)]
    if lost:
        await repository.git.run("worktree", "repair", *lost)
