"""What a run has delivered, as somebody else would get it: a clone, or a copy of the working tree."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from honesty.columns import BRANCH
from ralph.testing import TempRepo

NOT_DELIVERED = (".git", ".ralph")


def deliver(repo: TempRepo, place: Path, *, branch: str) -> bool:
    """Clone the branch, or copy the working tree if no branch is named; false if there is no such branch."""
    if not branch:
        shutil.copytree(repo.path, place, symlinks=True, ignore=shutil.ignore_patterns(*NOT_DELIVERED))
        return True
    # A clone has none of the settings, filters and flags that the agent left in the repository.
    cloned = repo.run("git", "clone", "--quiet", "--branch", branch, "--", str(repo.path), str(place))
    return cloned.returncode == 0


def branch_of(column: str, *, commits: bool) -> str:
    """The branch to which the column delivers; empty if it delivers to the user's working tree."""
    if column in ("run", "naive"):
        return "main" if commits else ""
    return BRANCH


@contextmanager
def without(home: Path) -> Generator[None]:
    """Move the home directory away inside the block, because it is not delivered: links into it lead nowhere."""
    away = home.with_name("home-away")
    home.rename(away)
    try:
        yield
    finally:
        away.rename(home)
