"""All findings in the texts of a change: a pure function of its files."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from ralph.checks.proof.judge_files import VENDORED
from ralph.checks.proof.tamper.languages import language_of
from ralph.checks.proof.tamper.new_hits import new_hits
from ralph.checks.proof.tamper.pairing import Pairing
from ralph.checks.proof.tamper.settings import compared, is_settings, read_settings
from ralph.checks.proof.tamper.sheet import Sheet
from ralph.checks.proof.tamper.source import FileChange, Source, shown, sources
from ralph.checks.proof.tamper.versions import Versions, places
from ralph.checks.proof.tamper.weighing import weighed
from ralph.model.proof import Finding

NOTHING = Sheet()
DATA = re.compile(r".*\.(?:md|rst|txt|adoc|lock|gitignore|gitkeep|keep|typed|svg|png|jpe?g|gif|ico)|README|LICENSE")
"""Files among the tests that say nothing about expectations, or that nobody reads as text."""


def findings(changes: Sequence[FileChange], *, reading: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """The findings against a change; `reading` is called with the path of each file before it is read."""
    files: list[Versions] = []
    found: list[Finding] = []
    for change in changes:
        reading(change.path)
        versions = _read(change)
        files.append(versions)
        if not change.is_allowed:
            found.extend(_of_file(versions))
    reading("")
    pairing = Pairing(places(files, is_base=True), places(files, is_base=False))
    everything = [*found, *weighed(pairing), *new_hits(files, pairing)]
    brought = {change.path for change in changes if not change.old_path and VENDORED(change.path)}
    return [_of_copied(each) if each.file in brought else each for each in everything]


def _of_copied(found: Finding) -> Finding:
    """The finding in a copied library. Others wrote it for their own purposes: only its effect can block."""
    return replace(found, level="warn") if found.level == "block" else found


def _read(change: FileChange) -> Versions:
    base, head = sources(change)
    is_same = change.base == change.head and change.path == change.old_path
    if is_same or change.unread:
        return Versions(change, NOTHING, NOTHING, base, head)
    if base and head and change.is_test and not change.is_judge and change.path == change.old_path:
        language = language_of(head)
        if language and not is_settings(head):
            return Versions(change, *language.read_both(base, head), base, head)
    now = _sheet(head)
    # A file of the product needs its base only if there is something to compare with.
    was = _sheet(base) if not head or not head.is_product or now.hits or now.cases or _has_more(base) else NOTHING
    return Versions(change, was, now, base, head)


def _has_more(base: Source | None) -> bool:
    """Whether the base has tests among the code, or settings that may have moved to another file."""
    return base is not None and (base.path.endswith(".rs") or is_settings(base))


def _sheet(source: Source | None) -> Sheet:
    if source is None:
        return NOTHING
    language = language_of(source)
    sheet = language.read(source) if language and language.may_show(source) else Sheet()
    if is_settings(source):
        own = read_settings(source)
        sheet = replace(sheet, hits=[*sheet.hits, *own.hits], cases=[*sheet.cases, *own.cases])
    return sheet


def _of_file(versions: Versions) -> Iterator[Finding]:
    """The findings in a file apart from its tests."""
    change, base, head = versions.change, versions.base_source, versions.head_source
    if change.unread:
        yield Finding("unreadable", "warn", f"{change.path} {change.unread}", change.path)
    elif base and head and versions.head.is_broken and not versions.base.is_broken and base.content != head.content:
        yield Finding("unreadable", "warn", f"{change.path} can no longer be parsed", change.path)
    if head and is_settings(head):
        yield from compared(base, head)
    if change.is_judge and not change.is_test and versions.base.activity and head and not versions.head.activity:
        yield Finding("no-op", "block", f"{change.path} no longer does anything", change.path, 1, head.shown(1))
    if change.is_judge and change.old_path and not change.mode:
        yield Finding("narrowed", "warn", f"{change.path}, which decides about the checks, is gone", change.path)
    if change.is_test and base and not (change.is_judge or versions.base.cases or versions.head.cases):
        yield from _test_data(change, base, head)


def _test_data(change: FileChange, base: Source, head: Source | None) -> Iterator[Finding]:
    """The findings in test data. What tests compare with is as good as an assertion."""
    if language_of(base) or DATA.fullmatch(base.name) or (head and base.content == head.content):
        return
    if head is None:
        yield Finding("changed-assertion", "warn", f"{change.path}, which tests may read, is gone", change.path)
        return
    known = set(base.content.split(b"\n"))
    lines = head.content.split(b"\n")
    line = next((number for number, each in enumerate(lines, 1) if each not in known), 1)
    text = f"{change.path}, which tests may read, was changed"
    yield Finding("changed-assertion", "warn", text, change.path, line, shown(lines[line - 1].decode(errors="replace")))
