"""Trees composed of the base and a change: the code of one with the judges and tests of the other.

Everything under `mayChange` is the change's own in each of them. The patterns are those of `path_globs`.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ralph.checks.proof.roles import Role, Roles, find_roles
from ralph.checks.proof.sections import judging_part, merged
from ralph.model.proof import NewFile, Tree, TreeChanges, TreeEntry

Changes = dict[str, TreeEntry | NewFile | None]


class Composition(Struct, frozen=True):
    """The judges and tests that a change touches, and how to exchange them."""

    judges: tuple[str, ...]
    """The judging files that the change touches although it may not."""
    tests: tuple[str, ...]
    changed: tuple[str, ...]
    """All paths at which the base and the change differ."""
    scripts: dict[str, str]
    """The scripts that judge because the check runs them: by path, what names them."""
    named_tests: frozenset[str]
    """The tests that only the check's command or the runner's settings name."""
    with_base_judges: TreeChanges
    """The changes of the change's tree that give its code exactly the base's judges and tests."""
    base_with_change: TreeChanges
    """The changes of the base's tree that give its code the change's judges and tests."""


async def compose(
    base: Tree,
    head: Tree,
    *,
    command: str,
    may_change: Sequence[str] = (),
    protected: Sequence[str] = (),
    renames: Mapping[str, str] | None = None,
) -> Composition:
    """What a change does to the judges of a check's command; `renames` has the old path of each new one."""
    changed = sorted({path for path, _ in base.entries.items() ^ head.entries.items()})
    known = await find_roles(
        base, head, command=command, may_change=may_change, protected=protected, renames=renames or {}
    )
    by_path: dict[str, Role] = {path: known.of(path) for path in changed}
    shared = [path for path, role in by_path.items() if role == "shared"]
    touched = {
        path
        for path in shared
        if await _judging(known, base, known.base_path(path)) != await _judging(known, head, path)
    }
    return Composition(
        judges=tuple(path for path, role in by_path.items() if role == "judge" or path in touched),
        tests=tuple(path for path, role in by_path.items() if role == "test"),
        changed=tuple(changed),
        scripts=known.named.scripts,
        named_tests=known.named.tests,
        with_base_judges=await _exchange(by_path, known, code=head, judges=base, own=head),
        base_with_change=await _exchange(by_path, known, code=base, judges=head, own=head),
    )


async def _exchange(by_path: Mapping[str, Role], known: Roles, *, code: Tree, judges: Tree, own: Tree) -> Changes:
    """The changes that give one tree's code the other's judges and tests."""
    wanted = Changes()
    for path, role in by_path.items():
        if role in {"judge", "test"}:
            wanted[path] = judges.entries.get(path)
        elif role == "own":
            wanted[path] = own.entries.get(path)
        elif role == "shared":
            wanted[path] = await _merged(known, path, code, judges)
    changes = {path: file for path, file in wanted.items() if file != code.entries.get(path)}
    return _without_conflicts(changes, by_path, code)


async def _merged(known: Roles, path: str, code: Tree, judges: Tree) -> TreeEntry | NewFile | None:
    """The code's file with the judges' sections; a file that the code does not have any more is restored completely."""
    their_path = path if path in judges.entries else known.base_path(path)
    mine, theirs = code.entries.get(path), judges.entries.get(their_path)
    if mine is None:
        return theirs if path == known.base_path(path) and await _judging(known, judges, path) else None
    my_text, their_text = await _text(code, path), await _text(judges, their_path)
    if my_text is None or (theirs and their_text is None):
        return theirs
    text = merged(known.section_name(path), their_text, my_text, known.words(path))
    if text == my_text:
        return mine
    if text == (their_text or ""):
        return theirs
    return NewFile(mine.mode, text.encode())


def _without_conflicts(changes: Changes, by_path: Mapping[str, Role], code: Tree) -> Changes:
    """The changes without conflicts. If a file and a folder have the same path, the judge wins, unless the change's own
    file is there.

    Both are among the changed paths, because neither tree alone has such a conflict.
    """
    result = dict(changes)
    there = {path for path in by_path if result.get(path, code.entries.get(path)) is not None}
    for path in sorted(there):
        for folder in _folders_above(path):
            if folder in there and path in there:
                placed, staying = (folder, path) if changes.get(folder) is not None else (path, folder)
                if by_path[staying] == "own":
                    del result[placed]
                    there.discard(placed)
                else:
                    result[staying] = None
                    there.discard(staying)
    return result


def _folders_above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


async def _judging(known: Roles, tree: Tree, path: str) -> str:
    """The judging part of a shared file in one of the trees."""
    text = await _text(tree, path)
    if text is None:
        return tree.entries[path].blob if path in tree.entries else ""
    return judging_part(known.section_name(path), text, known.words(path))


async def _text(tree: Tree, path: str) -> str | None:
    """The text of a file; None if it does not exist or is not text."""
    content = await tree.read(path) if path in tree.entries else None
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None
