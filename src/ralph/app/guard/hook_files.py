"""The settings files in which Claude Code and Codex keep their hooks."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from ralph.agents.registry import find
from ralph.config.layers import load
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write, replace_file

Scope = Literal["project", "user"]
LARGEST = 4 << 20
ELSEWHERE = "Make it writable, or choose another place: --project, --user"


class Place(NamedTuple):
    """Where an agent keeps its hooks."""

    file: str
    folder: str
    """The folder in the project, and in the home directory unless the variable names another one."""
    variable: str


# Both keep hooks in the same form. Another agent that does is one line here.
PLACES = {
    "claude": Place("settings.json", ".claude", "CLAUDE_CONFIG_DIR"),
    "codex": Place("hooks.json", ".codex", "CODEX_HOME"),
}


class HookFile(Struct, frozen=True):
    agent: str
    path: Path
    shown: str
    """The name in messages."""


def hook_file(agent: str, scope: Scope, project: Path, environ: Mapping[str, str]) -> HookFile:
    file, folder, variable = PLACES[agent]
    if scope == "project":
        return HookFile(agent, project / folder / file, f"{folder}/{file}")
    if named := environ.get(variable):
        return HookFile(agent, Path(named).expanduser() / file, f"{named}/{file}")
    return HookFile(agent, Path(environ.get("HOME") or Path.home()) / folder / file, f"~/{folder}/{file}")


def agents_here(project: Path, environ: Mapping[str, str]) -> list[str]:
    """The agent that the settings choose, if it has hooks; otherwise those that are installed."""
    settings = load(project).settings
    named = settings.agent.command or settings.defaults.executor
    chosen = find(settings, named).adapter.name if named else ""
    if chosen in PLACES:
        return [chosen]
    found = [name for name in PLACES if shutil.which(name, path=environ.get("PATH"))]
    if not found:
        known = " and ".join(PLACES)
        raise ConfigError(f"neither of {known} is on PATH, and the settings choose neither.", "Name one: --agent NAME")
    return found


def program(environ: Mapping[str, str]) -> str:
    """How a shell starts this ralph: by its name if that is on PATH, because others share the file."""
    return (
        "ralph" if shutil.which("ralph", path=environ.get("PATH")) else shlex.quote(str(Path(sys.argv[0]).absolute()))
    )


def real_path(file: HookFile) -> Path:
    """The real path: many users keep their settings elsewhere, and link to them."""
    return Path(os.path.realpath(file.path))


def read(file: HookFile) -> str:
    try:
        with real_path(file).open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(f"cannot read {file.shown}: {error.strerror}.", ELSEWHERE) from error
    if len(data) > LARGEST:
        raise ConfigError(f"{file.shown} is larger than {LARGEST >> 20} MiB.", "Add the hook by hand.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError(f"{file.shown} is not UTF-8.", "Fix it first. Nothing was changed.") from None


def write(file: HookFile, text: str) -> None:
    path = real_path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error
