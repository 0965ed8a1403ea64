"""An index of ralph's own for a worktree, in which a file counts as unchanged only if it was hashed.

Git considers a file that it has just checked out unchanged without reading it. Here it is read, so that an object that
does not match its name is found before a check runs on it. If all files are new, the objects are checked instead, which
costs less. A file is not hashed again until its size or one of its times changes, including that of its inode, which no
program can set back.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ralph.git.command import Git
from ralph.git.objects import damaged, tree_hash
from ralph.git.own_index import digest_of
from ralph.git.proven_objects import prove_objects
from ralph.git.repository import Repository
from ralph.git.trees import SUBMODULE, read_tree

CHANGED = ("ls-files", "-z", "-t", "--modified", "--deleted", "--others")
# Several at once take more CPU time and less of the user's time: half of the cores are left for others.
WORKERS = ("-c", f"checkout.workers={max(1, (os.cpu_count() or 1) // 2)}")
CHECKOUT = (*WORKERS, "checkout-index", "--quiet", "--force", "--all")
FILL = (*WORKERS, "read-tree", "--reset", "-u")
REFRESH = ("update-index", "-q", "--refresh")
POINTERS_STAY = {"GIT_LFS_SKIP_SMUDGE": "1"}
NEEDS_UPDATE = 1


class Seen:
    """The result of one look at the worktree."""

    def __init__(self) -> None:
        self.changed: set[str] = set()
        """The files that differ from the index, or are missing."""
        self.others: list[str] = []
        """The paths that the index does not have; a folder without any known file ends with a slash."""
        self.entries: dict[bytes, tuple[str, str]] = {}
        """All entries of the index, if they were asked for."""

    def take(self, record: bytes) -> bool:
        tag, _, rest = record.partition(b" ")
        if tag == b"?":
            self.others.append(os.fsdecode(rest))
        elif tag == b"H":
            about, _, name = rest.partition(b"\t")
            mode, blob, _ = about.decode().split(" ")
            self.entries[name] = (mode, blob)
        else:
            self.changed.add(os.fsdecode(rest.partition(b"\t")[2] or rest))
        return False

    @property
    def submodules(self) -> dict[str, str]:
        """The submodules, with the commit of each."""
        return {os.fsdecode(name): blob for name, (mode, blob) in self.entries.items() if mode == SUBMODULE}


class ProvenIndex:
    """The index. `git` works at the top of the worktree. `env` always names a sealed git directory."""

    def __init__(self, path: Path, git: Git) -> None:
        self._path = path
        self._git = git
        self._tree = ""
        self._digest = ""

    @property
    def tree(self) -> str:
        """The tree that the index was proven to be; empty if somebody has touched it since."""
        return self._tree if self._digest and digest_of(self._path) == self._digest else ""

    async def fill(self, tree: str, env: Mapping[str, str]) -> None:
        """Write all files of that tree into an empty folder."""
        self._tree = ""
        self._path.unlink(missing_ok=True)
        await self._write(self._own(env), *FILL, tree)
        await prove_objects(self._git, tree, env)
        self._tree, self._digest = tree, digest_of(self._path)

    async def check_out(self, tree: str, env: Mapping[str, str]) -> None:
        """Write the files that differ, and hash them. Files that the tree does not have stay."""
        if self.tree:
            self._tree = ""
            await self._git.ask("read-tree", "--reset", tree, env=self._own(env))
        else:
            await self.load(tree, env)
        await self.restore(env)

    async def load(self, tree: str, env: Mapping[str, str]) -> None:
        """Load the entries of that tree, and hash all files that exist. No file is written."""
        self._tree = ""
        self._path.unlink(missing_ok=True)
        await self._git.ask("read-tree", tree, env=self._own(env))
        if any(path.name != ".git" for path in self._git.folder.iterdir()):
            await self._refresh(self._own(env))

    async def restore(self, env: Mapping[str, str]) -> None:
        """Write the files that differ from the index."""
        own = self._own(env)
        await self._write(own, *CHECKOUT)
        await self._refresh(own)

    async def prove(self, repository: Repository, tree: str, seen: Seen) -> None:
        """Prove that the entries are those of the tree: git would read a rewritten tree without complaint."""
        if tree_hash(seen.entries, tree) != tree:
            # A tree may hold an empty folder, which no index can.
            stored = await read_tree(repository, tree)
            if seen.entries != {os.fsencode(path): tuple(entry) for path, entry in stored.entries.items()}:
                raise damaged(tree)
        self._tree = tree

    async def look(self, env: Mapping[str, str], *, ignored: bool, entries: bool = False) -> Seen:
        """Look at the worktree. `ignored` files are listed as well, entirely new folders as one; so are `entries`."""
        seen = Seen()
        more = ("--directory",) if ignored else ("--exclude-standard",)
        listed = ("--stage",) if entries else ()
        await self._git.records(*CHANGED, *more, *listed, env=self._own(env), wanted=seen.take)
        return seen

    async def ignored(self, env: Mapping[str, str], patterns: Sequence[str]) -> list[str]:
        """The files of these names that git ignores."""
        arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *patterns)
        return await self._git.records(*arguments, env=self._own(env), wanted=bool)

    async def tracked(self, env: Mapping[str, str], names: Sequence[str]) -> list[str]:
        """The entries for these files and below these folders."""
        arguments = ("--literal-pathspecs", "ls-files", "-z", "--", *names)
        return await self._git.records(*arguments, env=self._own(env), wanted=bool)

    async def _write(self, own: Mapping[str, str], *arguments: str) -> None:
        done = await self._git.run(*arguments, env=own)
        if done.code != 0 and "smudge" in done.err:
            # Large files that cannot be fetched now stay the pointers that they are in git.
            done = await self._git.run(*arguments, env={**own, **POINTERS_STAY})
        if done.code != 0:
            raise self._git.failed(arguments[len(WORKERS)], done)

    async def _refresh(self, own: Mapping[str, str]) -> None:
        done = await self._git.run(*REFRESH, env=own)
        if done.code not in (0, NEEDS_UPDATE):
            raise self._git.failed("update-index", done)
        self._digest = digest_of(self._path)

    def _own(self, env: Mapping[str, str]) -> dict[str, str]:
        return {**env, "GIT_INDEX_FILE": str(self._path)}
