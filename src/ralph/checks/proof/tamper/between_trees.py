"""Findings in the difference between two trees."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ralph.checks.proof.tamper.apart import read_apart
from ralph.checks.proof.tamper.explaining import ORDER
from ralph.checks.proof.tamper.file_rules import Trees, file_findings
from ralph.checks.proof.tamper.judging import findings
from ralph.checks.proof.tamper.languages import is_worth_reading, language_of
from ralph.checks.proof.tamper.settings import is_settings
from ralph.checks.proof.tamper.source import LINK, FileChange, sources
from ralph.model.proof import Finding, Tree

LARGEST = 2 << 20
"""The most bytes of a file that is read. Code that people write is much smaller."""
MOST = 256 << 20
"""The most bytes that are read of a whole change."""
TOO_MUCH = "is not read: the change is too large"


async def tampering(
    base: Tree,
    head: Tree,
    *,
    changed: Sequence[str],
    renames: Mapping[str, str],
    may_change: Callable[[str], bool],
    is_test: Callable[[str], bool],
    is_judge: Callable[[str], bool],
) -> list[Finding]:
    """The findings against the change from `base` to `head`, the most severe first. Only what is new counts.

    `renames` has the old path of a file by its new one; `is_judge` also knows the scripts that the checks name.
    """
    gathered = await gather(
        base, head, changed=changed, renames=renames, may_change=may_change, is_test=is_test, is_judge=is_judge
    )
    changes = gathered.changes
    # A separate process reads what needs a parser; comparing data does not.
    texts = await read_apart(changes) if any(map(_is_read, changes)) else findings(changes)
    return told([*gathered.findings, *texts])


class Gathered(NamedTuple):
    changes: list[FileChange]
    findings: list[Finding]
    """The findings from names and modes."""


async def gather(
    base: Tree,
    head: Tree,
    *,
    changed: Sequence[str],
    renames: Mapping[str, str],
    may_change: Callable[[str], bool],
    is_test: Callable[[str], bool],
    is_judge: Callable[[str], bool],
) -> Gathered:
    """The changed files with their texts. A renamed file is one change, not two."""
    trees = Trees(base.entries, head.entries, is_test, is_judge)
    moved = set(renames.values())
    paths = [path for path in sorted(set(changed)) if path in head.entries or path not in moved]
    changes: list[FileChange] = []
    links: dict[str, bytes] = {}
    left = MOST
    for path in paths:
        change = _described(trees, path, renames.get(path, path), may_change)
        if is_worth_reading(change):
            change = await _with_texts(base, head, path, change) if left > 0 else replace(change, unread=TOO_MUCH)
            left -= len(change.base or b"") + len(change.head or b"")
        if change.mode == LINK:
            links[path] = await head.read(path) or b""
        changes.append(change)
    new = [path for path, change in zip(paths, changes, strict=True) if not change.is_allowed]
    return Gathered([_named(change) for change in changes], list(file_findings(trees, new, links)))


def told(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, the most severe first. A line has at most one finding of each rule."""
    first: dict[tuple[str, str, int, str], Finding] = {}
    for given in findings:
        each = replace(given, file=readable(given.file), text=readable(given.text))
        first.setdefault((each.rule, each.file, each.line, "" if each.line else each.text), each)
    return sorted(first.values(), key=lambda each: (ORDER[each.level], each.file, each.line))


def _described(trees: Trees, path: str, old: str, may_change: Callable[[str], bool]) -> FileChange:
    names = {path, old} if old in trees.base else {path}
    before, after = trees.base.get(old), trees.head.get(path)
    return FileChange(
        path=path,
        old_path=old if before else "",
        mode=after.mode if after else "",
        old_mode=before.mode if before else "",
        is_test=any(map(trees.is_test, names)),
        is_judge=any(map(trees.is_judge, names)),
        is_allowed=any(map(may_change, names)),
    )


async def _with_texts(base: Tree, head: Tree, path: str, change: FileChange) -> FileChange:
    was = await base.read(change.old_path) if change.old_mode not in ("", LINK) else None
    now = await head.read(path) if change.mode not in ("", LINK) else None
    return _bounded(replace(change, base=was, head=now))


def _named(change: FileChange) -> FileChange:
    """The change with printable names: git allows any bytes."""
    return replace(change, path=readable(change.path), old_path=readable(change.old_path))


def readable(name: str) -> str:
    return name.encode(errors="backslashreplace").decode()


def _bounded(change: FileChange) -> FileChange:
    size = max(len(change.base or b""), len(change.head or b""))
    if size <= LARGEST:
        return change
    if _is_read(change):
        return replace(change, base=None, head=None, unread=f"is too large to be read ({size / (1 << 20):.1f} MB)")
    return replace(change, base=change.base and change.base[:LARGEST], head=change.head and change.head[:LARGEST])


def _is_read(change: FileChange) -> bool:
    versions = [source for source in sources(change) if source is not None]
    return any(language_of(source) is not None or is_settings(source) for source in versions)
