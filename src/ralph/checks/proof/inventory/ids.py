"""The ids of tests: `file::class::name[parameters]`, the same in every checkout of a tree."""

import os
import re
from functools import lru_cache
from pathlib import Path

INSTALLED = re.compile(r".*/(?:site|dist)-packages/")
# A case of a table in Go, the parameters of pytest and JUnit 5, and our numbers of doc tests.
GO_CASE = re.compile(r"(?<=::)((?:Test|Example|Fuzz|Benchmark)\w*)/.*$", re.DOTALL)
PARAMETERS = re.compile(r"(?<=[\w)])\[.*\]$", re.DOTALL)


def test_id(file: str, name: str) -> str:
    return "::".join(part for part in (file, name) if part)


@lru_cache(maxsize=4096)
def in_worktree(file: str, root: str, worktree: Path) -> str:
    """A file as the tree knows it; for one outside of it, the part that stays the same from day to day."""
    if not file:
        return ""
    path = os.path.normpath(os.path.join(root, file))  # noqa: PTH118 - a Path keeps the `..` of a link
    for place, tree in ((path, os.path.abspath(worktree)), (os.path.realpath(path), os.path.realpath(worktree))):  # noqa: PTH100 - as above
        if place.startswith(tree + os.sep):
            return place[len(tree) + 1 :].replace(os.sep, "/")
    return INSTALLED.sub("", path) if INSTALLED.match(path) else os.path.basename(path)  # noqa: PTH119 - as above


def function_of(test_id: str) -> str:
    """The id without the parameters of the case."""
    return PARAMETERS.sub("", GO_CASE.sub(r"\1", test_id))


def file_of(test_id: str) -> str:
    return test_id.partition("::")[0]


def name_of(test_id: str) -> str:
    """The last name with its parameters, which may contain `::`."""
    return identity(test_id) + test_id[len(function_of(test_id)) :]


def identity(test_id: str) -> str:
    """What stays the same in a test's id when its file or its class changes: the last name, without parameters."""
    return function_of(test_id).rpartition("::")[2]
