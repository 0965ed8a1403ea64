"""Git trees: read without a checkout, composed without anybody's index, and compared."""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ralph.git.checkout import HASH
from ralph.git.known_trees import is_tree, known_changes, known_tree, remember_changes, remember_tree
from ralph.git.loose_objects import StoredObject
from ralph.git.objects import Objects, damaged
from ralph.git.repository import Repository
from ralph.git.sealed import seal_bare
from ralph.model.errors import ConfigError, StateError
from ralph.model.proof import NewFile, TreeChanges, TreeEntry

SUBMODULE = "160000"
FOLDER = "040000"
COMPARED = (
    *("diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", "--no-color"),
    "--ignore-submodules=none",
)
ALIKE = "-M40%"
FEW = 200
"""How many changed files are looked up one by one."""
MOST_PAIRS = "-l2000"
"""Above this many new and deleted files only identical ones are reported as renamed, because all pairs are compared."""


class ChangedFile(NamedTuple):
    path: str
    old_path: str
    """The old path: the same as `path`, unless the file was renamed."""
    new: TreeEntry | None
    """The new entry; None if the file was deleted."""
    old: TreeEntry | None
    """The old entry; None if the file is new."""


class StoredTree:
    """The files of one tree, by path."""

    def __init__(self, tree: str, entries: Mapping[str, TreeEntry], objects: Objects) -> None:
        self.tree = tree
        self.entries = entries
        self.objects = objects

    async def read(self, path: str) -> bytes | None:
        """The content of a file, or the target of a link; None if there is no such file."""
        entry = self.entries.get(path)
        if entry is None or entry.mode == SUBMODULE:
            return None
        found = await self.objects.find(entry.blob)
        if found is None:
            raise StateError(f"git has lost the content of {path} ({entry.blob}).", "See what is missing: git fsck")
        return found.content

    async def prefetch(self, paths: Iterable[str]) -> None:
        """Read these files together."""
        entries = (self.entries.get(path) for path in paths)
        await self.objects.prefetch(entry.blob for entry in entries if entry and entry.mode != SUBMODULE)


async def read_tree(repository: Repository, tree_or_commit: str) -> StoredTree:
    """The files of the tree. Each folder is proven to match its hash. One process reads all trees of the repository,
    and a folder that two trees have in common is read once.
    """
    objects = repository.objects
    tree = await tree_of(objects, tree_or_commit)
    entries: dict[str, TreeEntry] = {}
    folders = {"": tree}
    while folders:
        await objects.prefetch(folders.values())
        below: dict[str, str] = {}
        for path, name in folders.items():
            for file, entry in _lines_of(await objects.find(name), name):
                if entry.mode == FOLDER:
                    below[f"{path}{file}/"] = entry.blob
                else:
                    entries[path + file] = entry
        folders = below
    return StoredTree(tree, dict(sorted(entries.items(), key=lambda each: os.fsencode(each[0]))), objects)


async def tree_of(objects: Objects, name: str) -> str:
    """The tree of that name, or of the commit."""
    if is_tree(name):
        return name
    found: StoredObject | None = await objects.find(name)
    while found and found.kind in ("commit", "tag"):
        found = await objects.find(found.content.partition(b"\n")[0].rpartition(b" ")[2].decode())
    if found is None or found.kind != "tree":
        raise ConfigError(f"git has no commit and no tree {name!r}.", "Name one that it has: git log")
    return found.name


async def compose_tree(repository: Repository, start: str, changes: TreeChanges) -> str:
    """The tree `start` with these changes. A file replaces a folder of that name, and the reverse."""
    if not changes or not HASH.fullmatch(start):
        start = await tree_of(repository.objects, start)
    if not changes:
        return start
    common_dir = await repository.common_dir()
    with tempfile.TemporaryDirectory(prefix="ralph-tree-") as directory:
        folder = Path(directory)
        env = {**seal_bare(folder / "git", common_dir, start), "GIT_INDEX_FILE": str(folder / "index")}
        blobs = await _written(repository, folder, changes, env)
        await repository.git.ask("read-tree", start, env=env)
        given = b"".join(_index_lines(changes, blobs, len(start)))
        await repository.git.ask("update-index", "-z", "--index-info", env=env, stdin=given)
        made = await repository.git.ask("write-tree", "--missing-ok", env=env)
    remember_tree(made, made)
    return made


async def changed_paths(repository: Repository, base: str, head: str) -> list[str]:
    """The files that differ, including submodules and links, sorted. A renamed file is there with both names."""
    known = known_changes(known_tree(base), known_tree(head))
    if known is not None:
        return known
    found = sorted(
        await repository.git.records(*COMPARED, "--name-only", "--no-renames", base, head, "--", wanted=bool)
    )
    remember_changes(known_tree(base), known_tree(head), found)
    return found


async def changed_files(repository: Repository, base: str, head: str) -> list[ChangedFile]:
    """Each file that differs, with both versions. A renamed file that is largely the same is one change."""
    known = known_changes(known_tree(base), known_tree(head))
    if known is not None and len(known) <= FEW:
        sides = [await _entries(repository.objects, known_tree(each), known) for each in (base, head)]
        found = [ChangedFile(path, path, new, old) for path, old, new in zip(known, *sides, strict=True) if old != new]
        # Only what is gone can be what is new.
        if all(each.old for each in found) or all(each.new for each in found):
            return found
    arguments = (*COMPARED, "--raw", "--no-abbrev", ALIKE, MOST_PAIRS, base, head, "--")
    words = iter(await repository.git.records(*arguments, wanted=bool))
    return [_changed(about, words) for about in words]


def _changed(about: str, paths: Iterator[str]) -> ChangedFile:
    """The change from a line `:100644 100755 <old blob> <new blob> M` and the path; a renamed file has the old and the
    new path.
    """
    old_mode, mode, old_blob, blob, kind = about.removeprefix(":").split(" ")
    old_path = next(paths)
    path = next(paths) if kind[0] in "RC" else old_path
    new, old = (TreeEntry(*each) if each[0].strip("0") else None for each in ((mode, blob), (old_mode, old_blob)))
    return ChangedFile(path, old_path, new, old)


async def renames(repository: Repository, base: str, head: str) -> dict[str, str]:
    """The old names of the files that were renamed and are largely the same."""
    arguments = (*COMPARED, ALIKE, MOST_PAIRS, "--diff-filter=R", "--name-status", base, head, "--")
    words = iter(await repository.git.records(*arguments, wanted=bool))
    return {new: old for _, old, new in zip(words, words, words, strict=True)}


async def _written(repository: Repository, folder: Path, changes: TreeChanges, env: Mapping[str, str]) -> list[str]:
    """The blobs of the new files, in the same order."""
    contents = [change.content for change in changes.values() if isinstance(change, NewFile)]
    paths = [folder / f"new-{number}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    if not paths:
        return []
    made = bytearray()
    given = b"".join(os.fsencode(path) + b"\n" for path in paths)
    arguments = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    done = await repository.git.run(*arguments, env=env, stdin=given, sink=made.extend)
    if done.code != 0:
        raise repository.git.failed("hash-object", done)
    return made.decode().split()


def _index_lines(changes: TreeChanges, blobs: list[str], length: int) -> list[bytes]:
    """The lines for `update-index --index-info -z`: first the removed files, then the new ones."""
    made = iter(blobs)
    gone: list[bytes] = []
    come: list[bytes] = []
    for path, change in changes.items():
        name = b"\t" + os.fsencode(path) + b"\0"
        if change is None:
            gone.append(f"0 {'0' * length}".encode() + name)
        else:
            blob = next(made) if isinstance(change, NewFile) else change.blob
            come.append(f"{change.mode} {blob}".encode() + name)
    return gone + come


async def _entries(objects: Objects, tree: str, paths: Iterable[str]) -> list[TreeEntry | None]:
    """The entries of these paths; None for a file that the tree does not have."""
    folders: dict[str, dict[str, TreeEntry]] = {}

    async def find(path: str) -> TreeEntry | None:
        folder, _, file = path.rpartition("/")
        if folder not in folders:
            above = await find(folder) if folder else TreeEntry(FOLDER, tree)
            name = above.blob if above and above.mode == FOLDER else ""
            folders[folder] = dict(_lines_of(await objects.find(name), name)) if name else {}
        return folders[folder].get(file)

    found = [await find(path) for path in paths]
    return [None if each and each.mode == FOLDER else each for each in found]


def _lines_of(folder: StoredObject | None, name: str) -> Iterator[tuple[str, TreeEntry]]:
    """The files and folders in a folder, by name."""
    if folder is None or folder.kind != "tree":
        raise damaged(name)
    content, at, length = folder.content, 0, len(name) // 2
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, file = content[at:end].partition(b" ")
        at = end + 1 + length
        yield os.fsdecode(file), TreeEntry(_mode(mode), content[end + 1 : at].hex())


@cache
def _mode(stored: bytes) -> str:
    """The mode as git shows it: old programs wrote other permissions."""
    mode = int(stored, 8)
    if stat.S_ISREG(mode):
        return "100755" if mode & stat.S_IXUSR else "100644"
    return FOLDER if stat.S_ISDIR(mode) else "120000" if stat.S_ISLNK(mode) else SUBMODULE
