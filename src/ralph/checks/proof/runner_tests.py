"""Tests that no file name reveals: those that a command gives to a test runner, and those in pytest's settings."""

import posixpath
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, cast

from ralph.checks.proof.command_names import read_code
from ralph.checks.proof.judge_files import is_test_module
from ralph.checks.proof.path_globs import PathGlobs
from ralph.checks.proof.script_files import SOURCE_ENDINGS, ScriptFiles, folder_kind
from ralph.checks.proof.statements import read_ini
from ralph.model.proof import Tree

PYTEST_SETTINGS = (
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("pyproject.toml", ("tool", "pytest", "ini_options")),
    ("pyproject.toml", ("tool", "pytest")),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
TEST_MARK = re.compile(r"^test[_-]?|[._-]?(?:tests?|spec)$", re.IGNORECASE)
IMPORTED_ENDINGS = (".py", "/__init__.py", "", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", "/index.js", "/index.ts")


async def tests_handed_over(word: str, folders: Iterable[str], files: ScriptFiles) -> set[str]:
    """The tests that a runner gets by a word: a file, a pattern, or a folder that contains little else than tests.

    A file among sources, or one that uses no other, does not count: its tests are beside the code.
    """
    folders = list(folders)
    named = [path for path in await files.at(word, folders) if folder_kind(path) != "sources"]
    if named:
        return {path for path in named if await _uses_another(path, files)}
    return _if_mostly_tests([path for folder in folders for path in files.below(folder, word)], is_test_module)


async def _uses_another(path: str, files: ScriptFiles) -> bool:
    folders = ("", posixpath.dirname(path))
    for name in read_code(await files.text(path)).names:
        word = name.word.replace(".", "/").lstrip("/") if name.how == "import" else name.word
        is_relative = name.how == "literal" and word.startswith(".")
        if name.how == "import" or is_relative:
            found = await files.at(word, folders, IMPORTED_ENDINGS)
            if any(each != path for each in found):
                return True
    return False


async def tests_of_pytest(tree: Tree, files: ScriptFiles) -> set[str]:
    """The tests according to the base's own `testpaths` and `python_files`."""
    settings = await _pytest_settings(tree, files)
    patterns = [pattern for pattern in _words(settings.get("python_files")) if pattern.strip("*.py")]
    is_named_so = PathGlobs(patterns)
    found = {path for path in tree.entries if path.endswith(".py") and is_named_so(path)} if patterns else set[str]()
    for folder in _words(settings.get("testpaths")):
        found |= _if_mostly_tests(list(files.below("", folder)), lambda path: is_test_module(path) or is_named_so(path))
    return found


def _if_mostly_tests(paths: list[str], is_one: Callable[[str], bool]) -> set[str]:
    """All files of a folder if two thirds of its sources are tests, and none of the others is what they test."""
    sources = [path for path in paths if path.endswith(SOURCE_ENDINGS) and not path.endswith("/__init__.py")]
    tests = list(filter(is_one, sources))
    tested = {TEST_MARK.sub("", _stem(path)) for path in tests}
    is_beside_code = any(_stem(path) in tested for path in sources if not is_one(path))
    return set(paths) if tests and 3 * len(tests) >= 2 * len(sources) and not is_beside_code else set()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


async def _pytest_settings(tree: Tree, files: ScriptFiles) -> dict[str, Any]:
    for path, names in PYTEST_SETTINGS:
        settings = _section(await files.text(path), path, names) if path in tree.entries else {}
        if settings:
            return settings
    return {}


def _section(text: str, path: str, names: tuple[str, ...]) -> dict[str, Any]:
    try:
        value: Any = tomllib.loads(text) if path.endswith(".toml") else read_ini(text)
    except (ValueError, RecursionError):
        return {}
    for name in names:
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [each for each in cast("list[Any]", value) if isinstance(each, str)] if isinstance(value, list) else []
