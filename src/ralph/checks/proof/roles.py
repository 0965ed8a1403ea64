"""The role of each changed path for a check: a judge, a test, a file with judging sections, or what is judged."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from posixpath import dirname, join, normpath
from typing import Literal

from ralph.checks.proof.judge_files import is_judge, is_shared, is_test
from ralph.checks.proof.path_globs import PathGlobs
from ralph.checks.proof.script_files import with_folders_above
from ralph.checks.proof.scripts import THE_CHECK, NamedFiles, named_files
from ralph.model.proof import Tree, TreeEntry

LINK = "120000"
FILE_MODES = frozenset({"100644", "100755"})
MOST_LINKS = 8
EXAMPLE = b">>> "
"""The prefix of each line of a doctest example."""

Role = Literal["own", "judge", "test", "shared", "product"]
"""The role of a path. With `own`, the change may do anything with it."""


class Roles:
    """Determines the role of a path for a check."""

    def __init__(
        self,
        trees: tuple[Tree, Tree],
        named: NamedFiles,
        linked: Mapping[str, str],
        documented: Mapping[str, str],
        renames: Mapping[str, str],
        *,
        is_allowed: Callable[[str], bool],
        is_protected: Callable[[str], bool],
    ) -> None:
        self.named = named
        self._base, self._head = trees
        self._linked, self._documented, self._renames = linked, documented, renames
        self._targets = PathGlobs(_not_there(named.targets, self._base))
        self._is_allowed, self._is_protected = is_allowed, is_protected

    def of(self, path: str) -> Role:
        if self._is_own(path):
            return "own"
        if self._is_protected(path) or path in self.named.scripts or self._targets(path):
            return "judge"
        if self._matches(is_judge, path):
            return "judge"
        if self._matches(is_test, path) or path in self.named.tests:
            return "test"
        if is_shared(self.section_name(path)):
            return "shared" if self._are_files(path) else "judge"
        return "judge" if path in self._linked else "shared" if path in self._documented else "product"

    def section_name(self, path: str) -> str:
        """The path that decides which sections of a shared file judge: that of a link to it, if there is one."""
        return self._linked.get(path, path)

    def words(self, path: str) -> frozenset[str]:
        """The words that judging scripts which read this file may use for its sections."""
        return self.named.sections.get(path, frozenset())

    def base_path(self, path: str) -> str:
        """The path of this file's examples at the base."""
        return self._documented.get(path, path)

    def _is_own(self, path: str) -> bool:
        old = self._renames.get(path)
        if self._is_allowed(path) or old is None or path in self._base.entries or old in self._head.entries:
            return self._is_allowed(path)
        # A new judge does not become the change's own because it resembles a file that may change.
        return self._is_allowed(old) and (is_judge(old) or not is_judge(path))

    def _matches(self, matches: Callable[[str], bool], path: str) -> bool:
        """Whether the path matches. A link or a submodule also counts as a folder."""
        return matches(path) or (not self._are_files(path) and matches(f"{path}/-"))

    def _are_files(self, path: str) -> bool:
        entries = (tree.entries.get(path) for tree in (self._base, self._head))
        return all(entry is None or entry.mode in FILE_MODES for entry in entries)


def _not_there(targets: Collection[str], base: Tree) -> list[str]:
    """Patterns for paths that would stop make from doing something: files and folders that the base does not have."""
    taken = {above for path in base.entries for above in with_folders_above(path)} if targets else set[str]()
    return [f"/{each}" for each in targets if each not in taken]


async def find_roles(
    base: Tree,
    head: Tree,
    *,
    command: str,
    may_change: Sequence[str],
    protected: Sequence[str],
    renames: Mapping[str, str],
) -> Roles:
    """The roles. The base decides which files judge; a new file judges if a judge of the base would use it."""
    named = await _named_in_both(command, base, head)
    linked = await _linked_judges(base, named)
    is_allowed, is_protected = PathGlobs(may_change), PathGlobs(protected)
    documented = await _documented(base, head, renames)
    return Roles((base, head), named, linked, documented, renames, is_allowed=is_allowed, is_protected=is_protected)


async def _documented(base: Tree, head: Tree, renames: Mapping[str, str]) -> dict[str, str]:
    """The changed Python sources whose docstrings have examples at the base, by their current paths."""
    moved = {new: old for new, old in renames.items() if new not in base.entries}
    changed = {path: path for path, was in base.entries.items() if head.entries.get(path, was) != was} | moved
    return {
        path: old
        for path, old in changed.items()
        if path.endswith(".py")
        and {head.entries[path].mode, base.entries[old].mode} <= FILE_MODES
        and await _has_examples(base, old)
        and await _is_text(head, path)
    }


async def _has_examples(tree: Tree, path: str) -> bool:
    return EXAMPLE in (await tree.read(path) or b"") and await _is_text(tree, path)


async def _is_text(tree: Tree, path: str) -> bool:
    try:
        (await tree.read(path) or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


class _Both:
    """The files of the base, and those that the change adds."""

    def __init__(self, base: Tree, head: Tree) -> None:
        self._base, self._head = base, head
        self.entries: Mapping[str, TreeEntry] = {**head.entries, **base.entries}

    async def read(self, path: str) -> bytes | None:
        return await (self._base if path in self._base.entries else self._head).read(path)


async def _named_in_both(command: str, base: Tree, head: Tree) -> NamedFiles:
    """What the base's command and scripts name, including files that only the change has.

    A new file that the command itself names is what was asked for, not its judge.
    """
    named = await named_files(command, base)
    if head.entries.keys() <= base.entries.keys():
        return named
    both = await named_files(command, _Both(base, head))
    scripts = dict(named.scripts)
    for path, by in both.scripts.items():
        if path not in base.entries and (by.partition(", by ")[0] in scripts or by.startswith(f"{THE_CHECK}, ")):
            scripts[path] = by
    scripts |= {path: by for path, by in both.doubles.items() if path not in base.entries and by in scripts}
    tests = named.tests | {path for path in both.tests if path not in base.entries}
    return NamedFiles(scripts, tests, named.targets, named.sections, {})


async def _linked_judges(base: Tree, named: NamedFiles) -> dict[str, str]:
    """The files behind those judges of the base that are links, with the link's path."""
    found = dict[str, str]()
    for link in (path for path, entry in base.entries.items() if entry.mode == LINK):
        if is_judge(link) or is_shared(link) or link in named.scripts:
            found |= {path: link async for path in _behind(base, link)}
    return found


async def _behind(tree: Tree, link: str) -> AsyncIterator[str]:
    """The paths that a link leads to, including intermediate links."""
    path = link
    for _ in range(MOST_LINKS):
        target = (await tree.read(path) or b"").decode(errors="replace")
        path = normpath(join(dirname(path), target))
        if path not in tree.entries:
            return
        yield path
        if tree.entries[path].mode != LINK:
            return
