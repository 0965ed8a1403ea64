"""Remotes: which one is meant, what it has, and a push that is read back."""

import re
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ralph.git.checkout import HASH, HEADS
from ralph.git.command import words_of
from ralph.git.repository import Repository
from ralph.model.errors import ConfigError, StateError
from ralph.workbench.bench import Ended

USUAL = "origin"
REFUSED = re.compile(r"^ ! \[[^\]]*rejected\].*|^remote: .*|^fatal: .*", re.MULTILINE)
MOST_TOLD = 300
SCP_LIKE = re.compile(r"(?:[^@/:]+@)?([^/:]+):(?!/)(.+)")


class Remote(NamedTuple):
    name: str
    urls: tuple[str, ...]
    """The URLs that git pushes to, and the URL that the user wrote, if git replaces it with another."""

    @property
    def shown(self) -> str:
        """Its name and URL, without a login."""
        return f"{self.name} ({without_login(self.urls[0])})"


class RemoteBranches(NamedTuple):
    heads: dict[str, str]
    """The commit of each branch."""
    default: str
    """The branch that a clone checks out; empty if the remote does not say."""


class HostedRepository(NamedTuple):
    """The repository that a URL names on a code host."""

    host: str
    path: str
    """The path, such as `acme/shop`."""

    @property
    def owner(self) -> str:
        return self.path.partition("/")[0]


async def chosen_remote(repository: Repository, named: str | None) -> Remote | None:
    """The named remote; otherwise that of the checked-out branch's upstream, `origin`, or the only one.

    It is None if the repository has no remote at all.
    """
    names = (await repository.git.ask("remote")).split()
    if named is not None:
        if named not in names:
            there = f"There are: {', '.join(names)}" if names else "There is none: git remote add origin URL"
            raise ConfigError(f"there is no remote {named!r}.", there)
        return await _remote(repository, named)
    if not names:
        return None
    upstream = (await repository.git.run("rev-parse", "--abbrev-ref", "@{upstream}")).text.partition("/")[0]
    for name in (upstream, USUAL):
        if name in names:
            return await _remote(repository, name)
    if len(names) > 1:
        raise ConfigError(f"there are several remotes: {', '.join(names)}.", "Name one of them: --remote NAME")
    return await _remote(repository, names[0])


async def _remote(repository: Repository, name: str) -> Remote:
    pushed = (await repository.git.ask("remote", "get-url", "--push", "--", name)).splitlines()[:1]
    written = (await repository.git.run("config", "--get", f"remote.{name}.url")).text.splitlines()[:1]
    return Remote(name, tuple(dict.fromkeys([*pushed, *written])))


async def branches_of(repository: Repository, remote: Remote) -> RemoteBranches:
    listed = bytearray()
    asked = ("ls-remote", "--symref", "--", remote.name, "HEAD", f"{HEADS}*")
    done = await repository.git.run(*asked, sink=listed.extend)
    if done.code != 0:
        raise _unreachable(remote, done)
    heads: dict[str, str] = {}
    default = ""
    for line in listed.decode(errors="replace").splitlines():
        value, _, ref = line.partition("\t")
        if ref == "HEAD" and value.startswith("ref: "):
            default = value.removeprefix("ref: ").removeprefix(HEADS)
        elif ref.startswith(HEADS) and HASH.fullmatch(value):
            heads[ref.removeprefix(HEADS)] = value
    return RemoteBranches(heads, default)


async def ref_at(repository: Repository, remote: Remote, ref: str) -> str:
    """The object of a ref as the remote has it now; empty if it has none."""
    done = await repository.git.run("ls-remote", "--", remote.name, ref)
    if done.code != 0:
        raise _unreachable(remote, done)
    value, _, name = done.text.partition("\n")[0].partition("\t")
    return value if name == ref and HASH.fullmatch(value) else ""


async def fetch_commit(repository: Repository, remote: Remote, branch: str) -> None:
    """Fetch the commits of a branch of the remote. No ref of this repository moves."""
    flags = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=")
    done = await repository.git.run("fetch", *flags, "--", remote.name, f"{HEADS}{branch}")
    if done.code != 0:
        raise _unreachable(remote, done)


async def push_commit(repository: Repository, remote: Remote, commit: str, branch: str) -> None:
    """Push the commit as this branch, and read back that it is there. Nothing on the remote is overwritten."""
    ref = f"{HEADS}{branch}"
    if await ref_at(repository, remote, ref) == commit:
        return
    done = await repository.git.run("push", "--quiet", "--no-verify", "--", remote.name, f"{commit}:{ref}")
    if done.code != 0:
        raise push_refused(remote, branch, done)
    if await ref_at(repository, remote, ref) != commit:
        raise StateError(
            f"git pushed {branch} to {remote.shown}, but {commit[:12]} is not there.",
            "Somebody else may be pushing to it: try again.",
        )


def push_refused(remote: Remote, what: str, done: Ended) -> StateError:
    said = " ".join(" ".join(REFUSED.findall(done.err)).split())[:MOST_TOLD] or words_of(done)
    hint = "Nothing there was changed. Fix that, then run it again."
    if "fetch first" in done.err or "non-fast-forward" in done.err:
        hint = f"{what} has other commits there. Look at them: git fetch {remote.name} {what}"
    return StateError(f"the push of {what} to {remote.shown} was refused: {said.rstrip('.')}.", hint)


def _unreachable(remote: Remote, done: Ended) -> StateError:
    return StateError(
        f"{remote.shown} does not answer: {words_of(done).rstrip('.')}.", "Check the address and your access to it."
    )


def without_login(url: str) -> str:
    """The URL without a user's name and password."""
    parts = urlsplit(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def hosted(url: str) -> HostedRepository | None:
    """The repository that a URL names on a host; None for a path on this machine."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ssh", "git"):
        host, path = parts.hostname or "", parts.path
    elif not parts.scheme and (found := SCP_LIKE.fullmatch(url)):
        host, path = found[1], found[2]
    else:
        return None
    name = path.strip("/").removesuffix(".git")
    return HostedRepository(host, name) if host and name.count("/") else None
