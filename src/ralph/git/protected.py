"""Restoring files that only the user may change. The other version is kept, never deleted."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ralph.git.repository import Repository
from ralph.git.trees import changed_paths, read_tree
from ralph.model.git_rules import GitRules

LINK, EXECUTABLE = "120000", "100755"
IGNORES = ".gitignore"


async def put_back(
    repository: Repository,
    base: str,
    is_protected: Callable[[str], bool],
    keep: Path,
    *,
    rules: GitRules | None = None,
) -> list[str]:
    """The names of the files that were restored as they are in the tree `base`. With `rules`, nothing that an agent
    told git hides a change.
    """
    top = (await repository.look()).top
    now = await repository.snapshot(rules)
    names = [path for path in await changed_paths(repository, base, now) if is_protected(path)]
    if not names:
        return []
    tree = await read_tree(repository, base)
    for name in names:
        _set_aside(top, name, keep)
    for name in names:
        content, entry = await tree.read(name), tree.entries.get(name)
        if content is not None and entry is not None:
            _write(top, name, content, entry.mode)
    if any(Path(name).name == IGNORES for name in names):
        # Files that the agent's version made git ignore become visible only now.
        names += await put_back(repository, base, is_protected, keep, rules=rules)
    return names


def _set_aside(top: Path, name: str, keep: Path) -> None:
    """Set the file aside, together with a link or file that replaced a folder of its path."""
    path, target = top / name, keep / name
    for above in (*reversed(Path(name).parents[:-1]), Path(name)):
        if (top / above).is_symlink() or (above != Path(name) and (top / above).is_file()):
            path, target = top / above, keep / above
            break
    if os.path.lexists(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)


def _write(top: Path, name: str, content: bytes, mode: str) -> None:
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == LINK:
        path.symlink_to(os.fsdecode(content))
        return
    path.write_bytes(content)
    path.chmod(0o755 if mode == EXECUTABLE else 0o644)
