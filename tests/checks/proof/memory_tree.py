"""A tree of git in memory, for tests that compose and read trees without a repository."""

import hashlib
from collections.abc import Mapping

from ralph.model.proof import NewFile, TreeChanges, TreeEntry

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
BLOBS: dict[str, bytes] = {}
"""The content of every file of every tree, by the id that git gives it."""


class MemoryTree:
    """`MemoryTree({"a.py": "x = 1\\n", "run.sh": ("100755", "true\\n"), "tests": ("120000", "spec")})`"""

    def __init__(self, files: "Mapping[str, str | bytes | tuple[str, str | bytes]]"):
        self.entries = {path: _stored(file) for path, file in files.items()}
        self.reads: list[str] = []

    async def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        entry = self.entries.get(path)
        return None if entry is None or entry.mode == SUBMODULE else BLOBS[entry.blob]

    def changed(self, changes: TreeChanges) -> "MemoryTree":
        """The tree with these changes; it fails where git could not hold the result."""
        tree = MemoryTree({})
        tree.entries = dict(self.entries)
        for path, file in changes.items():
            match file:
                case None:
                    del tree.entries[path]  # only what is there can be taken away
                case NewFile(mode, content):
                    tree.entries[path] = _stored((mode, content))
                case TreeEntry():
                    tree.entries[path] = file
        tree.check_folders()
        return tree

    def files(self) -> dict[str, str]:
        """The text of each file by its path."""
        return {path: BLOBS[entry.blob].decode(errors="replace") for path, entry in sorted(self.entries.items())}

    def check_folders(self) -> None:
        for path in self.entries:
            parts = path.split("/")
            above = {"/".join(parts[:count]) for count in range(1, len(parts))}
            assert not above & self.entries.keys(), f"{path} is below a file"


def _stored(file: "str | bytes | tuple[str, str | bytes]") -> TreeEntry:
    mode, content = file if isinstance(file, tuple) else (FILE, file)
    data = content.encode() if isinstance(content, str) else content
    blob = hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
    BLOBS[blob] = data
    return TreeEntry(mode, blob)
