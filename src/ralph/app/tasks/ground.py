"""The repository in which tasks run: where the spec's branch begins, and what would block the work."""

import os
from pathlib import Path
from typing import NamedTuple

from ralph.git.branch_tip import BranchTip, branch_tip, switch_away
from ralph.git.checkout import HEADS, Checkout
from ralph.git.command import GitFailed
from ralph.git.repository import Repository
from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import BRANCHES
from ralph.model.words import count
from ralph.workbench.bench import Workbench

SHORT = 8


class Ground(NamedTuple):
    base: str
    """The commit at which the spec's branch begins, if it does not exist yet."""
    told: list[str]
    """What a person should know before the run begins."""


async def look_at_ground(project: Path, spec: str, base: str | None = None) -> Ground:
    """The ground. It raises a ConfigError before any agent works, if its work could not be delivered."""
    repository = Repository(Workbench(project, os.environ, "look"))
    try:
        return await _looked_at(repository, spec, base)
    except GitFailed as error:
        # There is no run to resume yet.
        raise StateError(error.message, error.remedy) from error


async def _looked_at(repository: Repository, spec: str, base: str | None) -> Ground:
    at = await repository.require()
    branch = BRANCHES + spec
    tip = await branch_tip(repository, branch)
    named = await repository.commit_at(base) if base else at.head
    if not named:
        raise ConfigError(f"git has no commit {base!r} to begin {branch} at.", "Name a branch or a commit.")
    if base is not None and tip.commit:
        raise ConfigError(
            f"the branch {branch} exists already, so --base has no effect.",
            f"Leave --base out, or rename the branch first: git branch --move {branch} {branch}-old",
        )
    _refuse_checked_out(branch, tip)
    there = await _there_already(repository, at, branch) if tip.commit else []
    return Ground(named, [*there, *_told(at, branch, is_new=not tip.commit), *await _uncommitted(repository, at)])


def _refuse_checked_out(branch: str, tip: BranchTip) -> None:
    if tip.is_held:
        raise ConfigError(
            f"the branch {branch} is checked out in {tip.holder}, so no work could be delivered to it.",
            f"Check out something else there: {switch_away(tip.holder)}",
        )


async def _there_already(repository: Repository, at: Checkout, branch: str) -> list[str]:
    """The relation of an existing branch, of an earlier run or a person, to what is checked out here."""
    listed = await repository.git.ask("rev-list", "--left-right", "--count", f"{at.head}...{HEADS}{branch}", "--")
    missing, own = map(int, listed.split())
    if not missing and not own:
        return []
    top = f"its {count(own, 'commit')}" if own else "it"
    without = f", without {count(missing, 'commit')} of {at.branch or 'HEAD'}" if missing else ""
    return [f"{branch} exists already: tasks go on top of {top}{without}."]


def _told(at: Checkout, branch: str, *, is_new: bool) -> list[str]:
    found: list[str] = []
    if is_new and not at.branch:
        found.append(f"HEAD is detached: {branch} begins at {at.head[:SHORT]}.")
    if (at.common_dir / "shallow").is_file():
        found.append("this clone is shallow: ralph works with the commits that are here.")
    if (at.top / ".gitmodules").is_file():
        found.append(
            "submodules are empty in a task's worktree: to fill them, set worktree.init to"
            ' "git submodule update --init".'
        )
    return found


async def _uncommitted(repository: Repository, at: Checkout) -> list[str]:
    changes = await repository.uncommitted(at)
    if not changes:
        return []
    stay = "stays" if changes == 1 else "stay"
    return [f"{count(changes, 'uncommitted change')} {stay} here, untouched: a task works on what is committed."]
