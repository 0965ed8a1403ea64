"""Task files: which program reads which file, and which of its tasks a command reaches.

A new task runner is one row of the table. In a Makefile only the reached targets count, with what they need: `make
test` says nothing about the script that `make deploy` runs.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, cast

RULE = re.compile(r"@?([^\s:=#@][^:=\n]*?)\s*::?(?!=)([^\n]*)")
MAKE_ASSIGNMENT = re.compile(r"(?:export\s+|override\s+)*([\w.-]+)\s*(?:[?+!]|:{1,3})?=\s*([^\n]*)")
INCLUDE = re.compile(r"(?:-|s)?include[ \t]+([^\n]+)|import\??[ \t]+['\"]([^'\"\n]+)['\"]")
INI_SECTION = re.compile(r"^\[([^\]\n]+)\]", re.MULTILINE)
WORD = re.compile(r"[\w.:/*@%+-]+")
PATTERN = re.compile(r"[*%]")
PROJECT_TOOLS = ("poe", "taskipy", "pdm", "hatch", "rye", "pixi")


class Tasks(NamedTuple):
    """The content of a task file."""

    always: str
    """Shell text that applies to every task: variables, and what has no name."""
    by_name: dict[str, str]
    without_name: tuple[str, ...]
    """The tasks that run when none is named."""


class TaskFile(NamedTuple):
    programs: str
    files: str
    read: Callable[[str], Tasks] | None
    """The reader; None for a file that is a program itself."""
    makes_files: bool = False
    """Whether a task has nothing to do if a file of its name exists."""


def read_rules(text: str) -> Tasks:
    """The tasks of a Makefile or a justfile: rules with indented lines below them."""
    always, by_name, names = list[str](), dict[str, list[str]](), list[str]()
    for line in text.replace("\r\n", "\n").replace("\\\n", " ").split("\n"):
        assignment = MAKE_ASSIGNMENT.fullmatch(line)
        rule = None if assignment or line[:1].isspace() else RULE.fullmatch(line)
        if assignment:
            always.append(f"{assignment[1]}='{assignment[2].replace(chr(39), ' ')}'")
        elif rule:
            names = rule[1].split()
            for name in names:
                by_name.setdefault(name, []).append(f": {rule[2]}")
        elif names and (line[:1].isspace() or not line):
            for name in names:
                by_name[name].append(line.strip().lstrip("@+-").replace("$$", "$"))
        else:
            names = []
            always.append(line)
    always += [line for name, lines in by_name.items() if "$" in name or "%" in name for line in lines]
    first = next((name for name in by_name if not name.startswith(".")), None)
    return Tasks(
        "\n".join(always), {name: "\n".join(lines) for name, lines in by_name.items()}, (first,) if first else ()
    )


def files_made(tasks: Tasks, names: Iterable[str]) -> Iterator[str]:
    """The tasks that have nothing to do if a file of their name exists: all that are not declared as phony."""
    phony = set(WORD.findall(tasks.by_name.get(".PHONY", "")))
    return (name for name in names if name not in phony and WORD.fullmatch(name) and not PATTERN.search(name))


def included(text: str) -> list[str]:
    """The words with which a task file includes others."""
    lines = (INCLUDE.fullmatch(line.strip()) for line in text.split("\n"))
    words = (word for found in lines if found for word in (found[1] or found[2]).split())
    return [word.rstrip(")") for word in words]


def read_package(text: str) -> Tasks:
    """The commands of package.json, composer.json or deno.json."""
    data = _table(json.loads(text))
    commands = {**_table(data.get("scripts")), **_table(data.get("tasks"))}
    return Tasks("", {name: _strings(command) for name, command in commands.items()}, ())


def read_environments(text: str) -> Tasks:
    """The commands of tox.ini by environment."""
    always, *pieces = INI_SECTION.split(text)
    sections = dict(zip(pieces[::2], pieces[1::2], strict=True))
    by_name = {name.partition(":")[2]: lines for name, lines in sections.items() if name.startswith("testenv:")}
    always += "".join(lines for name, lines in sections.items() if not name.startswith("testenv:"))
    return Tasks(always, by_name, tuple(by_name))


def read_project(text: str) -> Tasks:
    """The commands in pyproject.toml for the tools that run some."""
    tools = _table(tomllib.loads(text).get("tool"))
    return Tasks("\n".join(_strings(tools[name]) for name in PROJECT_TOOLS if name in tools), {}, ())


def read_lines(text: str) -> Tasks:
    """The commands in YAML or TOML: each quoted text is a line of its own."""
    return Tasks(re.sub(r"[\"'\[\]{}]", "\n", text), {}, ())


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _strings(value: Any) -> str:
    """The texts in a value of JSON or TOML, one on each line."""
    if isinstance(value, dict):
        return "\n".join(map(_strings, cast("dict[str, Any]", value).values()))
    if isinstance(value, list):
        return "\n".join(map(_strings, cast("list[Any]", value)))
    return value if isinstance(value, str) else ""


TASK_FILES = (
    TaskFile("make gmake bmake $(MAKE) ${MAKE}", "GNUmakefile makefile Makefile", read_rules, makes_files=True),
    TaskFile("just", "justfile Justfile .justfile", read_rules),
    TaskFile("npm yarn pnpm bun node npx run-s run-p npm-run-all npm-run-all2 wireit", "package.json", read_package),
    TaskFile("composer", "composer.json", read_package),
    TaskFile("deno", "deno.json", read_package),
    TaskFile("tox", "tox.ini", read_environments),
    TaskFile("poe task pdm hatch rye pixi", "pyproject.toml", read_project),
    TaskFile("task go-task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml", read_lines),
    TaskFile("mise", "mise.toml .mise.toml", read_lines),
    TaskFile("pre-commit prek", ".pre-commit-config.yaml", read_lines),
    TaskFile("lefthook", "lefthook.yml lefthook.yaml", read_lines),
    TaskFile("nox", "noxfile.py", None),
    TaskFile("doit", "dodo.py", None),
    TaskFile("invoke inv", "tasks.py", None),
    TaskFile("rake", "Rakefile rakefile Rakefile.rb", None),
    TaskFile("gulp", "gulpfile.js gulpfile.mjs", None),
    TaskFile("grunt", "Gruntfile.js", None),
)
TASK_RUNNERS = frozenset(name for row in TASK_FILES for name in row.programs.split())


def reached(tasks: Tasks, args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The tasks that a command reaches by its words, with those that they reach, as name and text."""
    seen, todo = set[str](), [*_wanted(tasks, " ".join(args))] or _unnamed(tasks, args)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            yield name, tasks.by_name[name]
            todo += _wanted(tasks, tasks.by_name[name])


def _wanted(tasks: Tasks, text: str) -> list[str]:
    words = {part for word in WORD.findall(text) for part in (word, word.removeprefix("npm:"))}
    stars = [word for word in words if "*" in word]
    found = [name for name in tasks.by_name if name in words or any(fnmatchcase(name, star) for star in stars)]
    return [each for name in found for each in (f"pre{name}", name, f"post{name}") if each in tasks.by_name]


def _unnamed(tasks: Tasks, args: Sequence[str]) -> list[str]:
    """The tasks that may run if no known task is named: the default ones, or any task if a word is unknown."""
    words = [arg for arg in args[1:] if not arg.startswith("-") and "=" not in arg]
    return list(tasks.by_name) if words and tasks.without_name else list(tasks.without_name)
