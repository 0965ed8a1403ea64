"""Recording which of the user's git rules decide about the content of files, before an agent can change them."""

import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ralph.git.attributes import ATTRIBUTES, whole_attributes
from ralph.git.checkout import Checkout
from ralph.git.excludes import content_of
from ralph.git.known_trees import known_tree
from ralph.git.named_paths import NamedPaths
from ralph.git.own_index import digest_of, is_known, known_entries
from ralph.git.repository import Repository
from ralph.git.staging import flagged, lent_to
from ralph.model.git_rules import GitRules

LISTING = ("config", "--list", "-z", "--show-scope", "--show-origin")
CONTENT = re.compile(
    r"core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|checkroundtripencoding"
    r"|sharedrepository|longpaths)|filter\..*|lfs\..*|extensions\.(partialclone|objectformat)"
)
PROMISOR = re.compile(r"extensions\.partialclone|remote\..*\.promisor")
FETCHING = re.compile(r"remote\..*|credential\..*|http\..*|url\..*|ssh\..*|protocol\..*|core\.(sshcommand|gitproxy)")
"""The settings that a partial clone needs to fetch the content of files on demand."""
WATCHED = re.compile(
    r"core\.(worktree|bare|excludesfile|attributesfile|sparsecheckout|sparsecheckoutcone|ignorestat|trustctime|checkstat"
    r"|bigfilethreshold|untrackedcache|splitindex|fsmonitor|hookspath|safecrlf)|index\..*"
)
CLOCK_TICK_NS = 10_000_000
"""The kernel's file timestamps lag behind by up to one clock tick, at most 10 ms."""
EXCLUDES, EVERYWHERE, SPARSE = "core.excludesfile", "core.attributesfile", "core.sparsecheckout"


class Setting(NamedTuple):
    name: str
    value: str
    origin: str
    """The file that contains the setting."""


async def record_rules(repository: Repository, base: str) -> GitRules:
    """The rules as they are now. The attributes in the tree are those of the base, not of the working tree."""
    at = await repository.look()
    settings = await read_settings(repository, at.top)
    places = _Places(settings, at, repository.git.env)
    names = NamedPaths(at, repository.git.env)
    index = at.git_dir / "index"
    in_tree = await _attributes_of(repository, base, index)
    sparse = any(name == SPARSE and _is_true(value) for name, value, _ in settings)
    overlooked = () if is_known(index) and not sparse else await _overlooked(repository, at.top)
    return GitRules(
        settings=tuple(content_settings(settings)),
        watched=tuple((name, value) for name, value, _ in settings if WATCHED.fullmatch(name)),
        exclude=content_of(places.exclude),
        ignore=content_of(places.ignore),
        ignore_file=names.name(places.ignore) if places.ignore else "",
        attributes=whole_attributes(content_of(places.everywhere), in_tree, content_of(places.attributes)),
        lent=tuple(map(os.fsencode, lent_to(at))),
        # The rules in a worktree of ralph's may be an agent's, from an earlier run.
        overlooked=() if at.is_linked else overlooked,
        sparse=sparse,
        prefix=at.prefix,
        began=time.time_ns() - CLOCK_TICK_NS,
        sources={names.name(path): digest_of(path) for path in places.sources},
        index="" if overlooked else digest_of(index),
    )


def have_changed(rules: GitRules, names: NamedPaths) -> bool:
    """Whether a file with git's settings, excludes or attributes has changed."""
    return any(digest_of(names.path(name)) != digest for name, digest in rules.sources.items())


async def read_settings(repository: Repository, top: Path) -> list[Setting]:
    """The settings in files. What the environment or ralph itself sets applies in any case."""
    said = bytearray()
    git = repository.git.at(top)
    done = await git.run(*LISTING, sink=said.extend)
    if done.code != 0:
        raise git.failed("config", done)
    return list(_listed(said.decode(errors="replace").split("\0")[:-1], top))


def _listed(words: list[str], top: Path) -> Iterator[Setting]:
    each = iter(words)
    for _, origin, line in zip(each, each, each, strict=True):
        name, separator, value = line.partition("\n")
        if origin.startswith("file:"):
            path = top / origin.removeprefix("file:")
            yield Setting(name, value if separator else "true", os.path.normpath(path))


def content_settings(settings: list[Setting]) -> Iterator[tuple[str, str]]:
    """The settings that decide about the content of files."""
    partial = any(PROMISOR.fullmatch(setting.name) for setting in settings)
    for setting in settings:
        if CONTENT.fullmatch(setting.name) or (partial and FETCHING.fullmatch(setting.name)):
            yield setting.name, setting.value


async def _overlooked(repository: Repository, top: Path) -> tuple[bytes, ...]:
    flags = await flagged(repository.git.at(top))
    return tuple(map(os.fsencode, (*flags.skipped, *flags.unchanged)))


async def _attributes_of(repository: Repository, base: str, index: Path) -> dict[str, bytes]:
    """The files of attributes in that commit or tree, by path. `index` is one that may be known to hold it."""

    def is_attributes(record: bytes) -> bool:
        return (
            record.endswith(ATTRIBUTES.encode()) and record.partition(b"\t")[2].split(b"/")[-1] == ATTRIBUTES.encode()
        )

    entries = known_entries(index, known_tree(base))
    if entries is None:
        # Between mode and hash it names the kind, which an index does not have.
        listed = await repository.git.records("ls-tree", "-r", "-z", "--full-tree", base, wanted=is_attributes)
        entries = [os.fsencode(each.replace(" blob ", " ", 1)) for each in listed]
    found: dict[str, bytes] = {}
    for entry in filter(is_attributes, entries):
        about, _, path = os.fsdecode(entry).partition("\t")
        stored = await repository.objects.find(about.split(" ")[1])
        # A link is not followed: git does not either.
        if stored and about.startswith("100"):
            found[path] = stored.content
    return found


class _Places:
    """The files in which git keeps its rules."""

    def __init__(self, settings: list[Setting], at: Checkout, env: Mapping[str, str]) -> None:
        named = {setting.name: setting.value for setting in settings}
        self.exclude = at.common_dir / "info/exclude"
        self.attributes = at.common_dir / "info/attributes"
        self.ignore = _users_file(named.get(EXCLUDES), "ignore", env, at.top)
        self.everywhere = _users_file(named.get(EVERYWHERE), "attributes", env, at.top)
        self._settings = {Path(setting.origin) for setting in settings}
        self._settings |= {at.common_dir / "config", at.git_dir / "config.worktree", *_global_settings(env)}

    @property
    def sources(self) -> list[Path]:
        """The files that decide. While they are unchanged, git need not be asked again."""
        users = {path for path in (self.ignore, self.everywhere) if path}
        return sorted({*self._settings, *users, self.exclude, self.attributes})


def _users_file(named: str | None, usual: str, env: Mapping[str, str], top: Path) -> Path | None:
    home = env.get("HOME", "")
    if named is None:
        folder = env.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
        return Path(folder, "git", usual) if folder else None
    if named.startswith("~/"):
        return Path(home, named[2:])
    return top / named if named else None


def _global_settings(env: Mapping[str, str]) -> list[Path]:
    if "GIT_CONFIG_GLOBAL" in env:
        return [Path(env["GIT_CONFIG_GLOBAL"])]
    home = env.get("HOME", "")
    folder = env.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return [Path(home, ".gitconfig"), Path(folder, "git/config")]


def _is_true(value: str) -> bool:
    return value.lower() in ("true", "yes", "on", "1")
