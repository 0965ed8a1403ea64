"""Staging the whole work by the user's rules alone, in an index that no agent has written."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ralph.git.checkout import Checkout
from ralph.git.command import Git
from ralph.git.excludes import with_lines_of_tools
from ralph.git.index_files import entries_of
from ralph.git.named_paths import NamedPaths
from ralph.git.sealed import seal
from ralph.git.staging import BY_NAME, DIFFERENCES, NOT_OWN_STATE, Flags, Known, StagedWork, flagged, stage
from ralph.model.errors import StateError
from ralph.model.git_rules import GitRules

KEPT = "ralph-index"
"""The name of the last index in the git directory. It tells git which files are still the same."""

ADDED = (*DIFFERENCES, "--diff-filter=A")


class OwnIndex(Struct, frozen=True):
    """The whole work, staged."""

    path: Path
    staged: StagedWork
    env: Mapping[str, str]
    """The environment for a git that works with this index."""
    nowhere: Path
    """A folder without files."""


_written: dict[Path, str] = {}
"""The digests of the indexes that this process kept. Any other may come from anyone, and could call a file
unchanged."""

_holds: dict[str, str] = {}
"""The tree that an index holds, by the digest of the index."""
MOST_HELD = 1000


@asynccontextmanager
async def staged_by(git: Git, at: Checkout, rules: GitRules) -> AsyncGenerator[OwnIndex]:
    """The staged work. `git` works at the top. The index of the working tree is not touched."""
    with tempfile.TemporaryDirectory(prefix="ralph-index-") as directory:
        folder = Path(directory)
        index, nowhere = folder / "index", folder / "nowhere"
        nowhere.mkdir()
        own = with_lines_of_tools(rules, NamedPaths(at, git.env))
        sealed = seal(folder / "git", own, at.common_dir, git.folder, at.head)
        env = {**sealed, "GIT_INDEX_FILE": str(index)}
        staged = await _staged(git, at, rules, env, index)
        yield OwnIndex(index, staged, env, nowhere)


async def _staged(git: Git, at: Checkout, rules: GitRules, env: Mapping[str, str], index: Path) -> StagedWork:
    theirs = await _looked_at(git, at, rules)
    is_unread = not take_kept(at.git_dir / KEPT, index)
    if is_unread and at.head:
        await git.ask("read-tree", at.head, env=env)
    if theirs.added:
        # Somebody added it by name, so it is part of the work even if git ignores it.
        given = b"".join(os.fsencode(name) + b"\0" for name in theirs.added)
        await git.run(*BY_NAME, env=env, stdin=given)
    lent, users = (list(map(os.fsdecode, names)) for names in (rules.lent, rules.overlooked))
    holds = "" if theirs.added or is_unread else _holds.get(_written[at.git_dir / KEPT], "")
    staged = await stage(git, at, env, Known(lent, theirs.flags, users, is_unread, holds))
    keep(index, at.git_dir / KEPT)
    return staged


class _Theirs(NamedTuple):
    """What the index of the working tree says. An agent may have written it."""

    flags: Flags = Flags()
    added: Sequence[str] = ()
    """Files that exist and that the last commit does not have."""


async def _looked_at(git: Git, at: Checkout, rules: GitRules) -> _Theirs:
    index = at.git_dir / "index"
    if digest_of(index) in (rules.index, _written.get(index)):
        return _Theirs()
    lent = set(map(os.fsdecode, rules.lent))
    # An index that git cannot read hides nothing, because it is not used.
    with suppress(StateError):
        added = await git.records(*ADDED, at.head, "--", *NOT_OWN_STATE, wanted=bool) if at.head else []
        present = [name for name in added if name not in lent and _is_file(git.folder / name)]
        return _Theirs(await flagged(git), present)
    return _Theirs()


def _is_file(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def take_kept(kept: Path, index: Path) -> bool:
    """Whether there is an index that is as this process left it. It is copied to `index`."""
    if kept not in _written or not kept.is_file():
        return False
    # Its time is kept: git uses it to decide which files it must read again.
    shutil.copy2(kept, index)
    if digest_of(index) == _written[kept]:
        return True
    index.unlink()
    return False


def keep(index: Path, kept: Path) -> None:
    digest = digest_of(index)
    if _written.get(kept) != digest or not kept.is_file():
        kept.unlink(missing_ok=True)
        shutil.copy2(index, kept)
        _written[kept] = digest


def install(index: Path, into: Path) -> None:
    """Install the index in a working tree, under the lock that git itself uses for it."""
    lock = into.with_name(f"{into.name}.lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except FileExistsError:
        raise StateError(
            f"{lock} is there.",
            "Another git is working there. If not, one was killed: remove that file, then: ralph resume",
        ) from None
    shutil.copy2(index, lock)
    lock.replace(into)


def know(index: Path) -> None:
    """Remember that this process wrote the index. That holds until it changes."""
    _written[index] = digest_of(index)


def know_new_worktree(git_dir: Path, tree: str) -> None:
    """Remember the index of a worktree that git has just created with that tree: it has no flags, and file times say
    what is unchanged.
    """
    if (git_dir / "index").is_file():
        know(git_dir / "index")
        keep(git_dir / "index", git_dir / KEPT)
        know_tree(git_dir, tree)


def know_tree(git_dir: Path, tree: str) -> None:
    """Remember that the indexes of a worktree, as this process knows them, hold that tree."""
    if len(_holds) >= MOST_HELD:
        _holds.clear()
    _holds.update({_written[each]: tree for each in (git_dir / "index", git_dir / KEPT) if each in _written})


def known_entries(index: Path, tree: str) -> list[bytes] | None:
    """The entries of an index that is known to hold that tree, as `ls-files --stage` prints them; None if it is not."""
    if not tree or _holds.get(digest_of(index)) != tree:
        return None
    data = index.read_bytes()
    return entries_of(data, tree) if _holds.get(hashlib.sha256(data).hexdigest()) == tree else None


def is_known(index: Path) -> bool:
    """Whether this process wrote the index or saw it created, so that nobody has set flags in it."""
    return index in _written and digest_of(index) == _written[index]


def digest_of(path: Path) -> str:
    """The digest of the file; empty if it does not exist."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
