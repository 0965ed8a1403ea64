"""The trees of commits, and the differences between trees: they never change, and each question is a process."""

from collections.abc import Sequence

from ralph.git.checkout import HASH

MOST = 10_000
PAIRS_KEPT, MANY_PATHS = 8, 10_000
_trees: dict[str, str] = {}
_changes: dict[tuple[str, str], list[str]] = {}
"""The changes between two trees, which every stage of a task asks for."""


def known_tree(name: str) -> str:
    """The tree of a commit or tree, by its hash; empty if it was not seen yet."""
    return _trees.get(name, "")


def is_tree(name: str) -> bool:
    """Whether the name is known to be the hash of a tree itself."""
    return _trees.get(name) == name


def remember_tree(name: str, tree: str) -> None:
    """Remember the tree of a hash. Other names may mean something else a moment later."""
    if not HASH.fullmatch(name) or not tree:
        return
    if len(_trees) >= MOST:
        _trees.clear()
    _trees[name] = _trees[tree] = tree


def known_changes(base: str, head: str) -> list[str] | None:
    """The files that differ between two trees, sorted; None if they were not compared yet."""
    found = _changes.get((base, head))
    return None if found is None else list(found)


def remember_changes(base: str, head: str, paths: Sequence[str]) -> None:
    if not base or not head or len(paths) > MANY_PATHS:
        return
    while len(_changes) >= PAIRS_KEPT:
        del _changes[next(iter(_changes))]
    _changes[base, head] = sorted(paths)
