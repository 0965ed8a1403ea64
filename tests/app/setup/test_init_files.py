import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from ralph.agents.registry import split_flags
from ralph.app.setup.init import Detected, without_questions
from ralph.app.setup.init_files import IGNORED_STATE, create
from ralph.config.layers import load
from ralph.model.errors import ConfigError

SETTINGS = without_questions(
    agent="claude",
    flags=["--model opus"],
    maximum=None,
    completion=None,
    guardrails=["make tést"],
    scm_command=None,
    scm_tasks=(),
    permissions=None,
    detected=Detected(),
)
PERMISSIONS = (
    "Permissions: claude may edit the project's files and run make tést; every other request is denied "
    "(--permission-mode, --allowedTools)."
)
BLOCK = "".join(f"{line}\n" for line in IGNORED_STATE)


@pytest.fixture
def repository(tmp_path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def ignored(project: Path, name: str) -> bool:
    command = ["git", "-C", project, "-c", f"core.excludesFile={os.devnull}", "check-ignore", "-q", name]
    return subprocess.run(command, check=False).returncode == 0


def written(project: Path) -> list[str]:
    return list(create(project, SETTINGS))


def test_settings_are_pretty_json_with_a_final_newline(tmp_path):
    written(tmp_path)
    text = (tmp_path / ".ralph/settings.json").read_text()
    assert text.startswith('{\n  "maximumIterations": 10,\n  "completionResponse": "DONE",\n')
    assert text.endswith("}\n")
    assert "make tést" in text
    assert json.loads(text) == SETTINGS


def test_the_written_settings_are_what_ralph_loads(tmp_path):
    written(tmp_path)
    settings = load(tmp_path, environ={"RALPH_HOME": str(tmp_path / "home")}).settings
    assert settings.agent.command == "claude"
    assert split_flags(settings.agent.flags) == [
        *("--model", "opus", "--permission-mode", "acceptEdits", "--allowedTools", "Bash(make tést:*)")
    ]
    assert [guardrail.command for guardrail in settings.guardrails] == ["make tést"]


def test_each_thing_done_is_told_with_the_next_step(repository):
    assert written(repository) == [
        "Settings written to .ralph/settings.json",
        PERMISSIONS,
        "Added ralph's state to .gitignore",
        ('Next: ralph doctor, then ralph run -p "what to do. When it is done, end with <response>DONE</response>"'),
    ]


def test_nothing_but_the_settings_lies_in_the_folder(tmp_path):
    written(tmp_path)
    assert [path.name for path in (tmp_path / ".ralph").iterdir()] == ["settings.json"]


def test_existing_settings_are_replaced_and_keep_their_permissions(tmp_path):
    target = tmp_path / ".ralph/settings.json"
    target.parent.mkdir()
    target.write_text("x" * 100_000)
    target.chmod(0o600)
    written(tmp_path)
    assert json.loads(target.read_text()) == SETTINGS
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_is_replaced_and_what_it_points_to_is_left_alone(tmp_path):
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "precious").write_text("keep")
    (tmp_path / ".ralph/settings.json").symlink_to(tmp_path / "precious")
    written(tmp_path)
    assert (tmp_path / "precious").read_text() == "keep"
    assert json.loads((tmp_path / ".ralph/settings.json").read_text()) == SETTINGS


@pytest.mark.parametrize("agent", ["", "   ", "a\0b"])
def test_invalid_settings_are_refused_before_anything_is_written(repository, agent):
    with pytest.raises(ConfigError):
        list(create(repository, SETTINGS | {"agent": {"command": agent}}))
    assert [path.name for path in repository.iterdir()] == [".git"]


def test_a_file_in_the_place_of_the_folder_is_a_write_failure(tmp_path):
    (tmp_path / ".ralph").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write \.ralph/settings\.json"):
        written(tmp_path)


def test_a_directory_in_the_place_of_the_file_is_a_write_failure_that_leaves_nothing_behind(tmp_path):
    (tmp_path / ".ralph/settings.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"cannot write \.ralph/settings\.json"):
        written(tmp_path)
    assert [path.name for path in (tmp_path / ".ralph").iterdir()] == ["settings.json"]


def test_outside_a_repository_no_gitignore_is_made(tmp_path):
    assert "Added ralph's state to .gitignore" not in written(tmp_path)
    assert not (tmp_path / ".gitignore").exists()


def test_below_an_empty_git_folder_that_a_killed_agent_left_no_gitignore_is_made(tmp_path):
    (tmp_path / ".git").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    assert "Added ralph's state to .gitignore" not in written(project)


def test_state_is_ignored_and_settings_and_specs_are_not(repository):
    written(repository)
    for name in ("settings.local.json", "guardrail_1_make.log", "runs/r1/context.md", "lock", "prompt_001.txt"):
        assert ignored(repository, f".ralph/{name}"), name
    for name in ("settings.json", "config.yaml", "specs/login/spec.md", "specs/login/chunks.json"):
        assert not ignored(repository, f".ralph/{name}"), name
    assert not ignored(repository, "src/.ralph/lock")


@pytest.mark.parametrize("before", [".ralph/\n", ".ralph\n", "/.ralph/\n", ".ralph/*\n", "!.ralph/lock\n"])
def test_state_is_ignored_and_settings_are_not_whatever_stood_there_before(repository, before):
    (repository / ".gitignore").write_text(before)
    written(repository)
    assert ignored(repository, ".ralph/lock")
    assert not ignored(repository, ".ralph/settings.json")
    assert not ignored(repository, ".ralph/specs/a/spec.md")


def test_gitignore_lines_are_added_once(repository):
    written(repository)
    assert "Added ralph's state to .gitignore" not in written(repository)
    assert (repository / ".gitignore").read_text() == BLOCK


def test_gitignore_lines_that_stand_apart_are_not_added_again(repository):
    apart = "node_modules/\n" + BLOCK.replace("\n", "\n\n# a word of mine\n")
    (repository / ".gitignore").write_text(apart)
    written(repository)
    assert (repository / ".gitignore").read_text() == apart


def test_gitignore_lines_in_another_order_are_added_again(repository):
    (repository / ".gitignore").write_text("".join(f"{line}\n" for line in reversed(IGNORED_STATE)))
    written(repository)
    assert ignored(repository, ".ralph/lock")
    assert not ignored(repository, ".ralph/settings.json")


GITIGNORES = {
    "empty": (b"", b"\n", b""),
    "with a final newline": (b"dist/\n", b"\n", b""),
    "without a final newline": (b"dist/", b"\n", b"\n"),
    "with CRLF": (b"dist/\r\nbuild/\r\n", b"\r\n", b""),
    "with CRLF and no final newline": (b"dist/\r\nbuild/", b"\r\n", b"\r\n"),
    "that is not UTF-8": (b"caf\xe9/\n", b"\n", b""),
}


@pytest.mark.parametrize(("before", "newline", "gap"), GITIGNORES.values(), ids=GITIGNORES)
def test_a_gitignore_keeps_its_lines_and_its_line_endings(repository, before, newline, gap):
    path = repository / ".gitignore"
    path.write_bytes(before)
    path.chmod(0o664)
    written(repository)
    written(repository)
    assert path.read_bytes() == before + gap + BLOCK.encode().replace(b"\n", newline)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    assert ignored(repository, ".ralph/lock")
    assert not ignored(repository, ".ralph/settings.json")


def test_in_a_folder_of_a_repository_the_gitignore_lies_beside_the_settings(repository):
    package = repository / "packages/one"
    package.mkdir(parents=True)
    written(package)
    assert ignored(repository, "packages/one/.ralph/lock")
    assert not ignored(repository, "packages/one/.ralph/settings.json")
    assert not (repository / ".gitignore").exists()


def test_in_a_worktree_the_gitignore_is_written_too(tmp_path):
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    written(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == BLOCK


def test_a_gitignore_that_cannot_be_written_is_told_after_the_settings_are_there(repository):
    (repository / ".gitignore").mkdir()
    told = create(repository, SETTINGS)
    assert next(told) == "Settings written to .ralph/settings.json"
    with pytest.raises(ConfigError, match="gitignore"):
        list(told)
