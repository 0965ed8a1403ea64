"""What this machine and this project already have: agents on PATH, and the commands that test and lint the project."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from ralph.agents.registry import PROGRAMS

KNOWN_AGENTS = PROGRAMS
LONGEST_FILE = 1 << 20
"""A build file is read up to this many bytes."""

# The names before the colon of a rule (`test check: build`), not those of an assignment (`test := 1`).
MAKE_RULE = r"^([\w.-][\w. \t-]*):{1,2}(?![:=])"
JUST_RECIPE = r"^@?([\w-]+)(?:[ \t][^:\n]*)?:(?!=)"

Kind = Literal["lint", "test"]


class Command(NamedTuple):
    kind: Kind
    line: str


Finder = Callable[[Path], Iterator[Command]]


def installed_agents(path: str | None = None) -> list[str]:
    """The known agents on PATH, the most common first."""
    return [name for name in KNOWN_AGENTS if shutil.which(name, path=path)]


def guardrails(project: Path) -> list[str]:
    """The commands that lint and test this project, linters first.

    A Makefile or justfile speaks for the whole project: what it lints or tests is not looked for again in the
    languages' own files.
    """
    found = _task_runner(project)
    covered = {command.kind for command in found}
    for finder in LANGUAGES:
        found += [command for command in finder(project) if command.kind not in covered]
    ordered = sorted(found, key=lambda command: command.kind)
    return list(dict.fromkeys(command.line for command in ordered))


def _task_runner(project: Path) -> list[Command]:
    for runner, names, rule in (
        ("make", ("GNUmakefile", "makefile", "Makefile"), MAKE_RULE),
        ("just", ("justfile", "Justfile", ".justfile"), JUST_RECIPE),
    ):
        text = next(filter(None, (_text(project / name) for name in names)), "")
        targets = {name for names in re.findall(rule, text, re.MULTILINE) for name in names.split()}
        if commands := list(_of_targets(runner, targets)):
            return commands
    return []


def _of_targets(runner: str, targets: set[str]) -> Iterator[Command]:
    """`check` usually runs the other two, so it is taken only where one of them is missing."""
    kinds: tuple[Kind, ...] = ("lint", "test")
    for kind in kinds:
        if kind in targets:
            yield Command(kind, f"{runner} {kind}")
        elif "check" in targets:
            yield Command(kind, f"{runner} check")


def _javascript(project: Path) -> Iterator[Command]:
    package = _json(project / "package.json")
    manager = _package_manager(project, package)
    return _of_scripts(f"{manager} run", _table(package, "scripts"))


def _php(project: Path) -> Iterator[Command]:
    scripts = _table(_json(project / "composer.json"), "scripts")
    yield from _of_scripts("composer run", scripts)
    if "test" not in scripts and _any(project, "phpunit.xml", "phpunit.xml.dist"):
        yield Command("test", "vendor/bin/phpunit")


def _of_scripts(runner: str, scripts: dict[str, Any]) -> Iterator[Command]:
    kinds: dict[str, Kind] = {"lint": "lint", "typecheck": "lint", "type-check": "lint", "test": "test"}
    for name, kind in kinds.items():
        # What `npm init` writes in place of a test always fails.
        if name in scripts and "no test specified" not in str(scripts[name]):
            yield Command(kind, f"{runner} {name}")


def _package_manager(project: Path, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in {"npm", "pnpm", "yarn", "bun"}:
        return named
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
    return next((manager for lock, manager in locks.items() if _any(project, lock)), "npm")


def _python(project: Path) -> Iterator[Command]:
    pyproject = _toml(project / "pyproject.toml")
    tools = _table(pyproject, "tool")
    setup_cfg, tox_ini = _text(project / "setup.cfg"), _text(project / "tox.ini")
    prefix = _python_prefix(project)
    for tool, line, files in (
        ("ruff", "ruff check", ("ruff.toml", ".ruff.toml")),
        ("flake8", "flake8", (".flake8",)),
        ("mypy", "mypy .", ("mypy.ini", ".mypy.ini")),
        ("basedpyright", "basedpyright", ()),
        ("pyright", "pyright", ("pyrightconfig.json",)),
    ):
        if tool in tools or _any(project, *files) or f"[{tool}]" in setup_cfg + tox_ini:
            yield Command("lint", prefix + line)
    sections = "[tool:pytest]" in setup_cfg or "[pytest]" in tox_ini
    if "pytest" in tools or sections or _any(project, "pytest.ini") or _wants_pytest(pyproject):
        yield Command("test", f"{prefix}pytest")
    elif tox_ini or "tox" in tools:
        yield Command("test", f"{prefix}tox")
    elif _any(project, "noxfile.py"):
        yield Command("test", f"{prefix}nox")
    elif _any(project, "manage.py"):
        yield Command("test", f"{prefix}python manage.py test")


def _python_prefix(project: Path) -> str:
    locks = {"uv.lock": "uv run ", "poetry.lock": "poetry run ", "pdm.lock": "pdm run ", "Pipfile": "pipenv run "}
    return next((prefix for lock, prefix in locks.items() if _any(project, lock)), "")


def _wants_pytest(pyproject: dict[str, Any]) -> bool:
    project, tools = _table(pyproject, "project"), _table(pyproject, "tool")
    declared = (
        project.get("dependencies"),
        project.get("optional-dependencies"),
        pyproject.get("dependency-groups"),
        tools.get("poetry"),
        tools.get("uv"),
    )
    return bool(re.search(r"""['"]pytest\b(?!-)""", str(declared)))


def _rust(project: Path) -> Iterator[Command]:
    if _any(project, "Cargo.toml"):
        yield Command("lint", "cargo clippy --all-targets -- -D warnings")
        yield Command("test", "cargo test")


def _go(project: Path) -> Iterator[Command]:
    if _any(project, "go.mod", "go.work"):
        configured = _any(project, ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
        yield Command("lint", "golangci-lint run" if configured else "go vet ./...")
        yield Command("test", "go test ./...")


def _jvm(project: Path) -> Iterator[Command]:
    if _any(project, "pom.xml"):
        yield Command("test", f"{'./mvnw' if _any(project, 'mvnw') else 'mvn'} test")
    elif _any(project, "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
        yield Command("test", f"{'./gradlew' if _any(project, 'gradlew') else 'gradle'} test")


def _elixir(project: Path) -> Iterator[Command]:
    if mix := _text(project / "mix.exs"):
        yield Command("lint", "mix credo" if ":credo" in mix else "mix format --check-formatted")
        yield Command("test", "mix test")


def _ruby(project: Path) -> Iterator[Command]:
    gemfile, rakefile = _text(project / "Gemfile"), _text(project / "Rakefile")
    prefix = "bundle exec " if gemfile else ""
    if _any(project, ".rubocop.yml"):
        yield Command("lint", f"{prefix}rubocop")
    if _any(project, ".rspec") or "rspec" in gemfile:
        yield Command("test", f"{prefix}rspec")
    elif gemfile and _any(project, "bin/rails"):
        yield Command("test", "bin/rails test")
    elif re.search(r"TestTask|task[ (]+:?[\"']?test\b", rakefile):
        yield Command("test", f"{prefix}rake test")


def _dotnet(project: Path) -> Iterator[Command]:
    if any(project.glob("*.sln")) or any(project.glob("*.csproj")):
        yield Command("test", "dotnet test")


LANGUAGES: tuple[Finder, ...] = (_javascript, _python, _rust, _go, _jvm, _elixir, _ruby, _php, _dotnet)


def _any(project: Path, *names: str) -> bool:
    return any(_is_file(project / name) for name in names)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _text(path: Path) -> str:
    """What cannot be read detects nothing: a default that is not offered is no reason to stop."""
    try:
        # Opening a pipe of that name would wait for its writer.
        if not _is_file(path):
            return ""
        with path.open("rb") as file:
            return file.read(LONGEST_FILE).decode(errors="replace")
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    import json

    try:
        return _as_table(json.loads(_text(path) or "{}"))
    except (ValueError, RecursionError):
        return {}


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):
        return {}


def _table(parent: dict[str, Any], key: str) -> dict[str, Any]:
    return _as_table(parent.get(key))


def _as_table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
