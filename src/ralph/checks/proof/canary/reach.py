"""What a check's command really runs: not all of a Makefile or a package.json, and not all scripts that they name."""

import re
from collections.abc import Mapping
from typing import cast

import msgspec
from msgspec import Struct

from ralph.checks.proof.canary.makefile import NAME as MAKEFILE
from ralph.checks.proof.canary.makefile import made_targets, reached, rules
from ralph.model.proof import Tree

PACKAGE_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run|run-script)\s+)*([\w:.-]+)")
SHORT_NAMES = {"t": "test", "tst": "test"}
BY_PATTERN = ", by "
"""The separator between the file that names a script and the pattern or name by which it was found."""
LARGEST_FILE = 1_000_000
MOST_ROUNDS = 20


class Reach(Struct, frozen=True):
    shell: str
    """The command, and the lines of make and npm that it runs."""
    text: str
    """The same text, with the text of all scripts that it runs."""
    scripts: dict[str, bytes]
    makefiles: dict[str, bytes]


async def read_file(tree: Tree, path: str) -> bytes | None:
    """The content of a regular file that is small enough to be written by a person."""
    entry = tree.entries.get(path)
    if entry is None or not entry.mode.startswith("100"):
        return None
    content = await tree.read(path)
    return None if content is None or len(content) > LARGEST_FILE or b"\0" in content else content


async def reach(tree: Tree, command: str, scripts: Mapping[str, str]) -> Reach:
    contents = {path: content for path in scripts if (content := await read_file(tree, path)) is not None}
    for path in ("GNUmakefile", "makefile", "Makefile", "package.json"):
        if path not in contents and (content := await read_file(tree, path)) is not None:
            contents[path] = content
    makefiles = {path: content for path, content in contents.items() if MAKEFILE.search(path)}
    packages = [content for path, content in contents.items() if path.rpartition("/")[2] == "package.json"]
    rest = {path: contents[path] for path in scripts if path in contents and path not in makefiles}
    return _closure(command, rest, makefiles, packages, scripts)


def _closure(
    command: str,
    scripts: dict[str, bytes],
    makefiles: dict[str, bytes],
    packages: list[bytes],
    named: Mapping[str, str],
) -> Reach:
    known = [rule for content in makefiles.values() for rule in rules(content)]
    lines, found = {"": command}, dict[str, bytes]()
    text = command
    for _ in range(MOST_ROUNDS):
        for targets in made_targets(text):
            lines |= {f"rule {rule.targets}": rule.recipe for rule in reached(known, targets)}
        for script in PACKAGE_SCRIPT.finditer(text):
            lines |= _package_scripts(packages, SHORT_NAMES.get(script[1], str(script[1])))
        found |= {path: content for path, content in scripts.items() if is_named(path, text, by=named[path])}
        before, text = text, "\n".join((*lines.values(), *(each.decode(errors="replace") for each in found.values())))
        if text == before:
            break
    return Reach("\n".join(lines.values()), text, found, makefiles)


def is_named(path: str, text: str, *, by: str = "") -> bool:
    """Whether the text names the file: by its name, as a module, or by the pattern in `by`."""
    pattern = pattern_of(by)
    module = path.removesuffix(".py").replace("/", ".") if path.endswith(".py") else ""
    words = filter(None, (path.rpartition("/")[2], module))
    return any(_is_word(word, text) for word in words) or (pattern != "" and pattern in text)


def caller_of(named_by: str) -> str:
    """The file that names a script."""
    return named_by.partition(BY_PATTERN)[0]


def pattern_of(named_by: str) -> str:
    """The pattern or the bare name by which a script was found; empty if it is named by its path."""
    return named_by.partition(BY_PATTERN)[2]


def _is_word(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", text) is not None


def _package_scripts(packages: list[bytes], name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, content in enumerate(packages):
        try:
            scripts: object = msgspec.json.decode(content)["scripts"]
        except (msgspec.DecodeError, TypeError, KeyError, UnicodeError):
            continue
        for each in (f"pre{name}", name, f"post{name}"):
            if isinstance(scripts, dict) and isinstance(value := cast("dict[str, object]", scripts).get(each), str):
                found[f"package {at} {each}"] = value
    return found
