import json
import os
from pathlib import Path

import pytest

from ralph.app.setup.detect import KNOWN_AGENTS, builds, guardrails, installed_agents


def write(project: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


def executable(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def package(scripts: object, **more: object) -> str:
    return json.dumps({"name": "x", "scripts": scripts, **more})


def test_agents_on_path_are_found_in_the_known_order(tmp_path):
    for name in ("aider", "codex", "claude", "something-else"):
        executable(tmp_path / name)
    assert installed_agents(str(tmp_path)) == ["claude", "codex", "aider"]


def test_every_known_agent_can_be_found(tmp_path):
    for name in KNOWN_AGENTS:
        executable(tmp_path / name)
    assert installed_agents(str(tmp_path)) == list(KNOWN_AGENTS)


def test_a_file_that_is_not_executable_is_no_agent(tmp_path):
    (tmp_path / "claude").write_text("notes")
    assert installed_agents(str(tmp_path)) == []


def test_an_empty_project_has_no_guardrails(tmp_path):
    assert guardrails(tmp_path) == []


MAKEFILES = {
    "lint and test": ("lint:\n\truff\ntest: build\n\tpytest\n", ["make lint", "make test"]),
    "check stands in for what is missing": ("check:\n\ttrue\ntest:\n\ttrue\n", ["make check", "make test"]),
    "check alone is named once": ("check: ; true\n", ["make check"]),
    "check beside both is left out": ("lint:\ntest:\ncheck: lint test\n", ["make lint", "make test"]),
    "several targets in one rule": ("build test lint: deps\n", ["make lint", "make test"]),
    "double colon rules": ("test::\n\ttrue\n", ["make test"]),
    "assignments are no targets": ("test := 1\nlint ::= 2\ncheck = 3\n", []),
    "recipe lines and longer names are no targets": ("all:\n\ttest: x\ntest-all:\nlinter:\n", []),
    "phony declarations are no targets": (".PHONY: test lint\n", []),
}


@pytest.mark.parametrize(("text", "expected"), MAKEFILES.values(), ids=MAKEFILES)
def test_makefile(tmp_path, text, expected):
    assert guardrails(write(tmp_path, {"Makefile": text})) == expected


LANGUAGES = {
    "npm without a lock file": (
        {"package.json": package({"test": "jest", "lint": "eslint ."})},
        ["npm run lint", "npm run test"],
    ),
    "npm": ({"package.json": package({"test": "jest"}), "package-lock.json": "{}"}, ["npm run test"]),
    "pnpm": ({"package.json": package({"test": "vitest run"}), "pnpm-lock.yaml": ""}, ["pnpm run test"]),
    "yarn": ({"package.json": package({"lint": "eslint"}), "yarn.lock": ""}, ["yarn run lint"]),
    "bun": ({"package.json": package({"test": "bun test"}), "bun.lock": ""}, ["bun run test"]),
    "bun with the binary lock file": (
        {"package.json": package({"test": "bun test"}), "bun.lockb": ""},
        ["bun run test"],
    ),
    "the packageManager field wins over a lock file": (
        {"package.json": package({"test": "jest"}, packageManager="pnpm@9.1.0"), "yarn.lock": ""},
        ["pnpm run test"],
    ),
    "a type check is a linter": ({"package.json": package({"typecheck": "tsc --noEmit"})}, ["npm run typecheck"]),
    "the placeholder of npm init is no test": (
        {"package.json": package({"test": 'echo "Error: no test specified" && exit 1'})},
        [],
    ),
    "pytest by its settings": ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, ["pytest"]),
    "pytest by pytest.ini": ({"pytest.ini": "[pytest]\n"}, ["pytest"]),
    "pytest by setup.cfg": ({"setup.cfg": "[tool:pytest]\n[flake8]\n"}, ["flake8", "pytest"]),
    "pytest by a dependency": (
        {"pyproject.toml": "[project.optional-dependencies]\ntest = [\"pytest>=8; python_version > '3.9'\"]\n"},
        ["pytest"],
    ),
    "pytest by a dependency group under uv": (
        {"pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n[tool.ruff]\n', "uv.lock": ""},
        ["uv run ruff check", "uv run pytest"],
    ),
    "pytest under poetry": (
        {"pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n', "poetry.lock": ""},
        ["poetry run pytest"],
    ),
    "a plugin of pytest is not pytest": ({"pyproject.toml": '[project]\ndependencies = ["pytest-cov"]\n'}, []),
    "linters by pyproject": (
        {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.basedpyright]\n"},
        ["ruff check", "mypy .", "basedpyright"],
    ),
    "linters by their own files": (
        {"ruff.toml": "", "mypy.ini": "[mypy]\n", "pyrightconfig.json": "{}"},
        ["ruff check", "mypy .", "pyright"],
    ),
    "tox": ({"tox.ini": "[tox]\nenvlist = py311\n"}, ["tox"]),
    "tox that configures pytest": ({"tox.ini": "[tox]\n[pytest]\n"}, ["pytest"]),
    "nox": ({"noxfile.py": ""}, ["nox"]),
    "django": ({"manage.py": ""}, ["python manage.py test"]),
    "cargo": ({"Cargo.toml": "[package]\n"}, ["cargo clippy --all-targets -- -D warnings", "cargo test"]),
    "go": ({"go.mod": "module x\n"}, ["go vet ./...", "go test ./..."]),
    "go with golangci": ({"go.mod": "module x\n", ".golangci.yml": ""}, ["golangci-lint run", "go test ./..."]),
    "maven": ({"pom.xml": "<project/>"}, ["mvn test"]),
    "maven wrapper": ({"pom.xml": "<project/>", "mvnw": ""}, ["./mvnw test"]),
    "gradle": ({"build.gradle": ""}, ["gradle test"]),
    "gradle wrapper with kotlin": ({"build.gradle.kts": "", "gradlew": ""}, ["./gradlew test"]),
    "mix": ({"mix.exs": "defmodule X"}, ["mix format --check-formatted", "mix test"]),
    "mix with credo": ({"mix.exs": "{:credo, only: :dev}"}, ["mix credo", "mix test"]),
    "rspec": ({"Gemfile": "gem 'rspec'\n", ".rubocop.yml": ""}, ["bundle exec rubocop", "bundle exec rspec"]),
    "rails": ({"Gemfile": "gem 'rails'\n", "bin/rails": ""}, ["bin/rails test"]),
    "rake": ({"Rakefile": "Rake::TestTask.new\n"}, ["rake test"]),
    "rake under bundler": ({"Gemfile": "source 'x'\n", "Rakefile": "task :test do\n"}, ["bundle exec rake test"]),
    "a Rakefile without tests": ({"Rakefile": "task :build\n"}, []),
    "composer": ({"composer.json": package({"test": "phpunit"})}, ["composer run test"]),
    "phpunit": ({"phpunit.xml.dist": "<phpunit/>"}, ["vendor/bin/phpunit"]),
    "dotnet": ({"App.sln": ""}, ["dotnet test"]),
    "just with assignments": ({"justfile": 'test := "a:b"\nset shell := ["x"]\nlint := `x`\n'}, []),
    "just": ({"justfile": "test *args:\n  true\n@lint:\n  true\n"}, ["just lint", "just test"]),
}


@pytest.mark.parametrize(("files", "expected"), LANGUAGES.values(), ids=LANGUAGES)
def test_language(tmp_path, files, expected):
    assert guardrails(write(tmp_path, files)) == expected


BUILT = {
    "make": ({"Makefile": "build:\n\ttrue\n"}, ["make build"]),
    "just": ({"justfile": "build:\n  true\n"}, ["just build"]),
    "npm": ({"package.json": package({"build": "tsc"})}, ["npm run build"]),
    "pnpm": ({"package.json": package({"build": "tsc"}), "pnpm-lock.yaml": ""}, ["pnpm run build"]),
    "cargo": ({"Cargo.toml": ""}, ["cargo build"]),
    "go": ({"go.mod": ""}, ["go build ./..."]),
    "maven": ({"pom.xml": ""}, ["mvn compile"]),
    "maven wrapper": ({"pom.xml": "", "mvnw": ""}, ["./mvnw compile"]),
    "gradle": ({"build.gradle": ""}, ["gradle build"]),
    "gradle wrapper": ({"build.gradle.kts": "", "gradlew": ""}, ["./gradlew build"]),
    "mix": ({"mix.exs": "defmodule X"}, ["mix compile"]),
    "dotnet": ({"App.csproj": ""}, ["dotnet build"]),
    "several": ({"Makefile": "build:\n", "go.mod": ""}, ["make build", "go build ./..."]),
    "nothing to build": ({"Makefile": "test:\n", "package.json": package({"test": "jest"})}, []),
}


@pytest.mark.parametrize(("files", "expected"), BUILT.values(), ids=BUILT)
def test_what_builds_the_project_is_found(tmp_path, files, expected):
    assert builds(write(tmp_path, files)) == expected


@pytest.mark.parametrize("files", [files for files, _ in BUILT.values()], ids=BUILT)
def test_what_builds_the_project_is_no_guardrail(tmp_path, files):
    write(tmp_path, files)
    assert not set(builds(tmp_path)) & set(guardrails(tmp_path))


def test_two_languages_are_both_found_with_linters_first(tmp_path):
    files = {
        "package.json": package({"test": "jest", "lint": "eslint"}),
        "pyproject.toml": "[tool.ruff]\n[tool.pytest]\n",
    }
    assert guardrails(write(tmp_path, files)) == ["npm run lint", "ruff check", "npm run test", "pytest"]


def test_what_the_makefile_covers_is_not_looked_for_again(tmp_path):
    files = {"Makefile": "test:\n\tpytest\n", "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n"}
    assert guardrails(write(tmp_path, files)) == ["ruff check", "make test"]


def test_a_makefile_without_such_targets_leaves_the_word_to_the_justfile(tmp_path):
    assert guardrails(write(tmp_path, {"Makefile": "all:\n", "justfile": "test:\n"})) == ["just test"]


BROKEN = {
    "not JSON": b"{nope",
    "not UTF-8": b"\xff\xfe\x00{",
    "a list": b"[1, 2]",
    "scripts is a list": b'{"scripts": ["test"]}',
    "scripts is null": b'{"scripts": null}',
    "nested without end": b"[" * 100_000,
    "larger than what is read": b'{"scripts": {"test": "x"}, "pad": "' + b"x" * (2 << 20) + b'"}',
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_package_json_detects_nothing(tmp_path, content):
    (tmp_path / "package.json").write_bytes(content)
    assert guardrails(tmp_path) == []


def test_a_broken_pyproject_does_not_hide_the_rest(tmp_path):
    assert guardrails(write(tmp_path, {"pyproject.toml": "[tool.pytest\n", "go.mod": "module x\n"})) == [
        "go vet ./...",
        "go test ./...",
    ]


def test_a_directory_or_a_pipe_named_like_a_build_file_is_passed_over(tmp_path):
    (tmp_path / "package.json").mkdir()
    os.mkfifo(tmp_path / "Makefile")
    assert guardrails(tmp_path) == []


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({"tests/test_a.py": "def test_it(): pass\n"}, ["python3 -m pytest"]),
        ({"tests/unit/a_test.py": "import pytest\n"}, ["python3 -m pytest"]),
        ({"test_a.py": "def test_it(): pass\n"}, ["python3 -m pytest"]),
        (
            {"tests/test_a.py": "import unittest\nclass T(unittest.TestCase): pass\n"},
            ["python3 -m unittest discover -s tests"],
        ),
        ({"test_a.py": "from unittest import TestCase\n"}, ["python3 -m unittest discover"]),
        ({"a_test.py": "from unittest import TestCase\n"}, ["python3 -m unittest discover -p '*_test.py'"]),
        ({"tests/test_a.py": "import unittest\n", "tests/test_b.py": "def test_b(): pass\n"}, ["python3 -m pytest"]),
        ({"test/a.test.mjs": "import test from 'node:test'\n"}, ["node --test"]),
        ({"tests/README.md": "none yet", "a.py": "def test_like(): pass\n"}, []),
        ({"Makefile": "test:\n\ttrue\n", "tests/test_a.py": "def test_it(): pass\n"}, ["make test"]),
        ({"ruff.toml": "", "tests/test_a.py": "def test_it(): pass\n"}, ["ruff check", "python3 -m pytest"]),
    ],
)
def test_tests_without_any_configuration_are_found_by_their_files(tmp_path, files, commands):
    assert guardrails(write(tmp_path, files)) == commands
