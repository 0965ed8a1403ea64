"""An index of ralph's own for a worktree, in which a file counts as unchanged only if it was hashed.

Git considers a file that it has just checked out unchanged without reading it. Here it is read, so that an object that
does not match its name is found before a check runs on it: the index gets the time before git began to write, and git
does not trust an index about files that are not older. If all files are new, the entries and the objects are checked
instead, which costs less. A file that is older than the index is not hashed again until its size or one of its times
changes, including that of its inode, which no program can set back.
"""

import os
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from ralph.git.command import Git
from ralph.git.index_files import entries_of
from ralph.git.objects import damaged, tree_hash
from ralph.git.own_index import digest_of
from ralph.git.proven_objects import prove_blobs
from ralph.git.repository import Repository
from ralph.git.rules import CLOCK_TICK_NS
from ralph.git.trees import SUBMODULE, read_tree

CHANGED = ("ls-files", "-z", "-t", "--modified", "--deleted", "--others")
# Several at once take more CPU time and less of the user's time: half of the cores are left for others.
WORKERS = ("-c", f"checkout.workers={max(1, (os.cpu_count() or 1) // 2)}")
# To preload the index, git would look at all files. Without that, it looks only at those that it must write.
WRITE = (*WORKERS, "-c", "core.preloadIndex=false", "read-tree", "--reset", "-u")
REFRESH = ("update-index", "-q", "--refresh")
ENTRY, OTHER = b"H ", b"? "
SECOND_NS = 1_000_000_000
NEEDS_UPDATE = 1


class Seen:
    """The result of one look at the worktree."""

    def __init__(self, records: Sequence[bytes]) -> None:
        """`records` are as `ls-files -t` prints them."""
        self.changed: set[str] = set()
        """The files that differ from the index, or are missing."""
        self.others: list[str] = []
        """The paths that the index does not have; a folder without any known file ends with a slash."""
        self.entries = [record[len(ENTRY) :] for record in records if record.startswith(ENTRY)]
        """All entries of the index as `ls-files --stage` prints them, if they were asked for."""
        for record in [record for record in records if not record.startswith(ENTRY)]:
            if record.startswith(OTHER):
                self.others.append(os.fsdecode(record[len(OTHER) :]))
            else:
                rest = record.partition(b" ")[2]
                self.changed.add(os.fsdecode(rest.partition(b"\t")[2] or rest))

    @property
    def submodules(self) -> dict[str, str]:
        """The submodules, with the commit of each."""
        found = (entry.partition(b"\t") for entry in self.entries if entry.startswith(SUBMODULE.encode()))
        return {os.fsdecode(name): about.decode().split(" ")[1] for about, _, name in found}


class ProvenIndex:
    """The index. `git` works at the top of the worktree. `env` always names a sealed git directory."""

    def __init__(self, path: Path, git: Git) -> None:
        self._path = path
        self._git = git
        self._tree = ""
        self._known: tuple[str, int] | None = None

    @property
    def tree(self) -> str:
        """The tree that the index was proven to be; empty if somebody has touched it since."""
        return self._tree if self._known and self._now() == self._known else ""

    async def fill(self, repository: Repository, tree: str, env: Mapping[str, str]) -> None:
        """Write all files of that tree into an empty folder."""
        self._path.unlink(missing_ok=True)
        await self._write(env, tree)
        written = self._path.read_bytes()
        self._known = self._now()
        if self._known[0] != sha256(written).hexdigest():
            raise damaged(tree)
        entries = entries_of(written, tree)
        if entries is None:
            entries = (await self.look(env, ignored=False, entries=True)).entries
        await _refuse_others(repository, tree, entries)
        await prove_blobs(self._git, tree, env)
        self._tree = tree

    async def check_out(self, tree: str, env: Mapping[str, str]) -> None:
        """Write the files that differ between the tree that was proven and this one."""
        before = self.tree
        if before:
            await self._write_anew(env, before, tree)
        else:
            await self.load(tree, env)
            await self.restore(tree, env)

    async def load(self, tree: str, env: Mapping[str, str]) -> None:
        """Load the entries of that tree, and hash all files that exist. No file is written."""
        self._tree = ""
        self._path.unlink(missing_ok=True)
        own = self._own(env)
        await self._git.ask("read-tree", tree, env=own)
        if any(path.name != ".git" for path in self._git.folder.iterdir()):
            done = await self._git.run(*REFRESH, env=own)
            if done.code not in (0, NEEDS_UPDATE):
                raise self._git.failed("update-index", done)
        self._known = self._now()

    async def restore(self, tree: str, env: Mapping[str, str]) -> None:
        """Write all files that differ from that tree."""
        await self._write_anew(env, tree)

    async def prove(self, repository: Repository, tree: str, seen: Seen) -> None:
        """Prove that the index, in which all files were hashed, has the entries of the tree."""
        await _refuse_others(repository, tree, seen.entries)
        self._tree = tree

    async def look(self, env: Mapping[str, str], *, ignored: bool, entries: bool = False) -> Seen:
        """Look at the worktree. `ignored` files are listed as well, entirely new folders as one; so are `entries`."""
        more = ("--directory",) if ignored else ("--exclude-standard",)
        listed = ("--stage",) if entries else ()
        said = bytearray()
        done = await self._git.run(*CHANGED, *more, *listed, env=self._own(env), sink=said.extend)
        if done.code != 0:
            raise self._git.failed(CHANGED[0], done)
        return Seen(bytes(said).split(b"\0")[:-1])

    async def ignored(self, env: Mapping[str, str], patterns: Sequence[str]) -> list[str]:
        """The files of these names that git ignores."""
        arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *patterns)
        return await self._git.records(*arguments, env=self._own(env), wanted=bool)

    async def tracked(self, env: Mapping[str, str], names: Sequence[str]) -> list[str]:
        """The entries for these files and below these folders."""
        arguments = ("--literal-pathspecs", "ls-files", "-z", "--", *names)
        return await self._git.records(*arguments, env=self._own(env), wanted=bool)

    async def _write_anew(self, env: Mapping[str, str], *trees: str) -> None:
        """Write files, and let git read what it wrote when it next looks."""
        began = time.monotonic_ns()
        await self._write(env, *trees)
        written = self._path.stat().st_mtime_ns
        # By the clock of the file system, which may keep whole seconds, and lag behind by a tick.
        before = (written - (time.monotonic_ns() - began) - CLOCK_TICK_NS) // SECOND_NS * SECOND_NS
        os.utime(self._path, ns=(before, before))
        self._known = self._now()

    async def _write(self, env: Mapping[str, str], *trees: str) -> None:
        """Make the files those of the tree; of two trees, only where they differ."""
        self._tree = ""
        done = await self._git.write_files(*WRITE, *trees, env=self._own(env))
        if done.code != 0:
            raise self._git.failed("read-tree", done)

    def _now(self) -> tuple[str, int]:
        """What is in the index, and its time: with a later one, git would trust it about more files."""
        return digest_of(self._path), self._path.stat().st_mtime_ns if self._path.exists() else 0

    def _own(self, env: Mapping[str, str]) -> dict[str, str]:
        return {**env, "GIT_INDEX_FILE": str(self._path), "GIT_INDEX_VERSION": "2"}


async def _refuse_others(repository: Repository, tree: str, entries: Sequence[bytes]) -> None:
    """Refuse entries that are not those of the tree: git would read a rewritten tree without complaint."""
    if tree_hash(entries, tree) == tree:
        return
    # A tree may hold an empty folder, which no index can.
    stored = (await read_tree(repository, tree)).entries.items()
    if set(entries) != {os.fsencode(f"{each.mode} {each.blob} 0\t{path}") for path, each in stored}:
        raise damaged(tree)
