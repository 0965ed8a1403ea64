"""Conversions of files on their way into a commit that someone other than the user configured."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ralph.git.attributes import CONVERSIONS
from ralph.git.command import Git
from ralph.git.ignored import RULE
from ralph.model.git_rules import GitRules
from ralph.model.proof import Finding

NO_VALUE = ("unspecified", "unset", "set")
MOST_READ = 4 << 20
MOST_TOLD = 20

Attributes = dict[str, dict[str, str]]
"""The attributes of each file, by name."""


async def foreign_conversions(
    git: Git, env: Mapping[str, str], names: Sequence[str], rules: GitRules, now: GitRules
) -> list[Finding]:
    """The findings for these files. `git` works at the top; `env` makes it see only the rules."""
    told = await _attributes(git, names, {})
    users = await _attributes(git, names, env)
    found = (_finding(git.folder, name, told[name], users.get(name, {}), rules, now) for name in told)
    return [each for each in found if each][:MOST_TOLD]


async def _attributes(git: Git, names: Iterable[str], env: Mapping[str, str]) -> Attributes:
    said = bytearray()
    given = b"".join(os.fsencode(name) + b"\0" for name in names)
    await git.run("check-attr", "-z", "--stdin", *CONVERSIONS, env=env, stdin=given, sink=said.extend)
    words = iter(os.fsdecode(bytes(said)).split("\0")[:-1])
    found: Attributes = {}
    for path, name, value in zip(words, words, words, strict=True):
        found.setdefault(path, {})[name] = value
    return found


def _finding(
    top: Path, name: str, told: Mapping[str, str], users: Mapping[str, str], rules: GitRules, now: GitRules
) -> Finding | None:
    shown = name.encode(errors="replace").decode()
    driver = told.get("filter", "unspecified")
    if _acts(driver, now) and (users.get("filter") != driver or _programs(driver, rules) != _programs(driver, now)):
        text = f"since the run began, git was told to let the filter {driver!r} change {shown}: not applied"
        return Finding(RULE, "block", text)
    changed = [each for each in CONVERSIONS if each != "filter" and told.get(each) != users.get(each)]
    acting = [each for each in changed if _would_change(top / name, each)]
    if not acting:
        return None
    text = f"since the run began, git was told to change {shown} ({', '.join(acting)}): not applied"
    return Finding(RULE, "warn", text)


def _acts(driver: str, now: GitRules) -> bool:
    return driver not in NO_VALUE and any(value for _, value in _programs(driver, now))


def _programs(driver: str, rules: GitRules) -> set[tuple[str, str]]:
    """The programs that run when a file goes into a commit."""
    wanted = {f"filter.{driver}.{what}" for what in ("clean", "process")}
    return {(name, value) for name, value in rules.settings if name in wanted}


def _would_change(path: Path, attribute: str) -> bool:
    if attribute == "working-tree-encoding":
        return path.is_file()
    try:
        with path.open("rb") as file:
            content = file.read(MOST_READ)
    except OSError:
        return False
    return b"$Id" in content if attribute == "ident" else b"\r\n" in content
