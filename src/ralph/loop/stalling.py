"""A digest of a project's files, so that an iteration that changed none is noticed."""

import hashlib
import os
from pathlib import Path

from ralph.config.project import repository_above
from ralph.kernel.actions.proof import ReadTree, TreeSeen
from ralph.loop.context import Attempt

MOST_FILES = 10_000
MOST_BYTES = 64 << 20
SKIPPED = ("__pycache__", "node_modules")


async def read_tree(action: ReadTree, attempt: Attempt) -> TreeSeen:
    project = attempt.run.project
    if action.git is not None:
        return TreeSeen((await attempt.repository().take_snapshot(action.git)).tree)
    if repository_above(project):
        return TreeSeen()
    try:
        return TreeSeen(folder_digest(project))
    except OSError:
        # A file that cannot be read, or that went away meanwhile: what the files are is not known.
        return TreeSeen()


def folder_digest(folder: Path) -> str:
    """The digest of all files except hidden ones and caches; empty for a folder that is too large to read each time."""
    digest, files, size = hashlib.sha256(), 0, 0
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        for name in sorted(names):
            path = Path(above, name)
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            files, size = files + 1, size + path.stat().st_size
            if files > MOST_FILES or size > MOST_BYTES:
                return ""
            digest.update(f"{path.relative_to(folder)}\0".encode(errors="surrogateescape"))
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
