"""The files of tests in Rust: cargo names the test program and the modules, not the file."""

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from ralph.checks.proof.canary.edits import Reported
from ralph.checks.proof.canary.reach import read_file
from ralph.model.proof import Tree

MOST_CRATES = 100


async def rust_files(tree: Tree, by_program: Mapping[str, Collection[str]]) -> dict[str, Reported]:
    """The tests of each file, by its path; `by_program` is the part of the ids after a program's name."""
    crates = [path for path in tree.entries if path.rpartition("/")[2] == "Cargo.toml"][:MOST_CRATES]
    files = [path for path in tree.entries if path.endswith(".rs")] if crates else []
    roots = [root for crate in crates for root in _roots(crate, await _name(tree, crate), files)]
    names: dict[tuple[str, str], set[str]] = {}
    for program, root in roots:
        for name in by_program.get(program, ()):
            modules, path = _module_file(tree, root, name.split("::")[:-1])
            place = "::".join((program, *modules))
            names.setdefault((path, place), set()).add(name.removeprefix("::".join((*modules, ""))))
    return {path: Reported(place, frozenset(found)) for (path, place), found in names.items()}


def _roots(crate: str, name: str, files: Collection[str]) -> list[tuple[str, str]]:
    """The programs that cargo builds from a crate for its tests, each with the file in which it begins."""
    folder = crate.removesuffix("Cargo.toml")
    roots = [(name, path) for path in (f"{folder}src/lib.rs", f"{folder}src/main.rs") if path in files]
    pattern = re.compile(re.escape(folder) + r"(?:tests|src/bin)/([\w-]+)(?:/main)?\.rs")
    found = (match for path in files if path.startswith(folder) and (match := pattern.fullmatch(path)))
    return [*roots, *((match[1].replace("-", "_"), match[0]) for match in found)]


async def _name(tree: Tree, crate: str) -> str:
    """The name of the library, as its programs use it."""
    try:
        settings = tomllib.loads((await read_file(tree, crate) or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return ""
    for section in ("lib", "package"):
        match settings.get(section):
            case {"name": str() as name}:
                return name.replace("-", "_")
            case _:
                pass
    return ""


def _module_file(tree: Tree, root: str, modules: list[str]) -> tuple[list[str], str]:
    """The modules that have files of their own, and the file of the last of them."""
    folder = PurePosixPath(root).parent
    for count in range(len(modules), 0, -1):
        module = folder.joinpath(*modules[:count])
        for path in (f"{module}.rs", f"{module}/mod.rs"):
            if path in tree.entries:
                return modules[:count], path
    return [], root
