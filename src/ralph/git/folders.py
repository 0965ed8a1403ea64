"""The folders of worktrees, in which an agent may have left anything."""

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from ralph.config.project import repository_above
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write
from ralph.store.state_dir import ELSEWHERE, StateDir
from ralph.workbench.ceiling import WORKTREES

GONE = ".gone-"
"""The prefix of a worktree's name while it is being deleted."""
BELOW = len(WORKTREES) + 1
"""How many parts of its path are below the project."""


def place(project: Path, task: str) -> Path:
    """The path of the task's worktree."""
    StateDir(project).create()
    parent = project.joinpath(*WORKTREES)
    if parent.is_symlink():
        raise ConfigError(f"{parent} is a symbolic link.", "Remove it: ralph writes in its own folder.")
    try:
        parent.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(parent, error, ELSEWHERE) from error
    return parent / task


def task_folder(project: Path, task: str) -> Path:
    """The project in the task's worktree: its top, unless the project is only a part of its repository."""
    worktree = project.joinpath(*WORKTREES, task)
    return worktree / project.relative_to(repository_above(project) or project)


def anything_at(path: Path) -> bool:
    return os.path.lexists(path)


def is_worktree(path: Path) -> bool:
    """Whether the folder looks like a worktree from the outside."""
    return not path.is_symlink() and (path / ".git").is_file()


def own_git_dir(path: Path) -> Path | None:
    """The worktree's own part of the git directory, according to its link: <repository>/worktrees/<name>."""
    if not is_worktree(path):
        return None
    link = (path / ".git").read_text(encoding="utf-8", errors="surrogateescape")
    return (path / link.removeprefix("gitdir:").strip()).resolve()


def repository_of(path: Path) -> Path | None:
    """The repository that a worktree's link names, as far as that is visible from the outside."""
    own_part = own_git_dir(path)
    return own_part.parent.parent if own_part else None


def may_be_repaired(path: Path) -> bool:
    """Whether the worktree has lost its repository. One that still leads to a repository belongs there: it may be a
    copy.
    """
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
    """Rename the folder in one step: a kill during the deletion leaves no half worktree that looks like deleted
    work.
    """
    try:
        path.rename(path.with_name(f"{GONE}{path.name}-{secrets.token_hex(4)}"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error


def admin_of(path: Path, common_dir: Path, *, moved: bool = False) -> Path | None:
    """The worktree's part of the git directory, according to git: <repository>/worktrees/<name>.

    With `moved`, also if the project was elsewhere when git recorded it.
    """
    for admin in (common_dir / "worktrees").glob("*"):
        with suppress(OSError):
            known = Path((admin / "gitdir").read_text(errors="replace").strip()).parent
            if known == Path(os.path.realpath(path.parent), path.name) or (moved and _was_moved(known, path)):
                return admin
    return None


def _was_moved(known: Path, path: Path) -> bool:
    return known.parts[-BELOW:] == path.parts[-BELOW:] and not known.parent.exists()


def set_aside_admin(admin: Path, path: Path) -> bool:
    """Rename git's record of a worktree in one step, like its folder before. Returns whether that was possible."""
    if admin.is_symlink():
        return False
    try:
        admin.rename(path.with_name(f"{GONE}{admin.name}-{secrets.token_hex(4)}"))
    except OSError:
        return False
    # Git, too, removes the folder of these records with the last one.
    drop_if_empty(admin.parent)
    return True


def delete_set_aside(parent: Path) -> None:
    for path in parent.glob(f"{GONE}*"):
        shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            make_writable(path)
            shutil.rmtree(path, ignore_errors=True)


def make_writable(top: Path) -> None:
    """Make everything writable, because some tools make their caches read-only, including the folders."""
    with suppress(OSError):
        top.chmod(stat.S_IRWXU)
        for directory, names, _ in os.walk(top):
            for name in names:
                path = Path(directory, name)
                if not path.is_symlink():
                    path.chmod(stat.S_IRWXU)
