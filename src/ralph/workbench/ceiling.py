"""A limit that keeps a program's git inside its worktree."""

import os
from functools import cache
from pathlib import Path

CEILING = "GIT_CEILING_DIRECTORIES"
WORKTREES = (".ralph", "worktrees")


def ceiling(folder: Path) -> dict[str, str]:
    """The variables that keep git in a worktree without `.git` from using the surrounding project as the repository."""
    text = str(folder)
    if WORKTREES[-1] not in text and _is_elsewhere(text):
        return {}
    parts = Path(os.path.realpath(folder)).parts
    for end in range(len(parts) - 1, 1, -1):
        if parts[end - 2 : end] == WORKTREES:
            return {CEILING: str(Path(*parts[:end]))}
    return {}


@cache
def _is_elsewhere(folder: str) -> bool:
    """Whether the path leads outside of all worktrees. The answer is cached, because every start of a program asks."""
    return WORKTREES[-1] not in os.path.realpath(folder)
