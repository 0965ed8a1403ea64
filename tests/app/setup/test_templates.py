"""Project templates: what each gives to a project, and what it says of what is missing."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from ralph.app.setup.templates import FOLDER, fitted, read_template
from ralph.cli.setup.init import command
from ralph.config.check import checked
from ralph.testing import run_ralph, temp_repo

NAMES = next(option for option in command.params if option.name == "template").type.choices
PROJECTS = {
    "python": (
        {"pyproject.toml": "[tool.mypy]\n[tool.ruff]\n[tool.pytest.ini_options]\n", "uv.lock": ""},
        ["uv run mypy .", "uv run ruff check", "uv run pytest"],
    ),
    "node": (
        {"package.json": json.dumps({"scripts": {"lint": "eslint .", "typecheck": "tsc", "test": "x", "build": "y"}})},
        ["npm run typecheck", "npm run lint", "npm run test", "npm run build"],
    ),
    "go": ({"go.mod": "module x\n"}, ["go build ./...", "go vet ./...", "go test ./..."]),
    "rust": (
        {"Cargo.toml": "[package]\n"},
        ["cargo build", "cargo clippy --all-targets -- -D warnings", "cargo test"],
    ),
    "generic": ({"Makefile": "lint:\n\ntest:\n"}, ["make lint", "make test"]),
}


@pytest.fixture
def programs(tmp_path):
    """A PATH on which all programs of the templates are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("uv", "npm", "go", "cargo", "make", "mypy", "pytest"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


def write(tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def commands(found):
    return [step["command"] for step in found.settings.get("verification", {"steps": []})["steps"]]


def test_each_template_is_a_file_and_a_choice():
    assert sorted(NAMES) == sorted(file.stem for file in FOLDER.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_template_gives_rules_and_the_steps_of_such_a_project(name, tmp_path, programs):
    files, expected = PROJECTS[name]
    found = fitted(name, write(tmp_path, files), programs)
    assert commands(found) == expected
    assert found.told == []
    assert found.settings["rules"] == list(read_template(name).rules)
    settings = checked(found.settings, "the template")
    assert [step.required for step in settings.verification.steps].count(False) == 1
    assert len({step.name for step in settings.verification.steps}) == len(expected)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_project_gets_the_rules_and_is_told_what_is_missing(name, tmp_path, programs):
    found = fitted(name, tmp_path, programs)
    assert found.settings.keys() == {"rules"}
    assert len([line for line in found.told if line.startswith("no step ")]) == len(read_template(name).steps)
    assert (found.told[0].startswith("nothing here says")) == (name != "generic")


def test_a_step_whose_program_is_missing_is_left_out_and_told(tmp_path, programs):
    project = write(tmp_path, {"pyproject.toml": "[tool.mypy]\n[tool.pytest.ini_options]\n"})
    (Path(programs) / "mypy").unlink()
    found = fitted("python", project, programs)
    assert commands(found) == ["pytest"]
    assert "no step Type check: mypy is not on PATH" in found.told
    assert "no step Lint: the project has no lint command that uses ruff, flake8 or lint" in found.told


def test_several_commands_of_a_kind_have_names_of_their_own(tmp_path, programs):
    files = {"pyproject.toml": "[tool.mypy]\n[tool.pytest.ini_options]\n", "go.mod": "module x\n"}
    found = fitted("generic", write(tmp_path, files), programs)
    names = [step["name"] for step in found.settings["verification"]["steps"]]
    assert names == ["Lint: mypy .", "Lint: go vet ./...", "Tests: pytest", "Tests: go test ./..."]


def test_the_templates_are_in_the_package():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/ralph"]
    assert FOLDER.is_relative_to(Path(__file__).parents[3] / "src/ralph")


def test_init_writes_them_and_says_what_is_left_out(tmp_path, programs):
    repo = temp_repo(tmp_path / "r", {"pyproject.toml": "[tool.mypy]\n[tool.pytest.ini_options]\n"})
    env = {"PATH": os.pathsep.join([programs, repo.env["PATH"]])}
    done = run_ralph(repo, "init", "--yes", "--agent", "claude", "--template", "python", env=env)
    assert done.returncode == 0, done.stderr
    assert "Template python: no step Lint: the project has no lint command" in done.stdout
    settings = json.loads(repo.read(".ralph/settings.json"))
    assert settings["verification"]["steps"] == [
        {"name": "Type check", "command": "mypy ."},
        {"name": "Tests", "command": "pytest"},
    ]
    assert settings["rules"] == list(read_template("python").rules)
    assert run_ralph(repo, "config", "check", env=env).returncode == 0
    both = run_ralph(repo, "init", "--yes", "--force", "--template", "go", "--no-detect", env=env)
    assert (both.returncode, "--no-detect forbids it" in both.stderr) == (2, True)
