"""Git trees: read without a checkout, composed without anybody's index, and compared."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ralph.git.known_trees import is_tree, known_changes, known_tree, remember_changes, remember_tree
from ralph.git.loose_objects import StoredObject, empty_tree, write_loose
from ralph.git.objects import Objects, damaged
from ralph.git.repository import Repository
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
    tree = await tree_of(repository.objects, start)
    if changes:
        stored = await repository.common_dir() / "objects"
        tree = await _Composing(repository.objects, stored, like=tree).folder(tree, changes) or empty_tree(tree)
        remember_tree(tree, tree)
    return tree


class _Composing:
    """Writes the folders of a tree that change, and no others. No index and no setting has an effect on it."""

    def __init__(self, objects: Objects, stored: Path, *, like: str) -> None:
        self._objects = objects
        self._stored = stored
        self._like = like

    async def folder(self, name: str, changes: TreeChanges) -> str:
        """The folder of that name with these changes; empty if nothing is left in it. Without a name, it is new."""
        found = dict(_lines_of(await self._objects.find(name), name)) if name else {}
        below: dict[str, dict[str, TreeEntry | NewFile | None]] = {}
        for path, change in changes.items():
            first, _, rest = path.partition("/")
            if rest:
                below.setdefault(first, {})[rest] = change
            elif change is None and first in found and found[first].mode != FOLDER:
                del found[first]
        for first, deeper in below.items():
            before = found.pop(first, None)
            is_folder = before is not None and before.mode == FOLDER
            made = await self.folder(before.blob if before and is_folder else "", deeper)
            if made:
                found[first] = TreeEntry(FOLDER, made)
            elif before and not is_folder:
                found[first] = before
        for path, change in changes.items():
            if change is not None and "/" not in path:
                found[path] = self._file(change)
        return self._written(found) if found else ""

    def _file(self, change: TreeEntry | NewFile) -> TreeEntry:
        if isinstance(change, TreeEntry):
            return change
        return TreeEntry(change.mode, write_loose(self._stored, "blob", change.content, self._like))

    def _written(self, entries: Mapping[str, TreeEntry]) -> str:
        # Git sorts a folder as if its name ended with a slash.
        ordered = sorted(entries.items(), key=lambda each: os.fsencode(each[0]) + b"/" * (each[1].mode == FOLDER))
        lines = [
            f"{each.mode.lstrip('0')} ".encode() + os.fsencode(name) + b"\0" + bytes.fromhex(each.blob)
            for name, each in ordered
        ]
        return write_loose(self._stored, "tree", b"".join(lines), self._like)


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
        # A renamed file is a deleted one and a new one, so without both there is none.
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
