"""Sources that git ignores: they are in the working tree, and would not be delivered."""

import asyncio
import os
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from ralph.git.command import Git
from ralph.model.proof import Finding
from ralph.model.words import count

RULE = "deliver"
LISTING = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
SOURCE = re.compile(
    r".*\.(py|pyi|pyx|ipynb|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|svelte|go|rs|c|h|cc|cpp|cxx|hpp|m|mm|java|kt|kts|scala|groovy"
    r"|rb|php|pl|pm|lua|r|jl|dart|swift|cs|fs|vb|ex|exs|erl|hs|ml|mli|clj|zig|nim|sol|sh|bash|zsh|fish|ps1|bat|sql|css|scss"
    r"|less|html|graphql|proto|mk|cmake|toml|cfg|ini|gradle|tf)|.*[Mm]akefile|Dockerfile|Justfile|justfile|Rakefile|Gemfile",
    re.IGNORECASE,
)
GENERATED = re.compile(r".*\.min\.(js|css)|.*_pb2(_grpc)?\.pyi?|_version\.py|.*\.d\.ts|.*\.generated\..*")
MADE_BY_TOOLS = frozenset(
    (
        *("node_modules", "bower_components", "jspm_packages", "vendor", "venv", "env", "virtualenv", "site-packages"),
        *(
            "__pycache__",
            "__pypackages__",
            "dist",
            "build",
            "out",
            "target",
            "bin",
            "obj",
            "coverage",
            "htmlcov",
            "tmp",
        ),
        *("temp", "logs", "cache", "deps", "_build", "DerivedData", "Pods", "test-results", "reports"),
    )
)
MOST_WALKED = 20_000
MOST_TOLD = 20


async def ignored_sources(
    git: Git, env: Mapping[str, str], *, began: int, lent: Collection[str], names: Mapping[str, str]
) -> list[Finding]:
    """The sources newer than `began`, each with the rule that hides it. `git` works at the top.

    `names` are texts for files of rules that nobody knows by their path.
    """
    listed = await git.records(*LISTING, env=env, wanted=bool)
    found = await asyncio.to_thread(_sources, git.folder, listed, began, lent)
    told = found[:MOST_TOLD]
    given = b"".join(os.fsencode(name) + b"\0" for name in told)
    said = bytearray()
    if told:
        await git.run("check-ignore", "-v", "-z", "--no-index", "--stdin", env=env, stdin=given, sink=said.extend)
    findings = [_finding(*fields, names=names) for fields in _fields(os.fsdecode(bytes(said)))]
    if len(found) > len(told):
        more = count(len(found) - len(told), "more new file")
        findings.append(
            Finding(RULE, "warn", f"{more} with source code would not be delivered: git ignores such files")
        )
    return findings


def _fields(said: str) -> Iterator[tuple[str, str, str]]:
    words = iter(said.split("\0")[:-1])
    return ((source, line, path) for source, line, _, path in zip(words, words, words, words, strict=True))


def _finding(source: str, line: str, path: str, *, names: Mapping[str, str]) -> Finding:
    place = names.get(source, source)
    shown = path.encode(errors="replace").decode()
    return Finding(RULE, "warn", f"{shown} is ignored by {place}:{line}, so it would not be delivered")


def _sources(top: Path, listed: list[str], began: int, lent: Collection[str]) -> list[str]:
    files = (name for each in listed if not _is_made_by_tools(each) for name in _files(top, each))
    looked_at = islice(files, MOST_WALKED)
    return sorted(name for name in looked_at if _is_source(name) and name not in lent and _is_new(top / name, began))


def _files(top: Path, name: str) -> Iterator[str]:
    """The file, or all files in the folder, without those that tools create."""
    if not name.endswith("/"):
        yield name
        return
    for folder, folders, files in os.walk(top / name):
        folders[:] = sorted(each for each in folders if not _is_made_by_tools(each))
        place = os.path.relpath(folder, top)
        yield from (f"{place}/{each}" for each in files)


def _is_made_by_tools(path: str) -> bool:
    """Whether one of the folders belongs to tools, as those that begin with a dot do."""
    folders = path.rstrip("/").split("/")
    return any(
        each in MADE_BY_TOOLS or each.endswith((".egg-info", ".dist-info")) or (each.startswith(".") and len(each) > 1)
        for each in (folders if path.endswith("/") or len(folders) == 1 else folders[:-1])
    )


def _is_source(path: str) -> bool:
    name = path.rpartition("/")[2]
    return bool(SOURCE.fullmatch(name)) and not GENERATED.fullmatch(name)


def _is_new(path: Path, began: int) -> bool:
    """Whether the file is new, by the timestamp that no program can set back."""
    try:
        return path.lstat().st_ctime_ns >= began
    except OSError:
        return False
