"""The commands that test, lint and build a project, found in the files that its tools read."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from ralph.plan.project_files import ProjectFiles, read_json, read_toml, table

# The names before the colon of a rule (`test check: build`), not those of an assignment (`test := 1`).
MAKE_RULE = r"^([\w.-][\w. \t-]*):{1,2}(?![:=])"
JUST_RECIPE = r"^@?([\w-]+)(?:[ \t][^:\n]*)?:(?!=)"

PYTHON_PROJECTS = ("pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile")
OTHER_MANAGERS = {
    "cargo": ("Cargo.toml",),
    "go modules": ("go.mod", "go.work"),
    "maven": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "bundler": ("Gemfile",),
    "composer": ("composer.json",),
    "mix": ("mix.exs",),
    "pub": ("pubspec.yaml",),
    "swift package manager": ("Package.swift",),
}

Kind = Literal["build", "lint", "test"]


class Command(NamedTuple):
    kind: Kind
    line: str


Finder = Callable[[ProjectFiles], Iterator[Command]]


def guardrails(project: ProjectFiles) -> list[str]:
    """The commands that lint and test this project, linters first."""
    return list(dict.fromkeys(command.line for command in judging_commands(project)))


def judging_commands(project: ProjectFiles) -> list[Command]:
    """The commands that lint and test this project, linters first.

    A Makefile or justfile counts for the whole project: what it lints or tests is not looked for again in the
    languages' own files.
    """
    found = _task_runner(project)
    covered = {command.kind for command in found} | {"build"}
    for finder in LANGUAGES:
        found += [command for command in finder(project) if command.kind not in covered]
    return sorted(found, key=lambda command: command.kind)


def builds(project: ProjectFiles) -> list[str]:
    """The commands that build this project: its agent needs them, but they prove nothing."""
    found = [f"{runner} build" for runner, targets in _targets(project) if "build" in targets]
    return found + [command.line for finder in LANGUAGES for command in finder(project) if command.kind == "build"]


def package_managers(project: ProjectFiles) -> list[str]:
    """The programs that install dependencies, one for each language."""
    found: list[str] = []
    if project.has("package.json"):
        found.append(_package_manager(project, read_json(project, "package.json")))
    if project.has(*PYTHON_PROJECTS):
        found.append(_python_prefix(project).partition(" ")[0] or "pip")
    for manager, names in OTHER_MANAGERS.items():
        found += [manager] if project.has(*names) else []
    return found


def _task_runner(project: ProjectFiles) -> list[Command]:
    for runner, targets in _targets(project):
        if commands := list(_of_targets(runner, targets)):
            return commands
    return []


def _targets(project: ProjectFiles) -> Iterator[tuple[str, set[str]]]:
    for runner, names, rule in (
        ("make", ("GNUmakefile", "makefile", "Makefile"), MAKE_RULE),
        ("just", ("justfile", "Justfile", ".justfile"), JUST_RECIPE),
    ):
        text = next(filter(None, (project.text(name) for name in names)), "")
        yield runner, {name for names in re.findall(rule, text, re.MULTILINE) for name in names.split()}


def _of_targets(runner: str, targets: set[str]) -> Iterator[Command]:
    """The commands for these targets. `check` usually runs the other two, so it is used only if one of them is
    missing.
    """
    kinds: tuple[Kind, ...] = ("lint", "test")
    for kind in kinds:
        if kind in targets:
            yield Command(kind, f"{runner} {kind}")
        elif "check" in targets:
            yield Command(kind, f"{runner} check")


def _javascript(project: ProjectFiles) -> Iterator[Command]:
    package = read_json(project, "package.json")
    manager = _package_manager(project, package)
    return _of_scripts(f"{manager} run", table(package, "scripts"))


def _php(project: ProjectFiles) -> Iterator[Command]:
    scripts = table(read_json(project, "composer.json"), "scripts")
    yield from _of_scripts("composer run", scripts)
    if "test" not in scripts and project.has("phpunit.xml", "phpunit.xml.dist"):
        yield Command("test", "vendor/bin/phpunit")


def _of_scripts(runner: str, scripts: dict[str, Any]) -> Iterator[Command]:
    kinds: dict[str, Kind] = {
        "lint": "lint",
        "typecheck": "lint",
        "type-check": "lint",
        "test": "test",
        "build": "build",
    }
    for name, kind in kinds.items():
        # The test script that `npm init` writes always fails.
        if name in scripts and "no test specified" not in str(scripts[name]):
            yield Command(kind, f"{runner} {name}")


def _package_manager(project: ProjectFiles, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in {"npm", "pnpm", "yarn", "bun"}:
        return named
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
    return next((manager for lock, manager in locks.items() if project.has(lock)), "npm")


def _python(project: ProjectFiles) -> Iterator[Command]:
    pyproject = read_toml(project, "pyproject.toml")
    tools = table(pyproject, "tool")
    setup_cfg, tox_ini = project.text("setup.cfg"), project.text("tox.ini")
    prefix = _python_prefix(project)
    for tool, line, files in (
        ("ruff", "ruff check", ("ruff.toml", ".ruff.toml")),
        ("flake8", "flake8", (".flake8",)),
        ("mypy", "mypy .", ("mypy.ini", ".mypy.ini")),
        ("basedpyright", "basedpyright", ()),
        ("pyright", "pyright", ("pyrightconfig.json",)),
    ):
        if tool in tools or project.has(*files) or f"[{tool}]" in setup_cfg + tox_ini:
            yield Command("lint", prefix + line)
    sections = "[tool:pytest]" in setup_cfg or "[pytest]" in tox_ini
    if "pytest" in tools or sections or project.has("pytest.ini") or _wants_pytest(pyproject):
        yield Command("test", f"{prefix}pytest")
    elif tox_ini or "tox" in tools:
        yield Command("test", f"{prefix}tox")
    elif project.has("noxfile.py"):
        yield Command("test", f"{prefix}nox")
    elif project.has("manage.py"):
        yield Command("test", f"{prefix}python manage.py test")


def _python_prefix(project: ProjectFiles) -> str:
    locks = {"uv.lock": "uv run ", "poetry.lock": "poetry run ", "pdm.lock": "pdm run ", "Pipfile": "pipenv run "}
    return next((prefix for lock, prefix in locks.items() if project.has(lock)), "")


def _wants_pytest(pyproject: dict[str, Any]) -> bool:
    project, tools = table(pyproject, "project"), table(pyproject, "tool")
    declared = (
        project.get("dependencies"),
        project.get("optional-dependencies"),
        pyproject.get("dependency-groups"),
        tools.get("poetry"),
        tools.get("uv"),
    )
    return bool(re.search(r"""['"]pytest\b(?!-)""", str(declared)))


def _rust(project: ProjectFiles) -> Iterator[Command]:
    if project.has("Cargo.toml"):
        yield Command("lint", "cargo clippy --all-targets -- -D warnings")
        yield Command("test", "cargo test")
        yield Command("build", "cargo build")


def _go(project: ProjectFiles) -> Iterator[Command]:
    if project.has("go.mod", "go.work"):
        configured = project.has(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
        yield Command("lint", "golangci-lint run" if configured else "go vet ./...")
        yield Command("test", "go test ./...")
        yield Command("build", "go build ./...")


def _jvm(project: ProjectFiles) -> Iterator[Command]:
    if project.has("pom.xml"):
        maven = "./mvnw" if project.has("mvnw") else "mvn"
        yield from (Command("test", f"{maven} test"), Command("build", f"{maven} compile"))
    elif project.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
        gradle = "./gradlew" if project.has("gradlew") else "gradle"
        yield from (Command("test", f"{gradle} test"), Command("build", f"{gradle} build"))


def _elixir(project: ProjectFiles) -> Iterator[Command]:
    if mix := project.text("mix.exs"):
        yield Command("lint", "mix credo" if ":credo" in mix else "mix format --check-formatted")
        yield Command("test", "mix test")
        yield Command("build", "mix compile")


def _ruby(project: ProjectFiles) -> Iterator[Command]:
    gemfile, rakefile = project.text("Gemfile"), project.text("Rakefile")
    prefix = "bundle exec " if gemfile else ""
    if project.has(".rubocop.yml"):
        yield Command("lint", f"{prefix}rubocop")
    if project.has(".rspec") or "rspec" in gemfile:
        yield Command("test", f"{prefix}rspec")
    elif gemfile and project.has("bin/rails"):
        yield Command("test", "bin/rails test")
    elif re.search(r"TestTask|task[ (]+:?[\"']?test\b", rakefile):
        yield Command("test", f"{prefix}rake test")


def _dotnet(project: ProjectFiles) -> Iterator[Command]:
    if project.has_ending(".sln", ".csproj"):
        yield Command("test", "dotnet test")
        yield Command("build", "dotnet build")


LANGUAGES: tuple[Finder, ...] = (_javascript, _python, _rust, _go, _jvm, _elixir, _ruby, _php, _dotnet)
