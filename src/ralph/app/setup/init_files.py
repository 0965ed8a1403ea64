"""The files of `ralph init`: settings that are written completely or not at all, and what git must ignore."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ralph.app.setup.init_permissions import permissions_line
from ralph.config.check import checked
from ralph.config.merge import merge
from ralph.config.project import repository_above
from ralph.config.read import read_settings
from ralph.config.redact import redacted
from ralph.model.errors import ConfigError
from ralph.store.files import replace_file

SETTINGS = ".ralph/settings.json"
LOCAL_SETTINGS = ".ralph/settings.local.json"

# The first line is for a folder that an earlier line ignores: git reads no ignored folder.
IGNORED_STATE = (
    "# ralph: settings and specs are shared, the rest is local",
    "!/.ralph/",
    "/.ralph/*",
    "!/.ralph/settings.json",
    "!/.ralph/config.yaml",
    "!/.ralph/specs/",
)


def refuse_existing(project: Path) -> None:
    if os.path.lexists(project / SETTINGS):
        raise ConfigError(f"{SETTINGS} exists already.", "Overwrite it with --force.")


def shown_settings(project: Path) -> str:
    """The existing settings and where they came from; a file that cannot be read is reported, and not fatal."""
    try:
        base = read_settings(project / SETTINGS, SETTINGS)
        if base is None:
            return ""
        local = read_settings(project / LOCAL_SETTINGS, LOCAL_SETTINGS)
    except ConfigError as error:
        return str(error)
    overlay = "" if local is None else f" (with local overlay from {Path(LOCAL_SETTINGS).name})"
    return f"{_pretty(redacted(merge(base, local or {})))}\nLoaded from {SETTINGS}{overlay}"


def create(project: Path, settings: dict[str, Any]) -> Iterator[str]:
    """Write the settings and what git must ignore; report each thing once it is done."""
    line = permissions_line(checked(settings, "the new settings"))
    _write(project / SETTINGS, f"{_pretty(settings)}\n".encode(), SETTINGS)
    yield f"Settings written to {SETTINGS}"
    yield line
    if _ignore_state(project):
        yield "Added ralph's state to .gitignore"
    tag = f"<response>{settings['completionResponse']}</response>"
    yield f'Next: ralph doctor, then ralph run -p "what to do. When it is done, end with {tag}"'


def _ignore_state(project: Path) -> bool:
    if not repository_above(project):
        return False
    path = project / ".gitignore"
    before = _read(path)
    # It is an iterator: each line is searched after the one before it, because their order decides.
    lines = iter(before.decode(errors="replace").splitlines())
    if all(line in lines for line in IGNORED_STATE):
        return False
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    gap = newline if before and not before.endswith(b"\n") else b""
    added = b"".join(line.encode() + newline for line in IGNORED_STATE)
    _write(path, before + gap + added, ".gitignore")
    return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ConfigError(f"cannot read {path.name}: {error.strerror}.", "Make it readable.") from error


def _write(path: Path, content: bytes, name: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise _cannot_write(name, str(error.strerror)) from error


def refuse_read_only(project: Path) -> None:
    """Refuse a read-only project before the questions, not after them."""
    folder = (project / SETTINGS).parent
    if not os.access(folder if folder.exists() else project, os.W_OK):
        raise _cannot_write(SETTINGS, "the directory is read-only")


def _cannot_write(name: str, why: str) -> ConfigError:
    return ConfigError(f"cannot write {name}: {why}.", "Run ralph init where you may write.")


def _pretty(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=2, ensure_ascii=False)
