"""Both versions of a changed file with what was read in them, and the tests of a whole change."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ralph.checks.proof.tamper.sheet import Case, Sheet
from ralph.checks.proof.tamper.source import FileChange, Source
from ralph.model.proof import Finding, Level

COLLECTED = {
    ".py": r"test_.*\.py|.*_tests?\.py|tests?\.py",
    ".go": r".*_test\.go",
    ".rb": r".*_(?:test|spec)\.rb|test_.*\.rb",
    ".java": r".*(?:Tests?|TestCase|IT)\.java|Test.*\.java",
    ".kt": r".*(?:Tests?|Spec)\.kt",
    ".php": r".*Test\.php",
}
"""What a runner takes for a file of tests by default, by the end of the name."""
JAVASCRIPT = re.compile(r"(?:^|/)(?:__tests__|tests?|specs?)/|[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$")


class Versions(NamedTuple):
    change: FileChange
    base: Sheet
    head: Sheet
    """The sheet of the change. An empty sheet stands for a version that does not exist."""
    base_source: Source | None
    head_source: Source | None


class Place(NamedTuple):
    """A test of one version of the change."""

    versions: Versions
    case: Case
    is_base: bool
    number: int = 0
    """How many tests before it in the same file have the same name."""

    @property
    def path(self) -> str:
        return self.versions.change.old_path if self.is_base else self.versions.change.path

    @property
    def is_collected(self) -> bool:
        return self.case.is_collected and collects(self.path)

    @property
    def key(self) -> tuple[str, str, int]:
        """The test's key, under the current name of the file."""
        return self.versions.change.path, self.case.full_name, self.number

    def finding(self, rule: str, level: Level, text: str, line: int = 0) -> Finding:
        source = self.versions.base_source if self.is_base else self.versions.head_source
        number = line or self.case.line
        return Finding(rule, level, text, self.path, number, source.shown(number) if source else "", self.case.name)


def collects(path: str) -> bool:
    """Whether a runner looks for tests in a file of this name."""
    name = path.rpartition("/")[2]
    end = f".{name.rpartition('.')[2]}"
    if end in COLLECTED:
        return re.fullmatch(COLLECTED[end], name) is not None
    is_javascript = re.search(r"\.[cm]?[jt]sx?$", name) is not None
    return not is_javascript or JAVASCRIPT.search(path) is not None


def places(files: Iterable[Versions], *, is_base: bool) -> Iterator[Place]:
    """The tests of one version. In Python a second definition replaces the first."""
    for versions in files:
        cases = versions.base.cases if is_base else versions.head.cases
        if versions.change.path.endswith(".py"):
            cases = list({case.full_name: case for case in cases}.values())
        seen: Counter[str] = Counter()
        for case in cases:
            yield Place(versions, case, is_base, seen[case.full_name])
            seen[case.full_name] += 1
