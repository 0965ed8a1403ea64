"""Which test files get tests that must fail: only those that the check is known to run."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from ralph.checks.proof.canary.edits import Reported
from ralph.checks.proof.canary.languages import LANGUAGES, language_of
from ralph.checks.proof.canary.reach import read_file
from ralph.checks.proof.canary.rust_files import rust_files
from ralph.checks.proof.canary.titled_files import titled_files
from ralph.model.proof import Tree

BLIND_FILES = 100
MOST_MODULES = 100
GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
NO_TEST_FILE = re.compile(r"(^|/)(conftest|__init__|setup)\.py$|\.d\.ts$|(^|/)node_modules/")


async def seen_in(tree: Tree, ids: Collection[str], tests: Iterable[str]) -> dict[str, Reported]:
    """The files whose tests a runner reported."""
    by_place: dict[str, set[str]] = {}
    for each in ids:
        place, _, name = each.partition("::")
        by_place.setdefault(place, set()).add(name)
    found = {path: Reported(path, frozenset(names)) for path, names in by_place.items() if path in tree.entries}
    modules = await _go_modules(tree)
    for path in tests:
        if path not in found and (place := _place_of(path, by_place, modules)):
            found[path] = Reported(place, frozenset(by_place[place]))
    found |= await rust_files(tree, {place: names for place, names in by_place.items() if place not in tree.entries})
    known = {reported.place for reported in found.values()}
    unplaced = {place: names for place, names in by_place.items() if place not in known}
    found |= await titled_files(tree, unplaced, [path for path in tests if path not in found])
    return {path: reported for path, reported in sorted(found.items()) if _is_changeable(path)}


def run_blindly(commands: str, tests: Collection[str]) -> dict[str, Reported]:
    """All test files of the languages whose runners the commands name, if no runner reported its tests.

    At least one of them is run, or the runner would have failed. If there are too many files, none is changed.
    """
    named = [each for each in LANGUAGES if each.runners.search(commands)]
    found = [path for path in sorted(tests) if _is_changeable(path) and language_of(path) in named]
    return {path: Reported(path, None) for path in found} if len(found) <= BLIND_FILES else {}


def in_turns(paths: Iterable[str]) -> Iterator[str]:
    """The files of the languages in turn, so that none of several runners is missed."""
    groups: dict[object, list[str]] = {}
    for path in paths:
        groups.setdefault(language_of(path), []).append(path)
    return (path for path in chain.from_iterable(zip_longest(*groups.values())) if path)


def _is_changeable(path: str) -> bool:
    return language_of(path) is not None and not NO_TEST_FILE.search(path)


def _place_of(path: str, places: Collection[str], go_modules: Mapping[str, str]) -> str:
    """The place of a file in ids: some runners name a test's package or class instead of its file."""
    if path.endswith("_test.go"):
        package = _go_package(path, go_modules)
        return package if package in places else ""
    if path.endswith(".java"):
        stem = PurePosixPath(path).stem
        return next((place for place in places if place.rpartition(".")[2] == stem), "")
    return ""


async def _go_modules(tree: Tree) -> dict[str, str]:
    """The name of each Go module, by its folder."""
    modules: dict[str, str] = {}
    for path in [each for each in tree.entries if each.rpartition("/")[2] == "go.mod"][:MOST_MODULES]:
        found = GO_MODULE.search(await read_file(tree, path) or b"")
        modules[str(PurePosixPath(path).parent)] = found[1].decode(errors="replace") if found else ""
    return modules


def _go_package(path: str, modules: Mapping[str, str]) -> str:
    folder = PurePosixPath(path).parent
    above = next((each for each in (folder, *folder.parents) if str(each) in modules), None)
    return "" if above is None else "/".join((modules[str(above)], *folder.relative_to(above).parts))
