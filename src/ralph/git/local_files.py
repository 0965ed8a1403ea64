"""Copies of files that git does not track and the work needs, such as `.env`, into a worktree."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from msgspec import Struct

from ralph.git.staging import LENT
from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write

PRIVATE = (".git", ".ralph")
ANYWHERE = "**"
BEING_COPIED = "ralph-being-copied"


class LocalFiles(Struct, frozen=True):
    copied: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """The paths that lead out of the project or nowhere, or would lead out of the worktree."""


async def copy_local_files(worktree_folder: Path, project: Path, patterns: list[str]) -> LocalFiles:
    """Copy the files. Both folders are the project: where the user works, and where the task is worked on."""
    wanted = [_parts(pattern) for pattern in patterns]
    return await asyncio.to_thread(_copy, worktree_folder, project, wanted)


def _parts(pattern: str) -> list[str]:
    path = PurePosixPath(pattern)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in pattern:
        raise ConfigError(
            f"worktree.copy: {pattern!r} is not a path inside the project.",
            'Give names such as ".env" or "config/*.env".',
        )
    return list(path.parts)


def _copy(worktree_folder: Path, project: Path, wanted: list[list[str]]) -> LocalFiles:
    top, git_dir = _worktree_of(worktree_folder)
    names = sorted({found.relative_to(project) for parts in wanted for found in _matches(project, parts)})
    copied: list[str] = []
    skipped: list[str] = []
    for name in names:
        source, target = project / name, worktree_folder / name
        if os.path.lexists(target):
            continue
        if not source.is_file() or not _is_inside(source, project) or not _is_inside(target, worktree_folder):
            skipped.append(str(name))
            continue
        try:
            _lend(source, target, git_dir, os.fsencode(target.relative_to(top)))
        except OSError as error:
            raise cannot_write(target, error, "Fix that, or leave the file out of worktree.copy.") from error
        copied.append(str(name))
    return LocalFiles(tuple(copied), tuple(skipped))


def _lend(source: Path, target: Path, git_dir: Path, name: bytes) -> None:
    """Copy one file. It is recorded as lent before it exists, and is complete when it exists, so a kill does no
    harm.
    """
    partial = git_dir / BEING_COPIED
    partial.unlink(missing_ok=True)
    shutil.copy(source, partial)
    with (git_dir / LENT).open("ab") as lent:
        lent.write(name + b"\0")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(partial, target)


def _matches(folder: Path, parts: list[str]) -> Iterator[Path]:
    """The files that match. A folder stands for all files in it."""
    first, *rest = parts
    if first == ANYWHERE:
        yield from _matches(folder, rest or ["*"])
    for entry in _entries(folder):
        path = folder / entry.name
        if first == ANYWHERE:
            if entry.is_dir(follow_symlinks=False):
                yield from _matches(path, parts)
        elif fnmatchcase(entry.name, first):
            if entry.is_dir():
                yield from _matches(path, rest or [ANYWHERE, "*"])
            elif not rest and (entry.is_file() or entry.is_symlink()):
                yield path


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.name not in PRIVATE]
    except PermissionError:
        return []


def _is_inside(path: Path, folder: Path) -> bool:
    real, whole = Path(os.path.realpath(path)), os.path.realpath(folder)
    return real.is_relative_to(whole) and not set(real.relative_to(whole).parts) & set(PRIVATE)


def _worktree_of(folder: Path) -> tuple[Path, Path]:
    """The top of the worktree, and its own part of the git directory."""
    for top in (folder, *folder.parents):
        link = top / ".git"
        if link.is_file():
            return top, top / link.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    raise StateError(f"{folder} is not in a worktree.", "Let ralph make it again: ralph task run")
