"""A read-only checkout of one tree. It is deleted if its files were changed anyway.

A reviewer works in it. It gets a tree by hash, and what it leaves behind reaches nobody: the reviewed work is
elsewhere. A process with all rights can still write, so ralph looks afterwards.
"""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from ralph.git.folders import make_writable
from ralph.git.verification import VerificationWorktree

WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Lent(Struct):
    """The checkout while somebody works in it, and what was found afterwards."""

    folder: Path
    touched: list[str] = []
    """The files that differ from the tree."""


class ReadOnlyCheckout:
    """A checkout for one folder. Only one user at a time works in it."""

    def __init__(self, worktree: VerificationWorktree) -> None:
        self._worktree = worktree
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def at(self, tree: str) -> AsyncGenerator[Lent]:
        path = self._worktree.path
        async with self._turn:
            await asyncio.to_thread(make_writable, path)
            lent = Lent(await self._worktree.at(tree))
            await asyncio.to_thread(_make_read_only, path)
            try:
                yield lent
            finally:
                # The project must stay deletable.
                await asyncio.to_thread(make_writable, path)
            lent.touched = await self._worktree.differs(tree)
            if lent.touched:
                await self._worktree.remove()

    async def close(self) -> None:
        """Leave the checkout to another process."""
        self._worktree.close()


def _make_read_only(top: Path) -> None:
    """Make everything read-only, files first: in a read-only folder, files can still be written."""
    for directory, _, names in os.walk(top, topdown=False):
        for name in names:
            _drop_write(os.path.join(directory, name))  # noqa: PTH118 - thousands of paths
        _drop_write(directory)


def _drop_write(path: str) -> None:
    """Remove write permission. A path without it is left alone: git would read it again."""
    mode = os.lstat(path).st_mode
    if mode & WRITE and not stat.S_ISLNK(mode):
        os.chmod(path, stat.S_IMODE(mode) & ~WRITE)  # noqa: PTH101 - thousands of paths
