"""A CODEX_HOME for one run: the user's login and settings as links, and ralph's hooks beside them.

Codex reads hooks only from its home, and ralph's hooks do not belong in the user's. What Codex records about a session
goes into the home of the run; of the user's own files it can only renew the login, as it always does.
"""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ralph.store.files import replace_file

HOOKS, CONFIG, LOGIN = "hooks.json", "config.toml", "auth.json"
LINKED = (
    *(LOGIN, ".credentials.json", CONFIG, "*.config.toml", "AGENTS.md", "AGENTS.override.md"),
    *("prompts/*", "rules/*", "skills/*", "plugins/*"),
)
"""The user's settings and logins. Everything else is the state of sessions, and each run has its own."""
IN_PLUGIN = re.compile(r'"\$\{CLAUDE_PLUGIN_ROOT\}/([^"]+)"')
KEYRING = ("keyring", "auto")
TEMPORARY = "/tmp"  # noqa: S108 - only looked at


def user_home(environ: Mapping[str, str]) -> Path:
    """The folder of the user's own Codex files."""
    return Path(environ.get("CODEX_HOME") or Path(environ.get("HOME") or Path.home(), ".codex"))


def keeps_login_elsewhere(environ: Mapping[str, str]) -> bool:
    """Whether the login is in the keyring. It is stored under the path of the home: another home would not find it."""
    home = user_home(environ)
    store = _settings(home).get("cli_auth_credentials_store")
    return store in KEYRING and not (home / LOGIN).exists()


def is_temporary(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether the home is below the folder for temporary files, where Codex's own sandbox fails silently."""
    found = os.path.realpath(folder)
    return any(
        found.startswith(os.path.realpath(each) + "/") for each in (TEMPORARY, environ.get("TMPDIR") or TEMPORARY)
    )


def make_home(home: Path, plugin: Path, environ: Mapping[str, str]) -> None:
    """Create or reset the home, whatever an agent did to it before."""
    if home.is_symlink() or (home.exists() and not home.is_dir()):
        home.unlink()
    home.mkdir(mode=0o700, exist_ok=True)
    home.chmod(0o700)
    users = user_home(environ)
    for source in (found for pattern in LINKED for found in users.glob(pattern)):
        _link(home / source.relative_to(users), source.absolute())
    replace_file(home / HOOKS, json.dumps({"hooks": _hooks(plugin, users)}, indent=1).encode())


def _link(link: Path, source: Path) -> None:
    if link.is_symlink() and link.readlink() == source:
        return
    # Folders belong to the run, so that what Codex adds to them, such as the skills that it ships, is removed with it.
    link.parent.mkdir(exist_ok=True)
    if link.is_symlink() or not link.is_dir():
        link.unlink(missing_ok=True)
        link.symlink_to(source)


def _hooks(plugin: Path, users: Path) -> dict[str, list[Any]]:
    """The plugin's hooks, after those that the user trusts in the user's own home."""
    text = (plugin / "hooks" / HOOKS).read_text(encoding="utf-8")
    own: dict[str, list[Any]] = json.loads(text)["hooks"]
    for group in (group for groups in own.values() for group in groups):
        for hook in group["hooks"]:
            hook["command"] = IN_PLUGIN.sub(lambda found: shlex.quote(str(plugin / found[1])), hook["command"])
    trusted = _trusted(users)
    return {event: [*trusted.get(event, []), *own.get(event, [])] for event in {**trusted, **own}}


def _trusted(users: Path) -> dict[str, list[Any]]:
    """The user's hooks that Codex would run: trusted and not disabled."""
    try:
        given: dict[str, list[Any]] = json.loads((users / HOOKS).read_text(encoding="utf-8"))["hooks"]
        states: dict[str, Any] = _settings(users).get("hooks", {}).get("state", {})
        return {event: list(_trusted_groups(event, groups, users, states)) for event, groups in given.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Codex itself reports what is wrong with it when the user starts it.
        return {}


def _trusted_groups(event: str, groups: list[Any], users: Path, states: Mapping[str, Any]) -> Iterator[Any]:
    name = re.sub("(?<!^)(?=[A-Z])", "_", event).lower()
    for number, group in enumerate(groups):
        hooks = [
            hook
            for place, hook in enumerate(group["hooks"])
            if _is_trusted(states.get(f"{users / HOOKS}:{name}:{number}:{place}"))
        ]
        if hooks:
            yield {**group, "hooks": hooks}


def _is_trusted(state: Any) -> bool:
    return bool(state and state.get("trusted_hash") and state.get("enabled", True))


def _settings(home: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((home / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
