"""The commands for tests that no configuration mentions, found by the names and the text of the test files."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDERS = ("tests", "test", ".")
MOST_FILES = 200
LONGEST = 1 << 16
PYTHON = re.compile(r"test_.*\.py|.*_test\.py")
JAVASCRIPT = re.compile(r".*\.test\.[cm]?js")
"""The files that Node's own runner, `node --test`, finds."""
_UNITTEST = re.compile(r"^\s*(?:import unittest|from unittest )", re.MULTILINE)
_PYTEST = re.compile(r"^(?:import pytest|from pytest |def test_|async def test_)", re.MULTILINE)


def test_commands(project: Path) -> list[str]:
    """One command for each language in which the project has tests."""
    found = [_python_command(folder, files) for folder in FOLDERS if (files := _files(project, folder, PYTHON))]
    scripts = any(_files(project, folder, JAVASCRIPT) for folder in FOLDERS)
    return [*found[:1], *(["node --test"] if scripts else [])]


def _python_command(folder: str, files: list[Path]) -> str:
    """The command for Python. unittest is used only for tests that need nothing else: an installed pytest runs those as
    well.
    """
    texts = list(map(_text, files))
    if any(map(_UNITTEST.search, texts)) and not any(map(_PYTEST.search, texts)):
        inside = f" -s {folder}" if folder != "." else ""
        return f"python3 -m unittest discover{inside}{_pattern(files)}"
    # As a module: it then finds the project's own code without any configuration.
    return "python3 -m pytest"


def _pattern(files: Iterable[Path]) -> str:
    """The pattern for unittest, if its own pattern, `test*.py`, finds nothing."""
    return "" if any(file.name.startswith("test") for file in files) else " -p '*_test.py'"


def _files(project: Path, folder: str, pattern: re.Pattern[str]) -> list[Path]:
    """The files in the folder; in a test folder also those in folders below."""
    return [path for path in _walked(project, folder) if pattern.fullmatch(path.name)][:MOST_FILES]


def _walked(project: Path, folder: str) -> Iterator[Path]:
    top = project / folder
    try:
        entries = sorted(top.glob("*") if folder == "." else top.rglob("*"))
        yield from (path for path in entries if path.is_file() and not path.is_symlink())
    except OSError:
        # What cannot be read detects nothing.
        return


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LONGEST).decode(errors="replace")
    except OSError:
        return ""
