"""What the names and modes of new files show: replacements for modules, programs and makefiles, and links."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from ralph.checks.proof.tamper.source import LINK, PROGRAM
from ralph.model.proof import Finding, TreeEntry

RUNNER_MODULES = frozenset(
    [
        "pytest",
        "_pytest",
        "pluggy",
        "iniconfig",
        "py",
        "xdist",
        "coverage",
        "nose",
        "nose2",
        "hypothesis",
        "tox",
        "mock",
    ]
)
HARMLESS_MODULES = frozenset(
    ("test", "this", "antigravity", "__main__", "__future__", "setup", "main", "idlelib", "turtledemo")
)
MODULES = (sys.stdlib_module_names | RUNNER_MODULES) - HARMLESS_MODULES
MODULE = re.compile(
    r"(?P<folder>(?:[^/]+/)*)(?P<name>(?!__init__\b)\w+)(?:\.pyc?|\.pyw|(?:\.[\w-]+)*\.(?:so|pyd)|/__init__\.py)"
)
IMPORT_ROOTS = ("", "src/", "lib/", "python/")
"""The folders from which Python usually imports."""
START_FILES = re.compile(r"(?:.*/)?(?:sitecustomize|usercustomize)(?:\.py|/__init__\.py)|.*\.(?:pth|egg-link)")
COMPILED = re.compile(r".*\.py[co]")
NATIVE = re.compile(r".*\.(?:so|pyd|node|dylib|dll)")
PLUGIN = re.compile(r"(?:.*/)?[^/]+\.(?:egg|dist)-info/entry_points\.txt")
OTHER_MODULES = re.compile(
    r"(?:.*/)?node_modules/(?:@jest/|@vitest/)?(?:jest[\w-]*|vitest|mocha|chai|ava|tap|assert|expect)/.*"
    r"|(?:lib|test|spec)/(?:minitest|rspec|test-unit|test/unit)(?:/.*)?\.rb"
    r"|(?:.*/)?(?:java|kotlin)/org/(?:junit|testng)/.*"
    r"|vendor/(?:github\.com/stretchr/testify|phpunit)/.*"
)
TOOLS = frozenset(
    [
        "python",
        "python3",
        "pytest",
        "py.test",
        "node",
        "nodejs",
        "npm",
        "npx",
        "yarn",
        "pnpm",
        "bun",
        "deno",
        "make",
        "gmake",
        "sh",
        "bash",
        "dash",
        "zsh",
        "env",
        "go",
        "gofmt",
        "cargo",
        "rustc",
        "jest",
        "vitest",
        "mocha",
        "ava",
        "tsc",
        "eslint",
        "prettier",
        "git",
        "ruff",
        "mypy",
        "pyright",
        "basedpyright",
        "pylint",
        "flake8",
        "black",
        "tox",
        "nox",
        "coverage",
        "uv",
        "uvx",
        "poetry",
        "hatch",
        "pdm",
        "pipenv",
        "ruby",
        "php",
        "phpunit",
        "java",
        "javac",
        "mvn",
        "gradle",
        "dotnet",
        "pre-commit",
        "true",
        "false",
        "cat",
        "grep",
        "diff",
        "cmp",
        "sed",
        "awk",
        "find",
        "xargs",
        "timeout",
        "perl",
        "gcc",
        "cc",
        "clang",
        "cmake",
        "ctest",
        "ninja",
        "bazel",
        "just",
        "task",
        "nextest",
        "cargo-nextest",
        "gotestsum",
        "golangci-lint",
    ]
)
BINSTUBS = frozenset(["rake", "rspec", "bundle", "rails"])
"""The names of programs that Rails creates in `bin/`."""
BEFORE_MAKEFILE = {"GNUmakefile": ("makefile", "Makefile"), "makefile": ("Makefile",)}


class Trees(Struct, frozen=True):
    """Both trees, and the purpose of their files."""

    base: Mapping[str, TreeEntry]
    head: Mapping[str, TreeEntry]
    is_test: Callable[[str], bool]
    is_judge: Callable[[str], bool]


def file_findings(trees: Trees, changed: Iterable[str], links: Mapping[str, bytes]) -> Iterator[Finding]:
    """The findings. `links` has the targets of the changed links."""
    for path in changed:
        entry = trees.head.get(path)
        if entry is None:
            continue
        if path not in trees.base:
            yield from _new_file(trees, path, entry)
        elif entry.mode == PROGRAM != trees.base[path].mode:
            yield from _program(path, entry)
        if path in links:
            yield from _link(trees, path, links[path].decode(errors="replace"))


def _new_file(trees: Trees, path: str, entry: TreeEntry) -> Iterator[Finding]:
    yield from _program(path, entry)
    yield from _module(trees, path)
    folder, _, name = path.rpartition("/")
    for other in BEFORE_MAKEFILE.get(name, ()):
        if (f"{folder}/{other}" if folder else other) in trees.base:
            yield Finding("shadow", "block", f"{path} takes precedence over {other}", path)
    if START_FILES.fullmatch(path):
        yield Finding("shadow", "block", f"{path} runs whenever Python starts", path)
    elif COMPILED.fullmatch(path):
        yield Finding("shadow", "block", f"{path} is compiled code that replaces its source", path)
    elif PLUGIN.fullmatch(path):
        yield Finding("shadow", "block", f"{path} can add a plugin to the test runner", path)
    elif OTHER_MODULES.fullmatch(path):
        yield Finding("shadow", "block", f"{path} stands in for a part of the test runner", path)
    elif NATIVE.fullmatch(path):
        yield Finding("unreadable", "warn", f"{path} is machine code, which cannot be read", path)


def _program(path: str, entry: TreeEntry) -> Iterator[Finding]:
    name = path.rpartition("/")[2]
    if entry.mode in (PROGRAM, LINK):
        if name in TOOLS:
            yield Finding("path-shim", "block", f"{path} is a program with the same name as {name}", path)
        elif name in BINSTUBS:
            yield Finding("path-shim", "warn", f"{path} is a program with the same name as {name}", path)


def _module(trees: Trees, path: str) -> Iterator[Finding]:
    found = MODULE.fullmatch(path)
    if not found or found["name"] not in MODULES or _had_module(trees, found["folder"] + found["name"]):
        return
    if found["folder"] in IMPORT_ROOTS or _is_run_from(trees, found["folder"]):
        yield Finding("shadow", "block", f"{path} stands in for the module {found['name']}", path)


def _had_module(trees: Trees, module: str) -> bool:
    return f"{module}.py" in trees.base or f"{module}/__init__.py" in trees.base


def _is_run_from(trees: Trees, folder: str) -> bool:
    """Whether Python puts this folder first: it contains tests or judging scripts, and is not a package."""
    if f"{folder}__init__.py" in trees.head:
        return False
    here = (path for path in trees.head if path.startswith(folder) and "/" not in path[len(folder) :])
    return any(_starts_here(trees, path) for path in here)


def _starts_here(trees: Trees, path: str) -> bool:
    name = path.rpartition("/")[2]
    is_test_file = trees.is_test(path) and re.fullmatch(r"test_.*\.py|.*_test\.py", name) is not None
    return is_test_file or name == "conftest.py" or (path.endswith(".py") and trees.is_judge(path))


def _link(trees: Trees, path: str, target: str) -> Iterator[Finding]:
    was = trees.base.get(path)
    if was is not None and was.mode == LINK:
        return
    is_outside = _leads_outside(path, target)
    replaces_folder = was is None and any(other.startswith(f"{path}/") for other in trees.base)
    if was is not None or replaces_folder:
        judges = trees.is_judge(path) or trees.is_test(path) or trees.is_test(f"{path}/test")
        what = "folder" if replaces_folder else "file"
        level = "block" if is_outside and judges else "warn"
        yield Finding("link", level, f"{path} was a {what} and is a link to {target[:120]} now", path)
    elif is_outside:
        yield Finding("link", "warn", f"{path} is a link out of the tree, to {target[:120]}", path)


def _leads_outside(path: str, target: str) -> bool:
    if target.startswith("/"):
        return True
    depth = path.count("/")
    for part in target.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False
