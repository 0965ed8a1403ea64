"""JUnit reports that a build leaves in the tree, such as Maven's and Gradle's: those written since the trial began."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ralph.checks.proof.inventory.bounded_files import MOST_REPORTS, Unreadable, read_file
from ralph.checks.proof.inventory.ids import name_of, test_id
from ralph.checks.proof.inventory.junit_xml import NoReport, ReportedCase, cases_of
from ralph.checks.proof.inventory.reported import Reported, with_outcome
from ralph.model.proof import Outcome

RUNNER = "junit"
SUFFIX = ".xml"
MOST_ENTRIES = 300_000
PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", ".tox", ".nox", "__pycache__", "site-packages"})


def junit_reports(worktree: Path, since: int, others: Iterable[Reported]) -> Iterator[Reported]:
    """The reports with a test whose name no other report has: most runners can also write such a report."""
    reports = [cases for path in _written(worktree, since) if (cases := _cases(path))]
    known = {name_of(test) for other in others for test in other.tests} if reports else set[str]()
    prefix = f"{worktree.resolve()}/"
    for cases in reports:
        if any(case.name not in known for case in cases):
            tests: dict[str, Outcome] = {}
            for case in cases:
                with_outcome(tests, test_id(case.classname.replace(prefix, ""), case.name), case.outcome)
            yield Reported(RUNNER, tests)


def _cases(path: Path) -> list[ReportedCase]:
    try:
        return cases_of(read_file(path))
    except (Unreadable, NoReport):
        return []


def _written(worktree: Path, since: int) -> Iterator[Path]:
    """The files that the trial itself wrote. There are many other XML files, and they are not opened."""
    folders, entries, found = [str(worktree)], 0, 0
    while folders and entries < MOST_ENTRIES and found < MOST_REPORTS:
        try:
            with os.scandir(folders.pop()) as listed:
                for entry in listed:
                    entries += 1
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in PASSED_OVER:
                            folders.append(entry.path)
                    elif entry.name.endswith(SUFFIX) and entry.stat(follow_symlinks=False).st_mtime_ns > since:
                        found += 1
                        yield Path(entry.path)
        except OSError:
            continue
