"""The settings of a repository that decide where git pushes to and fetches from, and which programs it starts for that.

An agent can write them into the repository's own files, for ralph to use later. They are read without starting git: a
run reads them when it begins.
"""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from ralph.config.project import repository_above
from ralph.config.read import LARGEST
from ralph.config.redact import MASK, mask_text
from ralph.git.config_text import settings_in

FILE = ".git/config"
DECIDES = re.compile(
    r"core\.(sshcommand|gitproxy|askpass|alternaterefscommand)"
    r"|(credential|http|url|protocol|ssh|gpg|alias|include|includeif)\..*"
    r"|remote\..*\.(url|pushurl|receivepack|uploadpack|proxy|vcs|mirror)"
    r"|push\.(gpgsign|recursesubmodules)",
    re.DOTALL,
)
INCLUDES = re.compile(r"include(if\..*)?\.path", re.DOTALL)
SIZE = "its size"
"""The name under which the unread rest of a file that is too large is recorded."""
LONGEST = 80
DIGEST = 12

Read = Callable[[Path], bytes | None]
"""The content of a regular file; None if there is none."""


def remote_settings(project: Path, read: Read) -> bytes:
    """The settings in the repository's files, in one form for the same settings. Logins are only a digest in it."""
    found: dict[str, list[str]] = {}
    for file in _files(project, read):
        text = read(file) or b""
        if len(text) > LARGEST:
            found[SIZE] = ["too large to read"]
        for name, value in settings_in(text.decode(errors="backslashreplace")):
            if DECIDES.fullmatch(name):
                found.setdefault(name, []).append(_without_secrets(value))
            if INCLUDES.fullmatch(name):
                content = read(file.parent / os.path.expanduser(value)) or b""  # noqa: PTH111 - it may be no path at all
                found[name].append(_digest(content))
    return msgspec.json.encode(dict(sorted(found.items())))


def differences(before: bytes | None, now: bytes | None) -> dict[str, str]:
    """What changed, by the name of each setting."""
    old, new = _read(before), _read(now)
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return {name: f"{name} {_shown(old.get(name))} → {_shown(new.get(name))}" for name in names}


def undoing(name: str, before: bytes | None) -> str:
    """The command that undoes the change of a setting."""
    if name == SIZE:
        return f"look into {FILE}"
    values = _read(before).get(name)
    if values is None:
        return f"git config --unset-all {shlex.quote(name)}"
    if MASK in values[-1]:
        return f"set {name} as it was"
    return f"git config --replace-all {shlex.quote(name)} {shlex.quote(values[-1])}"


def _read(data: bytes | None) -> dict[str, list[str]]:
    return msgspec.json.decode(data or b"{}", type=dict[str, list[str]])


def _files(project: Path, read: Read) -> Iterator[Path]:
    top = repository_above(project)
    if top is None:
        return
    own = top / ".git"
    if not own.is_dir():
        own = top / _path_in(own, read).removeprefix("gitdir:").strip()
    yield own / _path_in(own / "commondir", read) / "config"
    yield own / "config.worktree"


def _path_in(file: Path, read: Read) -> str:
    return os.fsdecode(read(file) or b"").strip().replace("\0", "")


def _without_secrets(value: str) -> str:
    masked = mask_text(value)
    return value if masked == value else f"{masked} ({_digest(value.encode(errors='replace'))})"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGEST]


def _shown(values: list[str] | None) -> str:
    if values is None:
        return "(not set)"
    text = json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
