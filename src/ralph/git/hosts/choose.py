"""Which code host a remote belongs to, and whether its program is installed."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from ralph.git.hosts.base import Host
from ralph.git.hosts.github import GitHub
from ralph.git.hosts.gitlab import GitLab
from ralph.git.remotes import HostedRepository, Remote, hosted
from ralph.workbench.bench import Workbench

HOSTS: tuple[tuple[str, type[Host]], ...] = (("github", GitHub), ("gitlab", GitLab))
"""The hosts by a word in the server's name. A server without such a word belongs to the program that is logged in
there."""
DATABASE = "RALPH_DATABASE_URL"
"""The variable for ralph's own database, which may hold a password."""
PATIENCE = 30.0


class Chosen(NamedTuple):
    host: Host | None
    why_not: str = ""
    """Why no pull request can be opened, in a few words."""


async def host_of(project: Path, remote: Remote, pushed: Remote | None = None) -> Chosen:
    """The host of a remote, for branches that are pushed to it, or to a fork of it.

    Its program gets the user's environment, because a token in it may be the login.
    """
    env = {name: value for name, value in os.environ.items() if name != DATABASE}
    found, fork = _repository_of(remote), _repository_of(pushed or remote)
    if found is None or fork is None:
        return Chosen(None, f"{(pushed if found and pushed else remote).shown} is not on a code host")
    chosen = await choose_host(Workbench(project, env, "pr"), found)
    if chosen.host is None or fork == found:
        return chosen
    kind = type(chosen.host)
    if not kind.opens_from_forks or fork.host != found.host:
        return Chosen(None, f"ralph cannot open a {kind.called} from {pushed.name if pushed else ''} in {remote.name}")
    return Chosen(kind(Workbench(project, env, "pr"), found, fork))


def _repository_of(remote: Remote) -> HostedRepository | None:
    return next((each for each in map(hosted, remote.urls) if each), None)


async def choose_host(bench: Workbench, found: HostedRepository) -> Chosen:
    for word, kind in HOSTS:
        if word in found.host.lower():
            if not _is_there(bench, kind):
                return Chosen(None, f"{kind.program} is not on PATH")
            return Chosen(kind(bench, found))
    for _, kind in HOSTS:
        if _is_there(bench, kind) and await _is_logged_in(bench, kind, found):
            return Chosen(kind(bench, found))
    return Chosen(None, f"neither gh nor glab is installed and logged in to {found.host}")


def _is_there(bench: Workbench, kind: type[Host]) -> bool:
    return shutil.which(kind.program, path=bench.env.get("PATH")) is not None


async def _is_logged_in(bench: Workbench, kind: type[Host], found: HostedRepository) -> bool:
    argv = [kind.program, "auth", "status", "--hostname", found.host]
    return (await bench.run(argv, env=kind.quiet, limit=PATIENCE)).code == 0
