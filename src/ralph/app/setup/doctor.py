"""What this machine has to run ralph with, what is missing, and what to do about it."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from ralph import __version__
from ralph.agents.environment import SESSION_MARKS
from ralph.app.setup.detect import KNOWN_AGENTS, installed_agents
from ralph.app.setup.doctor_agents import agent_findings
from ralph.app.setup.doctor_start import start_findings
from ralph.app.setup.findings import PATIENCE, Answer, Finding, Findings, Status, ask, complaint
from ralph.app.usable import load_usable
from ralph.config.home import ralph_home
from ralph.config.layers import Loaded
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError
from ralph.workbench.masking import masking

LITTLE_SPACE = 1 << 30
ESSENTIAL = frozenset(
    {
        *("git", "settings", "agent", "permissions", "login", "repository", "sandbox", "budget", "scm", "fallback"),
        *("project", "state", "sqlite", "database"),
    }
)
"""What ralph cannot run without; the rest is only information."""


SWITCHES = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("user.max_user_namespaces", "0", "10000"),
)
"""Switches of the kernel that keep bwrap from working: name, the value that forbids, the value that allows."""
SWITCHES_FOLDER = Path("/proc/sys")
"""Where the kernel shows its switches, each as a file."""

Probe = Callable[[], Findings]


def examine(project: Path, switches: Path = SWITCHES_FOLDER) -> list[Finding]:
    """All findings, examined at once: a program that hangs costs its own time limit, not the sum of all."""
    agents = installed_agents()
    # Threads that are the first to use the same struct at the same time make msgspec crash, so none of them loads it.
    settings = _loaded(project)
    probes: list[Probe] = [
        _itself,
        _git,
        partial(_repository, project),
        partial(_identity, project),
        *(partial(_version, name, [name, "--version"]) for name in agents),
        partial(_agents, agents),
        partial(_settings, project, settings),
        partial(_sandboxes, settings, switches),
        _session,
        partial(_project, project),
        _state,
        _sqlite,
        _database,
    ]
    with ThreadPoolExecutor(max_workers=len(probes)) as pool:
        found = [finding for findings in pool.map(_findings, probes) for finding in findings]
    mask = masking(Settings() if isinstance(settings, ConfigError) else settings.settings, project)
    return [replace(each, detail=mask(each.detail), hint=mask(each.hint)) for each in found]


def _findings(probe: Probe) -> list[Finding]:
    return list(probe())


def blocking(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that keep ralph from running here."""
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
        if fresh:
            hint = "Without one nothing is committed or rolled back. Make one: git init"
            yield Finding("repository", "warning", "this is not a git repository", hint)
        else:
            yield Finding("repository", "missing", inside.line, "See: git status")
    elif inside.line != "true":
        yield Finding("repository", "warning", "this is inside a repository, but not in its work tree")
    elif _ask_git(project, "rev-parse", "--verify", "--quiet", "HEAD").code != 0:
        yield Finding("repository", "warning", "there is no commit yet", "Make the first: git commit")
    else:
        yield Finding("repository", "ok", "this is a git repository with commits")


def _identity(project: Path) -> Findings:
    """The identity, asked as `git commit` does, so that git's guess from the host name counts only if git would use
    it.
    """
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


def _loaded(project: Path) -> Loaded | ConfigError:
    try:
        return load_usable(project)
    except ConfigError as error:
        return error


def _settings(project: Path, loaded: Loaded | ConfigError) -> Findings:
    if isinstance(loaded, ConfigError):
        yield Finding("settings", "missing", loaded.message, loaded.hint)
        return
    files = ", ".join(str(file).removeprefix(f"{project}{os.sep}") for file in loaded.files)
    yield Finding("settings", "ok", files or "no files, only defaults", "" if files else "Write some: ralph init")
    yield from agent_findings(loaded.settings, project)
    yield from start_findings(loaded.settings, project)


def _session() -> Findings:
    """Whether an agent started ralph. The variables of its session are hidden from the agents that ralph starts."""
    if marks := [name for name in SESSION_MARKS if os.environ.get(name)]:
        detail = f"started inside another agent's session ({', '.join(marks)})"
        yield Finding("session", "note", detail, "Agents that ralph starts do not see these variables.")


def _sandboxes(loaded: Loaded | ConfigError, switches: Path) -> Findings:
    """One finding for each kind of sandbox if the settings ask for a sandbox; otherwise one line about all of them."""
    found = [*_bwrap(switches), *_docker_sandbox(), *_sbx()]
    if not isinstance(loaded, ConfigError) and loaded.settings.sandbox not in (None, "none"):
        yield from found
        return
    here = [f"{each.name} ({each.detail})" for each in found if each.status != "missing"]
    absent = [each.name for each in found if each.status == "missing"]
    parts = ["none is asked for", *here, *([f"not here: {', '.join(absent)}"] if absent else [])]
    yield Finding("sandboxes", "note", "; ".join(parts))


def _bwrap(switches: Path) -> Findings:
    if not shutil.which("bwrap"):
        yield Finding("bwrap", "missing", "not on PATH", "For a sandbox on Linux install bubblewrap.")
        return
    tried = ask(["bwrap", "--ro-bind", "/", "/", "--unshare-user", "true"])
    version = ask(["bwrap", "--version"])
    named = version.line.removeprefix("bubblewrap ") if version.code == 0 else "of an unknown version"
    if tried.code == 0:
        yield Finding("bwrap", "ok", f"{named}, works")
    else:
        yield Finding("bwrap", "warning", f"{named}, but {complaint(tried)}", _namespaces_hint(switches))


def _namespaces_hint(switches: Path) -> str:
    """The switch that forbids user namespaces here, with the command that sets it."""
    for switch, forbids, allows in SWITCHES:
        try:
            is_set = switches.joinpath(*switch.split(".")).read_text().strip() == forbids
        except OSError:
            continue
        if is_set:
            return f"{switch} is {forbids}, which forbids user namespaces. Allow them: sudo sysctl {switch}={allows}"
    return "This system may forbid user namespaces: see kernel.unprivileged_userns_clone and AppArmor."


def _docker_sandbox() -> Findings:
    if not shutil.which("docker"):
        yield Finding("docker sandbox", "missing", "docker is not on PATH", "Install Docker Desktop, or use sbx.")
        return
    tried = ask(["docker", "sandbox", "version"])
    if tried.code == 0:
        yield Finding("docker sandbox", "ok", tried.line)
    else:
        hint = "Docker Desktop brings it; its successor is sbx."
        yield Finding("docker sandbox", "missing", f"docker is here, but {complaint(tried)}", hint)


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
        yield Finding(
            "disk", "warning", f"only {free >> 20} MiB free in {standing}", "Free some space: agents write a lot."
        )


def _sqlite() -> Findings:
    from ralph.store.health import sqlite_health

    health = sqlite_health()
    yield Finding("sqlite", "ok" if health.is_good else "missing", health.detail, health.hint)


def _database() -> Findings:
    from ralph.store.health import database_health

    health = database_health(os.environ, PATIENCE)
    yield Finding("database", "ok" if health.is_good else "missing", health.detail, health.hint)


def _version(name: str, argv: list[str], failed: Status = "warning") -> Findings:
    said = ask(argv)
    if said.code == 0:
        yield Finding(name, "ok", f"{said.line or 'no version'} ({shutil.which(argv[0])})")
    else:
        hint = f"Try it by hand: {' '.join(argv)}"
        yield Finding(name, failed, f"found at {shutil.which(argv[0])}, but {complaint(said)}", hint)


def _ask_git(project: Path, *arguments: str) -> Answer:
    # Ralph reads git's messages, so they must not be translated.
    return ask(["git", "-C", str(project), *arguments], {**os.environ, "LC_ALL": "C"})
