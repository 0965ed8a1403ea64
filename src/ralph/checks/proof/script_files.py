"""Which files of a tree are judging scripts, and which files the words that name them mean.

A source that is only run, such as `python calc.py`, is not a judge: it is what is judged. A script is recognised by its
first line, its mode, its folder or its name. A program whose output is read, such as `./greet | grep hello`, is also
what is judged, unless its folder or name says that it is a script.
"""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, takewhile
from typing import Literal

from ralph.checks.proof.judge_files import VENDORED, is_test_module
from ralph.checks.proof.path_globs import WILDCARD, PathGlobs
from ralph.model.proof import Tree

PROGRAM, LINK = "100755", "120000"
SHELL_ENDINGS = (".sh", ".bash", ".zsh", ".ksh", ".mk", ".bats")
SOURCE_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".rb", ".pl", ".php", ".lua", ".go", ".rs")
SCRIPT_FOLDERS = frozenset(
    (
        *("script", "scripts", "tool", "tools", "tooling", "ci", ".ci", "bin", "hack", "build", "dev", "devtools"),
        *("check", "checks", "checkers", "lint", "linters", "quality", "qa", "verify", "verification"),
    )
)
SOURCE_FOLDERS = frozenset({"src", "lib", "app", "pkg", "internal"})
NAME = re.compile(
    r"(?:[Cc]heck(?:s|er)?|[Tt]ests?|[Ll]int(?:er)?|[Vv]erify|[Rr]un(?:ner|[Tt]ests?|[Cc]hecks?)?)"
    r"(?:[_-][\w-]*|[A-Z]\w*|all)?(?:\.\w+)?"
)
"""The names of scripts: `check`, `check_all.py`, `runTests.js`, but not `checkout.py` or `runtime.js`."""
VARIABLE_FOLDER = re.compile(r"(?:\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$.)?/+")
MOST_LINKS = 8
LONGEST = 1_000_000
"""The most bytes of a script that is read."""


class ScriptFiles:
    """The files of a tree, as its scripts see them."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._links = {path for path, entry in tree.entries.items() if entry.mode == LINK}

    async def at(self, word: str, folders: Iterable[str], endings: Iterable[str] = ("",)) -> list[str]:
        """The files that a word may mean in one of these folders; several if it is a pattern or a link."""
        found, name = dict[str, None](), _without_variable(word)
        places = [_without_variable(f"{folder}/") for folder in folders]
        for path in {_inside(folder, name + ending): None for folder in places for ending in endings}:
            found |= dict.fromkeys(await self._files(path) if path else ())
        return [path for path in found if not VENDORED(path)]

    async def _files(self, path: str) -> list[str]:
        if wildcard := WILDCARD.search(path):
            return list(filter(PathGlobs([f"/{path}"]), self._beginning(path[: wildcard.start()])))
        files = [path] if path in self._tree.entries else []
        for _ in range(MOST_LINKS if self._links else 0):
            link = next((above for above in with_folders_above(path) if above in self._links), None)
            if link is None:
                break
            target = (await self._tree.read(link) or b"").decode(errors="replace")
            path = _inside(posixpath.dirname(link), target + path[len(link) :])
            files += [path] if path in self._tree.entries else []
        return files

    def below(self, folder: str, word: str) -> Iterator[str]:
        """The files that a word names in a folder and the folders below it."""
        path = _inside(folder, _without_variable(word))
        return self._beginning(f"{path}/") if path else iter(())

    def _beginning(self, start: str) -> Iterator[str]:
        """The paths with this prefix, found without reading the others: a tree may have 50,000."""
        paths = self._sorted_paths
        return takewhile(lambda path: path.startswith(start), islice(paths, bisect_left(paths, start), None))

    @cached_property
    def _sorted_paths(self) -> list[str]:
        return sorted(self._tree.entries)

    async def text(self, path: str) -> str:
        """The text of a file; a very long one counts by its path, but is not searched for names."""
        content = await self._tree.read(path) or b""
        return content.decode(errors="replace") if len(content) <= LONGEST else ""

    async def is_script(self, path: str) -> bool:
        """Whether a file that is run is a script, and not a source."""
        if is_script_by_path(path):
            return True
        if is_test_module(path) or folder_kind(path) == "sources":
            return False
        begins_as_script = (await self._tree.read(path) or b"").startswith(b"#!")
        is_program = self._tree.entries[path].mode == PROGRAM
        return begins_as_script or (is_program and not path.endswith(SOURCE_ENDINGS))


def is_script_by_path(path: str) -> bool:
    return path.endswith(SHELL_ENDINGS) or _is_script_by_name(path, SCRIPT_FOLDERS)


def is_surely_script(path: str) -> bool:
    """Whether its folder or name says that it is a script; a program in `bin` may be the product."""
    return _is_script_by_name(path, SCRIPT_FOLDERS - {"bin"})


def _is_script_by_name(path: str, folders: frozenset[str]) -> bool:
    kind, name = folder_kind(path, folders), path.rpartition("/")[2]
    if is_test_module(path) and not name.startswith("run"):  # run_tests.py runs tests
        return False
    return kind == "scripts" or (kind == "" and NAME.fullmatch(name) is not None)


def folder_kind(path: str, script_folders: frozenset[str] = SCRIPT_FOLDERS) -> Literal["scripts", "sources", ""]:
    """What the folder contains, by the first telling part: `tools/lib` has scripts, `src/agent/tools` has sources."""
    for name in path.split("/")[:-1]:
        if name in script_folders:
            return "scripts"
        if name in SOURCE_FOLDERS:
            return "sources"
    return ""


def _without_variable(word: str) -> str:
    """The word without its variable: `$HERE/lib.sh` is taken from the top of the tree, and from the folders it may
    mean.
    """
    found = VARIABLE_FOLDER.match(word)
    return word[found.end() :] if found else word


def _inside(folder: str, path: str) -> str:
    """The path from the top of the tree; empty if it leads out of it."""
    parts = posixpath.normpath(posixpath.join(folder, path))
    return "" if parts.startswith(("/", "..")) or parts == "." else parts


def with_folders_above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
