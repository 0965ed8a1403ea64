"""What this machine has to run ralph with, what is missing, and what to do about it."""

import os
import platform
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from ralph import __version__
from ralph.agents.registry import choose
from ralph.app.detect import KNOWN_AGENTS, installed_agents
from ralph.config.layers import load, ralph_home
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError
from ralph.proc import capture

Status = Literal["ok", "warning", "missing"]

PATIENCE = 5.0
"""How long a program may take to answer, in seconds."""
OLDEST_SQLITE = (3, 35, 0)
LITTLE_SPACE = 1 << 30
LONGEST_LINE = 100
ESSENTIAL = frozenset({"git", "settings", "agent", "project", "state", "sqlite", "database"})
"""ralph cannot run while one of these is missing; the rest is good to know."""


class Finding(Struct, frozen=True):
    name: str
    status: Status
    detail: str
    hint: str = ""


Findings = Iterable[Finding]
Probe = Callable[[], Findings]


class Answer(NamedTuple):
    code: int | None
    line: str
    """The first line that says something."""
    late: bool


def examine(project: Path) -> list[Finding]:
    """All at once: what hangs costs its own time limit, not the sum of all."""
    agents = installed_agents()
    probes: list[Probe] = [
        _itself,
        _git,
        partial(_repository, project),
        partial(_identity, project),
        *(partial(_version, name, [name, "--version"]) for name in agents),
        partial(_agents, agents),
        partial(_settings, project),
        _bwrap,
        _docker_sandbox,
        _sbx,
        partial(_project, project),
        _state,
        _sqlite,
        _database,
    ]
    with ThreadPoolExecutor(max_workers=len(probes)) as pool:
        return [finding for findings in pool.map(_findings, probes) for finding in findings]


def _findings(probe: Probe) -> list[Finding]:
    return list(probe())


def blocking(findings: Sequence[Finding]) -> list[Finding]:
    """What keeps ralph from running here."""
    return [finding for finding in findings if finding.status == "missing" and finding.name in ESSENTIAL]


def _itself() -> Findings:
    yield Finding("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Finding("ralph", "ok", __version__)


def _git() -> Findings:
    if shutil.which("git"):
        yield from _version("git", ["git", "--version"], failed="missing")
    else:
        yield Finding("git", "missing", "not on PATH", "Install git.")


def _repository(project: Path) -> Findings:
    inside = _ask_git(project, "rev-parse", "--is-inside-work-tree")
    if inside.code is None:
        return
    if inside.code != 0:
        fresh = "not a git repository" in inside.line
        hint = "Without one nothing is committed or rolled back. Make one: git init" if fresh else "See: git status"
        yield Finding("repository", "warning", "this is not a git repository" if fresh else inside.line, hint)
    elif inside.line != "true":
        yield Finding("repository", "warning", "this is inside a repository, but not in its work tree")
    elif _ask_git(project, "rev-parse", "--verify", "--quiet", "HEAD").code != 0:
        yield Finding("repository", "warning", "there is no commit yet", "Make the first: git commit")
    else:
        yield Finding("repository", "ok", "this is a git repository with commits")


def _identity(project: Path) -> Findings:
    """Asked as `git commit` does, so that what git makes up from the host name counts only where it would."""
    who = _ask_git(project, "var", "GIT_COMMITTER_IDENT")
    if who.code is None:
        return
    if who.code == 0:
        yield Finding("identity", "ok", who.line.partition(">")[0].strip() + ">")
    else:
        hint = "Set it: git config --global user.name NAME; git config --global user.email ADDRESS"
        yield Finding("identity", "warning", "git does not know who commits", hint)


def _agents(found: list[str]) -> Findings:
    absent = ", ".join(name for name in KNOWN_AGENTS if name not in found)
    if found:
        yield Finding("agents", "ok", f"{len(found)} found; not on PATH: {absent}" if absent else "all found")
    else:
        yield Finding("agents", "missing", f"none found of {absent}", "Install one, or name another in agent.command.")


def _settings(project: Path) -> Findings:
    try:
        loaded = load(project)
    except ConfigError as error:
        yield Finding("settings", "missing", error.message, error.hint)
        return
    files = ", ".join(str(file).removeprefix(f"{project}{os.sep}") for file in loaded.files)
    yield Finding("settings", "ok", files or "no files, only defaults", "" if files else "Write some: ralph init")
    yield _agent(loaded.settings, project)


def _agent(settings: Settings, project: Path) -> Finding:
    chosen = settings.agent.command or settings.defaults.executor
    if chosen is None:
        return Finding("agent", "warning", "the settings choose none", "Choose one: ralph init")
    try:
        program = choose(settings).command[0]
    except ConfigError as error:
        return Finding("agent", "missing", error.message, error.hint)
    # A path counts from the project, where the loop starts it.
    found = shutil.which(str(project / program) if os.sep in program else program)
    if found:
        return Finding("agent", "ok", f"{chosen} ({found})")
    detail = f"the settings choose {chosen}, but {program} is not an executable on PATH"
    return Finding("agent", "missing", detail, "Install it, or choose another: ralph init")


def _bwrap() -> Findings:
    if not shutil.which("bwrap"):
        yield Finding("bwrap", "missing", "not on PATH", "For a sandbox on Linux install bubblewrap.")
        return
    tried = _ask(["bwrap", "--ro-bind", "/", "/", "--unshare-user", "true"])
    if tried.code == 0:
        yield Finding("bwrap", "ok", "works")
    else:
        hint = "This system may forbid user namespaces: see kernel.unprivileged_userns_clone and AppArmor."
        yield Finding("bwrap", "warning", f"found, but {_complaint(tried)}", hint)


def _docker_sandbox() -> Findings:
    if not shutil.which("docker"):
        yield Finding("docker sandbox", "missing", "docker is not on PATH", "Install Docker Desktop, or use sbx.")
        return
    tried = _ask(["docker", "sandbox", "version"])
    if tried.code == 0:
        yield Finding("docker sandbox", "ok", tried.line)
    else:
        hint = "Docker Desktop brings it; its successor is sbx."
        yield Finding("docker sandbox", "missing", f"docker is here, but {_complaint(tried)}", hint)


def _sbx() -> Findings:
    if shutil.which("sbx"):
        yield from _version("sbx", ["sbx", "version"])
    else:
        yield Finding("sbx", "missing", "not on PATH", "For a sandbox in a small virtual machine install Docker's sbx.")


def _project(project: Path) -> Findings:
    folder = project / ".ralph"
    if os.access(folder if folder.is_dir() else project, os.W_OK | os.X_OK):
        yield Finding("project", "ok", f"{project} is writable")
    else:
        yield Finding("project", "missing", f"{project} cannot be written", "Run ralph where you may write.")


def _state() -> Findings:
    home = ralph_home(os.environ)
    standing = next(path for path in (home, *home.parents) if os.access(path, os.F_OK))
    if not standing.is_dir() or not os.access(standing, os.W_OK | os.X_OK):
        hint = "Make it writable, or set RALPH_HOME to another directory."
        yield Finding("state", "missing", f"{home} cannot be written", hint)
        return
    yield Finding("state", "ok", f"{home} is writable" if standing == home else f"{home} will be created")
    free = shutil.disk_usage(standing).free
    if free >= LITTLE_SPACE:
        yield Finding("disk", "ok", f"{free / (1 << 30):.1f} GiB free")
    else:
        yield Finding("disk", "warning", f"only {free >> 20} MiB free in {standing}", "Make room: agents write much.")


def _sqlite() -> Findings:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        yield Finding("sqlite", "ok", version)
    else:
        yield Finding("sqlite", "missing", f"{version} is too old", "Use a Python with SQLite 3.35 or newer.")


def _database() -> Findings:
    if url := os.environ.get("RALPH_DATABASE_URL"):
        hint = "Unset RALPH_DATABASE_URL; RALPH_HOME moves the database."
        yield Finding("database", "missing", f"{_server(url)}: this ralph keeps its state in SQLite only", hint)
        return
    path = ralph_home(os.environ) / "ralph.db"
    if not os.access(path, os.F_OK):
        yield Finding("database", "ok", f"{path} will be created")
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        hint = "Move it away, or set RALPH_HOME to another directory."
        yield Finding("database", "missing", f"{path} cannot be read: {error}", hint)
    else:
        yield Finding("database", "ok", str(path))


def _server(url: str) -> str:
    """Scheme and host; never the user, the password or what follows."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "RALPH_DATABASE_URL is not an address"
    return f"{parts.scheme or 'no scheme'} on {parts.hostname or 'this machine'}{port}"


def _version(name: str, argv: list[str], failed: Status = "warning") -> Findings:
    said = _ask(argv)
    if said.code == 0:
        yield Finding(name, "ok", f"{said.line or 'no version'} ({shutil.which(argv[0])})")
    else:
        hint = f"Try it by hand: {' '.join(argv)}"
        yield Finding(name, failed, f"found at {shutil.which(argv[0])}, but {_complaint(said)}", hint)


def _ask_git(project: Path, *arguments: str) -> Answer:
    # git's own words are read, so it must not translate them.
    return _ask(["git", "-C", str(project), *arguments], {**os.environ, "LC_ALL": "C"})


def _ask(argv: list[str], env: Mapping[str, str] | None = None) -> Answer:
    begun = time.monotonic()
    said = capture(argv, timeout=PATIENCE, env=env)
    line = next((text for text in map(_printable, said.output.splitlines()) if text), "")
    return Answer(said.code, line[:LONGEST_LINE], late=said.code is None and time.monotonic() - begun >= PATIENCE)


def _complaint(answer: Answer) -> str:
    if answer.late:
        return f"it gave no answer in {PATIENCE:g} seconds"
    if answer.code is None:
        return "it could not be started"
    return f"it failed with exit code {answer.code}" + (f": {answer.line}" if answer.line else "")


def _printable(text: str) -> str:
    uncoloured = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return "".join(character for character in uncoloured if character.isprintable()).strip()
