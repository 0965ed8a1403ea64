"""Order as dependencies, for formats in which tasks run in the order of the file."""

from collections.abc import Sequence


def one_after_another(groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The dependencies of each task: the tasks of a group may run side by side, and wait for the whole group before."""
    before: tuple[str, ...] = ()
    depends: dict[str, tuple[str, ...]] = {}
    for group in groups:
        depends |= dict.fromkeys(group, before)
        before = tuple(group) or before
    return depends
