"""The scripts that decide because a check runs them: those that its command names, those that these name, and so on."""

import posixpath
from collections.abc import Container
from itertools import pairwise
from typing import NamedTuple

from ralph.checks.proof.command_names import FOLDER_OPTIONS, Named, Reading, read_code, read_shell
from ralph.checks.proof.judge_files import is_shared, is_test, is_test_module
from ralph.checks.proof.path_globs import WILDCARD
from ralph.checks.proof.runner_tests import tests_handed_over, tests_of_pytest
from ralph.checks.proof.script_files import SOURCE_ENDINGS, ScriptFiles, folder_kind, is_surely_script
from ralph.checks.proof.task_files import TASK_FILES, TaskFile, Tasks, files_made, included, reached
from ralph.model.proof import Tree

THE_CHECK = "the check"
"""The name for the command itself, as the one that names a script."""
MOST_FILES = 200
MOST_TEXTS, MOST_INCLUDED = 1000, 50
RUN_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", "/__main__.py", "/index.js", "/*.go")
MODULE_ENDINGS = (".py", "/__main__.py", "/__init__.py")
IMPORTED_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", "/index.js", "/index.ts")
FILE_OPTIONS = frozenset({"-f", "--file", "--makefile", "--justfile", "-c", "--conf", "-t", "--taskfile"})


class NamedFiles(NamedTuple):
    """Files that judge or test because of what a check runs, not by their names."""

    scripts: dict[str, str]
    """The file that names each script, or `the check`. If a script was found by a pattern or on PATH, that is said,
    because a new file can match without being named. Task files are included, unless only some of their sections
    judge."""
    tests: frozenset[str]
    targets: frozenset[str]
    """The paths that would stop make from doing something if a file or folder existed there."""
    sections: dict[str, frozenset[str]]
    """For each file with sections: the quoted words in the scripts that read it, such as names of sections."""
    doubles: dict[str, str]
    """The files that an import in a script may mean instead of another script: by path, what imports it."""


async def named_files(command: str, tree: Tree) -> NamedFiles:
    """Follow a check's command through the files of a tree."""
    search = _Search(tree)
    await search.follow("", read_shell(command))
    for source, reading in search.todo:  # it grows while it is followed
        await search.follow(source, reading)
    tests = search.tests | await tests_of_pytest(tree, search.files)
    scripts = search.judging()
    tests = frozenset(path for path in tests - scripts.keys() if not is_test(path))
    return NamedFiles(scripts, tests, frozenset(search.targets), search.sections(scripts), search.doubles)


class _Search:
    def __init__(self, tree: Tree) -> None:
        self._tree, self.files = tree, ScriptFiles(tree)
        self.scripts = dict[str, str]()
        self.tests = set[str]()
        self.targets = set[str]()
        self.doubles = dict[str, str]()
        self._readers = dict[str, dict[str, frozenset[str]]]()
        self.todo = list[tuple[str, Reading]]()
        self._judged = set[str]()
        self._seen_tasks = set[tuple[str, str]]()

    def judging(self) -> dict[str, str]:
        """The scripts without the programs that are judged, and without those that only these name."""
        kept = dict[str, str]()
        for path, by in self.scripts.items():  # what names a script comes before it
            namer = by.partition(", by ")[0]
            if path not in self._judged and (namer not in self.scripts or namer in kept):
                kept[path] = by
        return kept

    def sections(self, scripts: Container[str]) -> dict[str, frozenset[str]]:
        return {
            path: frozenset(word for by, words in readers.items() if not by or by in scripts for word in words)
            for path, readers in self._readers.items()
        }

    async def follow(self, source: str, reading: Reading) -> None:
        """Follow what a script at `source`, or the command, names."""
        for name in reading.names:
            if name.how == "tasks":
                await self._follow_tasks(name, source, reading)
            elif name.how == "code":
                self._later(source, read_code(name.word))
            elif name.how == "tests":
                folders = ("", posixpath.dirname(source), *reading.folders)
                self.tests |= await tests_handed_over(name.word, folders, self.files)
            elif len(self.scripts) < MOST_FILES:
                paths = (await self._paths(name, source, reading))[:MOST_FILES]
                await self._follow_files(name, source, paths)
                for path in filter(is_shared, paths if name.how == "literal" else ()):
                    readers = self._readers.setdefault(path, {})
                    readers[source] = readers.get(source, frozenset()) | reading.quoted

    async def _follow_files(self, name: Named, source: str, paths: list[str]) -> None:
        counted = [path for path in paths if await self._counts(name, path, source)]
        for path in counted:
            await self._add(path, name, source)
        if counted and name.how == "import":
            self.doubles |= {path: source for path in paths if path not in counted}

    async def _paths(self, name: Named, source: str, reading: Reading) -> list[str]:
        here = posixpath.dirname(source)
        folders = ("", here, *reading.folders)
        match name.how:
            case "module":
                return await self.files.at(name.word.replace(".", "/"), folders, MODULE_ENDINGS)
            case "import":
                return await self._imported(name, here)
            case "program" if "/" not in name.word:
                return await self.files.at(f"./{name.word}", reading.search_path)
            case "language":
                return await self.files.at(name.word, folders, RUN_ENDINGS)
            case "literal" if name.word.startswith("."):
                return await self.files.at(name.word, (here,), IMPORTED_ENDINGS)
            case _:
                return await self.files.at(name.word, folders)

    async def _imported(self, name: Named, here: str) -> list[str]:
        module = name.word.lstrip(".")
        above = len(name.word) - len(module)
        folders = (posixpath.join(here, *[".."] * (above - 1)),) if above else (here, "")
        stem = module.replace(".", "/")
        words = [word for word in (stem, *(posixpath.join(stem, part) for part in name.args)) if word]
        return [path for word in words for path in await self.files.at(word, folders, MODULE_ENDINGS)]

    async def _counts(self, name: Named, path: str, source: str) -> bool:
        if path == source or is_shared(path):
            return False
        if name.how == "shell":
            return True
        if name.how in {"import", "literal"}:
            return folder_kind(path) == "scripts" or self._is_part_of(source, path, name)
        return await self.files.is_script(path)

    def _is_part_of(self, source: str, path: str, name: Named) -> bool:
        """Whether a module beside a script belongs to it; in a package it may be the product's."""
        here = posixpath.dirname(source)
        if name.how != "import" or not here or not path.startswith(f"{here}/") or is_test_module(path):
            return False
        return folder_kind(path) == "" and f"{here}/__init__.py" not in self._tree.entries

    async def _add(self, path: str, name: Named, source: str) -> None:
        if name.is_read and not is_surely_script(path):
            self._judged.add(path)
        if path in self.scripts or len(self.scripts) >= MOST_FILES:
            return
        self.scripts[path] = _named_by(name, source)
        text = await self.files.text(path)
        is_code = path.endswith(SOURCE_ENDINGS) or (text.startswith("#!") and "sh" not in text.partition("\n")[0])
        self._later(path, read_code(text) if is_code else read_shell(text))

    async def _follow_tasks(self, name: Named, source: str, reading: Reading) -> None:
        here = posixpath.dirname(source)
        own = [value for option, value in pairwise(name.args) if option in FOLDER_OPTIONS]
        folders = [posixpath.join(here, folder) for folder in own] or ["", here, *reading.folders]
        options = [value for option, value in pairwise(name.args) if option in FILE_OPTIONS]
        for row in (row for row in TASK_FILES if name.word in row.programs.split()):
            for file in (*row.files.split(), *options):
                for path in await self.files.at(file, folders):
                    await self._follow_task_file(row, path, name.args, source)

    async def _follow_task_file(self, row: TaskFile, path: str, args: tuple[str, ...], source: str) -> None:
        if row.read is None:
            await self._add(path, Named("tasks", path), source)
            return
        if not is_shared(path):
            self.scripts.setdefault(path, source or THE_CHECK)
        tasks = _tasks(row, await self._with_included(path))
        tasks_reached = [("", ""), *reached(tasks, args)]
        if row.makes_files:
            made = files_made(tasks, (task for task, _ in tasks_reached))
            self.targets |= {posixpath.normpath(posixpath.join(posixpath.dirname(path), each)) for each in made}
        for task, text in tasks_reached:
            if (path, task) not in self._seen_tasks:
                self._seen_tasks.add((path, task))
                self._later(path, read_shell(f"{tasks.always}\n{text}"))

    async def _with_included(self, path: str) -> str:
        """A task file together with the files that it includes: their tasks are its own."""
        texts, todo = dict[str, str](), [path]
        for each in todo:
            if each not in texts and len(texts) < MOST_INCLUDED:
                texts[each] = await self.files.text(each)
                more = [await self.files.at(word, ("", posixpath.dirname(each))) for word in included(texts[each])]
                todo += [found for paths in more for found in paths]
                for found in todo[1:]:
                    self.scripts.setdefault(found, each)
        return "\n".join(texts.values())

    def _later(self, source: str, reading: Reading) -> None:
        if len(self.todo) < MOST_TEXTS:
            self.todo.append((source, reading))


def _named_by(name: Named, source: str) -> str:
    is_searched = WILDCARD.search(name.word) or (name.how == "program" and "/" not in name.word)
    return f"{source or THE_CHECK}, by {name.word}" if is_searched else source or THE_CHECK


def _tasks(row: TaskFile, text: str) -> Tasks:
    """The tasks. A file that its runner cannot read either has none."""
    try:
        return row.read(text) if row.read else Tasks("", {}, ())
    except (ValueError, RecursionError):
        return Tasks("", {}, ())
