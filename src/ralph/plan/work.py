"""What a change adds, read from the change itself: files, names that other code can use, tests."""

import os
from collections.abc import Callable, Sequence
from posixpath import relpath
from typing import NamedTuple

from msgspec import Struct

from ralph.git.repository import Repository
from ralph.git.trees import ChangedFile, changed_files
from ralph.model.errors import StateError
from ralph.model.proof import TreeEntry
from ralph.model.tasks import OutputSummary
from ralph.plan.blobs import Blob, OutlinesRead, outlines_of
from ralph.plan.outlines import FileOutline
from ralph.plan.source_files import grammar_of, is_ui_file, language_of

PLAIN = ("100644", "100755")
MOST_READ = 2000
"""How many files are searched for names and tests."""
MOST_NAMED = 500
"""How many names of each kind a summary has."""
NOTHING = FileOutline()


class Facts(Struct, frozen=True):
    summary: OutputSummary
    """The summary of the facts, without any prose."""
    is_empty: bool
    """Whether nothing was changed at all."""
    problem: str = ""
    """What could not be read, or is too much to be named."""


async def read_facts(
    repository: Repository, base: str, commit: str, *, is_test: Callable[[str], bool], prefix: str = ""
) -> Facts:
    """The facts from one commit to another. Paths are relative to the project, which may be a folder of its
    repository.
    """
    changes = await changed_files(repository, base, commit)
    sources = [each for each in changes if each.new and _is_read(each.path, each.new)]
    versions = [_versions(each, is_test) for each in sources[:MOST_READ]]
    outlines, problems = await _read(repository, versions)
    found = {
        "new files": [_shown(each.path, prefix) for each in changes if each.new and _is_new(each)],
        "changed files": [_shown(each.path, prefix) for each in changes if each.new and not _is_new(each)],
        "new exports": [name for each in versions for name in _added(each, outlines).exports],
        "new tests": [
            f"{_shown(each.path, prefix)}::{name}" for each in versions for name in _added(each, outlines).tests
        ],
    }
    problems += [
        f"of {len(names):,} {what} only {MOST_NAMED} are named"
        for what, names in found.items()
        if len(names) > MOST_NAMED
    ]
    created, modified, exports, tests = (tuple(dict.fromkeys(names))[:MOST_NAMED] for names in found.values())
    return Facts(OutputSummary("", created, modified, exports, tests), not changes, "; ".join(problems))


class _Versions(NamedTuple):
    path: str
    new: Blob | None
    old: Blob | None


def _versions(change: ChangedFile, is_test: Callable[[str], bool]) -> _Versions:
    def blob(path: str, entry: TreeEntry | None) -> Blob | None:
        return Blob(path, entry.blob, is_test(path)) if entry and entry.mode in PLAIN else None

    return _Versions(change.path, blob(change.path, change.new), blob(change.old_path, change.old))


def _is_read(path: str, entry: TreeEntry) -> bool:
    is_parsed = bool(grammar_of(path)) or is_ui_file(path)
    return is_parsed and entry.mode in PLAIN and path.isprintable() and bool(language_of(path))


def _is_new(change: ChangedFile) -> bool:
    return change.old is None or change.old_path != change.path


async def _read(repository: Repository, versions: Sequence[_Versions]) -> tuple[OutlinesRead, list[str]]:
    blobs = dict.fromkeys(blob for each in versions for blob in (each.old, each.new) if blob)
    try:
        outlines = await outlines_of(repository, list(blobs))
    except StateError as error:
        return {}, [error.message]
    return outlines, [f"{each.path} could not be read" for each, outline in outlines.items() if outline is None]


def _added(versions: _Versions, outlines: OutlinesRead) -> FileOutline:
    """What the new version offers that the old one did not."""
    old, new = ((outlines.get(blob) if blob else None) or NOTHING for blob in (versions.old, versions.new))
    before, tested = set(old.exports), set(old.tests)
    return FileOutline(
        exports=tuple(name for name in new.exports if name not in before),
        tests=tuple(name for name in new.tests if name not in tested),
    )


def _shown(path: str, prefix: str) -> str:
    """The path relative to the project, even if it is outside of it. Names may be any bytes; the result is text."""
    readable = os.fsencode(path).decode(errors="replace")
    return relpath(readable, prefix) if prefix else readable
