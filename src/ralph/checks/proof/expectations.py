"""Data files that tests compare with, outside of their own folders, and those that judging scripts read.

To change such a file is to change an assertion. Ralph does not know whether it is read as an expectation or as a part
of the product, so a change is only a warning.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator

from ralph.checks.proof.command_names import starts_nothing
from ralph.checks.proof.judge_files import VENDORED, is_test
from ralph.model.proof import Finding, Tree

DATA = re.compile(r".*\.(?:csv|tsv|json|jsonl|ndjson|txt|xml|ya?ml|toml|cfg|ini|conf|properties|html|out|dat|expected)")
ENTRY = re.compile(rb"[\s,;:=|]")
FILE_NAME = re.compile(rb"[\w./-]+")
MOST_TESTS = 2000
LONGEST = 1_000_000
"""The most bytes of a file; longer files are not read."""


async def changed_expectations(
    base: Tree, head: Tree, changed: Iterable[str], scripts: Collection[str] = ()
) -> list[Finding]:
    """The findings for those files that a test or a script names, if the change does more than add entries to them."""
    data = [path for path in changed if path in base.entries and DATA.fullmatch(path) and not VENDORED(path)]
    named = await _named(base, data, scripts) if data else set[str]()
    return [found for path in sorted(named) if (found := await _compared(base, head, path))]


async def _named(base: Tree, paths: Iterable[str], scripts: Collection[str]) -> set[str]:
    """The files that are named: by their own name, or by a pattern for such files in their folder."""
    named = {path: _Named(path) for path in paths}
    found = set[str]()
    tests = sorted(path for path in base.entries if is_test(path) and not DATA.fullmatch(path))
    everything = {path.rpartition("/")[2].encode() for path in base.entries if DATA.fullmatch(path)}
    for reader in (*scripts, *tests[:MOST_TESTS]):
        text = await base.read(reader) or b""
        if len(text) > LONGEST or (reader in scripts and _looks_at_one(text, everything)):
            continue
        found |= {path for path, by in named.items() if path not in found and by.is_in(text)}
    return found


def _looks_at_one(script: bytes, names: Container[bytes]) -> bool:
    """Whether the script reads only one data file and starts nothing: then that file is the work itself."""
    words = {word.rpartition(b"/")[2] for word in FILE_NAME.findall(script)}
    return sum(word in names for word in words) == 1 and starts_nothing(script.decode(errors="replace"))


class _Named:
    """How a text names a file."""

    def __init__(self, path: str) -> None:
        folder, _, name = path.encode().rpartition(b"/")
        self._file = re.compile(rb"(?<![\w.-])" + re.escape(name) + rb"\b")
        self._folder, self._pattern = folder.rpartition(b"/")[2], b"*" + name[name.rindex(b".") :]

    def is_in(self, text: bytes) -> bool:
        by_pattern = self._folder and self._pattern in text and self._folder in text
        return bool(by_pattern) or self._file.search(text) is not None


async def _compared(base: Tree, head: Tree, path: str) -> Finding | None:
    was, now = (await base.read(path) or b"").splitlines(), await head.read(path)
    if now is None:
        return Finding("expectation", "warn", f"{path}, which checks may read, is gone", path)
    lines = now.splitlines()
    if _has_all(lines, was) and not _has_second(lines, was):
        return None
    known = set(was)
    line = next((number for number, each in enumerate(lines, 1) if each not in known), 1)
    return Finding("expectation", "warn", f"{path}, which checks may read, was changed", path, line)


def _has_second(lines: Iterable[bytes], wanted: Iterable[bytes]) -> bool:
    """Whether a line was added that says something else about the same thing: it may count instead of the first."""
    known, whole = {_begin(line) for line in wanted}, set(wanted)
    return any(line not in whole and line.strip() and _begin(line) in known for line in lines)


def _begin(line: bytes) -> bytes:
    """What a line is about: a name before a comma, a colon, a tab or the like."""
    return ENTRY.split(line.strip(), maxsplit=1)[0]


def _has_all(lines: Iterable[bytes], wanted: Iterable[bytes]) -> bool:
    """Whether all of them are still there, in order."""
    left: Iterator[bytes] = iter(lines)
    return all(any(each == line for line in left) for each in wanted)
