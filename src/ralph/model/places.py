"""Where an action works: a name, never a path, so that it means the same on another machine."""

from typing import Literal

from msgspec import Struct


class Place(Struct, frozen=True, omit_defaults=True):
    kind: Literal["project", "task", "verification", "scratch"] = "project"
    """The user's own tree; the worktree of a task, where its agents work; a worktree for checks, where only ralph
    works; or an empty folder that belongs to this attempt alone."""
    name: str = ""
    """The name of the task, or of the run whose work is checked."""
    tree: str = ""
    """The tree that must be checked out, or a commit with it; only for a verification."""


PROJECT = Place()
SCRATCH = Place("scratch")


def task_place(task: str) -> Place:
    return Place("task", task)


def verification_place(name: str, tree: str = "") -> Place:
    return Place("verification", name, tree)
