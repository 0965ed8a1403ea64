"""Looks at a change for the tests of tamper evidence: a project, what is done to it, what is found."""

import asyncio
from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from checks.proof.memory_tree import MemoryTree
from ralph.checks.proof.judge_files import is_judge, is_test
from ralph.checks.proof.tamper import tampering
from ralph.checks.proof.tamper.between_trees import gather, told
from ralph.checks.proof.tamper.judging import findings
from ralph.model.proof import Finding

Files = Mapping[str, "str | bytes | tuple[str, str | bytes] | None"]


def text(given: str) -> str:
    return dedent(given).lstrip("\n")


def changed_files(base: Files, edits: Files) -> dict[str, "str | bytes | tuple[str, str | bytes]"]:
    """`None` deletes a file."""
    files = {**base, **edits}
    return {path: content for path, content in files.items() if content is not None}


def asked(base: Files, edits: Files, *, renames: Mapping[str, str] | None = None, may: str = "", scripts: str = ""):
    """The arguments of `tampering`."""
    before, after = MemoryTree(base), MemoryTree(changed_files(base, edits))
    paths = before.entries.keys() | after.entries.keys()
    return (before, after), {
        "changed": sorted(path for path in paths if before.entries.get(path) != after.entries.get(path)),
        "renames": renames or {},
        "may_change": lambda path: path in may.split(),
        "is_test": is_test,
        "is_judge": lambda path: is_judge(path) or path in scripts.split(),
    }


def look(base: Files, edits: Files, **options: object) -> list[Finding]:
    """As `tampering` finds it, without a process for each of hundreds of small changes."""
    trees, arguments = asked(base, edits, **options)
    gathered = asyncio.run(gather(*trees, **arguments))
    return told([*gathered.findings, *findings(gathered.changes)])


def look_apart(base: Files, edits: Files, **options: object) -> list[Finding]:
    trees, arguments = asked(base, edits, **options)
    return asyncio.run(tampering(*trees, **arguments))


Edit = "str | bytes | tuple[str, str | bytes] | Callable[[str], str] | None"


def sub(old: str, new: str) -> Callable[[str], str]:
    """An edit of a file that must have `old`."""

    def edit(content: str) -> str:
        assert old in content, old
        return content.replace(old, new, 1)

    return edit


def add(more: str) -> Callable[[str], str]:
    """An edit that appends."""
    return lambda content: content + more


def both(*edits: Callable[[str], str]) -> Callable[[str], str]:
    def edit(content: str) -> str:
        for each in edits:
            content = each(content)
        return content

    return edit


class Row:
    """One row of a table: what is done to a project and what must be found, as `rule level file:line`."""

    def __init__(self, name: str, project: Files, edits: "Mapping[str, Edit]", *expected: str, **options: object):
        self.name = name
        self.project = project
        self.edits = {path: edit(project[path]) if callable(edit) else edit for path, edit in edits.items()}
        self.expected = expected
        self.options = options

    def found(self) -> list[Finding]:
        return look(self.project, self.edits, **self.options)

    def check_attack(self) -> None:
        """The finding is there, with the exact line."""
        found = self.found()
        told = [f"{each.rule} {each.level} {each.file}:{each.line}" for each in found]
        for each in self.expected:
            assert each in told, told
        for each in found:
            assert not each.line or each.shown in self._lines_at(each.file, each.line)

    def _lines_at(self, path: str, line: int) -> list[str]:
        """What stands there at the base, and in the change."""
        versions = [files.get(path) for files in (self.project, changed_files(self.project, self.edits))]
        texts = [each[1] if isinstance(each, tuple) else each for each in versions if each is not None]
        return [lines[line - 1] for each in texts if line <= len(lines := each.split("\n"))]

    def check_honest(self) -> None:
        """Nothing blocks, and nothing else is found than what the row names."""
        assert [f"{each.rule} {each.level}" for each in self.found() if each.level != "note"] == list(self.expected)


def rows(*given: Row):
    return pytest.mark.parametrize("row", given, ids=[row.name for row in given])
