"""The programs that the checks start and the user's settings that they read, before the agent first runs and now."""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

from ralph.model.proof import Finding

USUAL = (
    *("sh", "bash", "env", "make", "just", "task", "git"),
    *("python", "python3", "pytest", "tox", "nox", "uv", "poetry", "ruff", "mypy", "coverage"),
    *("node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "jest", "vitest", "mocha", "tsc", "eslint"),
    *("go", "cargo", "rustc", "mvn", "gradle", "java", "ruby", "rake", "rspec", "php", "phpunit", "dotnet"),
)
"""The programs that scripts and Makefiles start, although no check names them."""
USER_SETTINGS = (
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/go/env", ".cargo/config", ".cargo/config.toml"),
    *(
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "conftest.py",
    ),
    *(".mypy.ini", ".config/mypy/config", ".config/ruff/*.toml", ".config/flake8", ".pylintrc", ".pydistutils.cfg"),
    *(".local/lib/python*/site-packages/*customize.py", ".local/lib/python*/site-packages/*.pth"),
    *(".rspec", ".rubocop.yml", ".mavenrc", ".m2/settings.xml", ".gradle/init.gradle", ".gradle/gradle.properties"),
)
"""The settings that runners and linters read in the home directory, or above a checkout that is in it."""
IN_HOME = "~/"
SEARCHED = "$PATH"
"""The name under which the folders that were searched are kept."""
WORD = re.compile(r"[\w.+-]+")
LARGEST = 4 << 20
"""Above this many bytes, size and time of the last change are used instead of a program's content."""


def programs_of(commands: Iterable[str], env: Mapping[str, str]) -> dict[str, str]:
    """The path of each program or settings file and its digest, by name."""
    path = env.get("PATH", os.defpath)
    names = {*USUAL, *(word for command in commands for word in WORD.findall(command))}
    found = {name: shutil.which(name, path=path) for name in sorted(names)}
    programs = {name: f"{where}\n{_digest(Path(where))}" for name, where in found.items() if where}
    return programs | {SEARCHED: path} | _settings_in(env.get("HOME", ""))


def _settings_in(home: str) -> dict[str, str]:
    files = [file for pattern in USER_SETTINGS for file in sorted(Path(home).glob(pattern))] if home else []
    return {f"{IN_HOME}{file.relative_to(home)}": f"{file}\n{_digest(file)}" for file in files}


def replaced(before: Mapping[str, str], now: Mapping[str, str], inside: Iterable[Path] = ()) -> list[Finding]:
    """The programs and settings that were replaced since the agent first ran, and programs inside a checked tree."""
    folders = [f"{os.path.realpath(each)}{os.sep}" for each in inside]
    if SEARCHED in before and before[SEARCHED] != now.get(SEARCHED):
        # No agent can change the PATH of ralph, so a person resumed the run elsewhere, such as in another terminal.
        settings = {name: seen for name, seen in now.items() if name.startswith(IN_HOME)}
        others = sorted(name for name in now.keys() - settings.keys() - {SEARCHED} if _is_other(name, before, now))
        return [*_compared_all(before, settings, folders), *([_searched_elsewhere(others)] if others else [])]
    return _compared_all(before, {name: seen for name, seen in now.items() if name != SEARCHED}, folders)


def _compared_all(before: Mapping[str, str], now: Mapping[str, str], folders: Iterable[str]) -> list[Finding]:
    found = (_compared(name, before.get(name, ""), seen, folders) for name, seen in now.items())
    return [each for each in found if each]


def _is_other(name: str, before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether it is another program, and not the same one in another place."""
    return before.get(name, "").partition("\n")[2] != now[name].partition("\n")[2]


def _searched_elsewhere(names: list[str]) -> Finding:
    others = ", ".join(names)
    return Finding("path-shim", "warn", f"PATH differs from the start of the run, and leads to another {others}")


def _compared(name: str, before: str, now: str, folders: Iterable[str]) -> Finding | None:
    where, _, digest = now.partition("\n")
    known, _, old = before.partition("\n")
    is_setting = name.startswith(IN_HOME)
    is_inside = any(os.path.realpath(where).startswith(folder) for folder in folders)
    if is_setting and is_inside:
        return None  # The home directory is the project, so its files belong to the change.
    if known and known != where:
        return Finding("path-shim", "block", f"{name} was {known} before the agent ran and is {where} now", where)
    if known and old != digest:
        return Finding("path-shim", "warn", f"{name} ({where}) was changed since the run began", where)
    if is_setting and not known:
        return Finding("path-shim", "warn", f"{name} did not exist when the run began", where)
    if not known and is_inside:
        return Finding("path-shim", "block", f"{name} is found inside the checked files: {where}", where)
    return None


def _digest(program: Path) -> str:
    try:
        facts = program.stat()
        if facts.st_size > LARGEST:
            return f"{facts.st_size}-{facts.st_mtime_ns}"
        return blake2b(program.read_bytes(), digest_size=12).hexdigest()
    except OSError:
        return ""
