"""Working trees that git has described before: read from their files again, because each question is a process.

Git decides by few files which repository a folder belongs to. While these are unchanged, its answer is the same.
"""

import os
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ralph.git.checkout import Checkout
from ralph.git.known_trees import known_tree, remember_tree
from ralph.git.ref_files import read_head, short_text

MOST = 1000


class _Known(NamedTuple):
    at: Checkout
    decided_by: tuple[object, ...]


_known: dict[Path, _Known] = {}


def remember_place(folder: Path, at: Checkout) -> None:
    """Remember what git has just said about the folder."""
    remember_tree(at.head, at.tree)
    decided_by = _decided_by(folder, at)
    if len(_known) >= MOST:
        _known.clear()
    if decided_by:
        _known[folder] = _Known(at, decided_by)
    else:
        _known.pop(folder, None)


def seen_at(folder: Path) -> Checkout | None:
    """The state of the folder now; None if git must be asked, because somebody changed what decides about it, or it is
    at a commit that was not seen yet.
    """
    known = _known.get(folder)
    if known is None or _decided_by(folder, known.at) != known.decided_by:
        return None
    head = read_head(known.at)
    tree = known_tree(head[1]) if head else ""
    return replace(known.at, branch=head[0], head=head[1], tree=tree) if head and tree else None


def _decided_by(folder: Path, at: Checkout) -> tuple[object, ...]:
    """Everything that decides which repository the folder belongs to; empty in unusual cases."""
    try:
        real = Path(os.path.realpath(folder))
        if real != at.top / at.prefix or any(os.path.lexists(each / ".git") for each in _between(real, at.top)):
            return ()
        about = (at.top / ".git").lstat()
        link = short_text(at.top / ".git")
        if link is None and (at.top / ".git").resolve() != at.git_dir:
            return ()
        settings = [_content(path) for path in (at.common_dir / "config", at.git_dir / "config.worktree")]
        return (real, about.st_dev, about.st_ino, link, short_text(at.git_dir / "commondir"), *settings)
    except (OSError, UnicodeDecodeError):
        return ()


def _between(folder: Path, top: Path) -> list[Path]:
    """The folder and those above it, below the top."""
    return [each for each in (folder, *folder.parents) if each != top and each.is_relative_to(top)]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
