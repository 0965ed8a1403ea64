"""Folders of worktrees, in which an agent may have left anything."""

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from ralph.git.command import WORKTREES
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write
from ralph.store.state_dir import ELSEWHERE, StateDir

GONE = ".gone-"
"""Begins the name of a worktree that is being deleted."""


def place(project: Path, task: str) -> Path:
    """Where the task's worktree belongs."""
    StateDir(project).create()
    parent = project.joinpath(*WORKTREES)
    if parent.is_symlink():
        raise ConfigError(f"{parent} is a symbolic link.", "Remove it: ralph writes in its own folder.")
    try:
        parent.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(parent, error, ELSEWHERE) from error
    return parent / task


def anything_at(path: Path) -> bool:
    return os.path.lexists(path)


def is_worktree(path: Path) -> bool:
    """As far as one can tell from the outside."""
    return not path.is_symlink() and (path / ".git").is_file()


def may_be_repaired(path: Path) -> bool:
    """Whether it has lost its repository. One that leads to a repository is that one's: this may be a copy."""
    if path.is_symlink() or not path.is_dir():
        return False
    link = path / ".git"
    if not link.is_file():
        return not os.path.lexists(link)
    return not Path(link.read_text(errors="replace").removeprefix("gitdir:").strip()).exists()


def drop_if_empty(path: Path) -> bool:
    try:
        path.rmdir()
    except OSError:
        return False
    return True


def set_aside(path: Path) -> None:
    """In one step: a kill while it is deleted leaves no half worktree that looks like deleted work."""
    try:
        path.rename(path.with_name(f"{GONE}{path.name}-{secrets.token_hex(4)}"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error


def delete_set_aside(parent: Path) -> None:
    for path in parent.glob(f"{GONE}*"):
        shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            _make_writable(path)
            shutil.rmtree(path, ignore_errors=True)


def _make_writable(top: Path) -> None:
    """Some tools make their caches read-only, folders and all."""
    with suppress(OSError):
        top.chmod(stat.S_IRWXU)
        for directory, names, _ in os.walk(top):
            for name in names:
                path = Path(directory, name)
                if not path.is_symlink():
                    path.chmod(stat.S_IRWXU)
