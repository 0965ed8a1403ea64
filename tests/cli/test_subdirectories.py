"""From a folder below its top ralph finds the project; see `config/project.py` for the rule itself."""

import json

import pytest

from ralph.testing import done, edits, run_ralph
from ralph.testing.program import ralph_program


@pytest.fixture
def below(git_loop):
    """Runs ralph in a folder two levels below the top of the project."""
    folder = git_loop.repo.path / "src/deep"
    folder.mkdir(parents=True)

    def ralph(*args):
        words = " ".join(f"'{word}'" for word in (ralph_program(), *args))
        return git_loop.repo.run("sh", "-c", f"cd src/deep && {words}")

    return ralph


def test_a_run_from_a_subdirectory_works_on_the_project_with_its_settings(git_loop, below):
    git_loop.prepare(edits({"made.txt": "x"}) | done())
    (git_loop.repo.path / "src/deep/TODO.md").write_text("Do it. End with <response>DONE</response>")
    ended = below("run", "-f", "TODO.md")
    assert ended.returncode == 0, ended.stderr
    assert git_loop.agent.prompts == ["Do it. End with <response>DONE</response>"]
    assert git_loop.exists("made.txt"), "the agent works at the top"
    assert git_loop.exists(".ralph/runs")
    assert not git_loop.exists("src/deep/.ralph")


def test_what_ran_at_the_top_is_seen_from_below(git_loop, below):
    git_loop(done())
    assert [run["verdict"] for run in json.loads(below("runs", "--json").stdout)] == ["verified"]
    assert below("show").returncode == 0
    assert below("config", "path").stdout.count(str(git_loop.repo.path / ".ralph")) == 3


def test_init_from_a_subdirectory_writes_the_settings_of_the_project(git_loop, below):
    ended = below("init", "--yes", "--agent", "claude")
    assert ended.returncode == 0, ended.stderr
    assert git_loop.exists(".ralph/settings.json")
    assert not git_loop.exists("src/deep/.ralph")


def test_a_supervised_command_is_found_where_the_user_is(git_loop, below):
    script = git_loop.repo.path / "src/deep/work.sh"
    script.write_text("#!/bin/sh\ntouch $TASK_FOLDER/DONE\n")
    script.chmod(0o755)
    ended = below("supervise", "--", "./work.sh")
    assert ended.returncode == 0, ended.stderr
    assert git_loop.exists("src/deep/DONE"), "the task directory is this directory"


def test_the_home_of_ralph_is_no_project(git_loop):
    """A folder below HOME, where ~/.ralph is, is a project of its own."""
    folder = git_loop.repo.home / "plain"
    folder.mkdir()
    ralph = f"'{ralph_program()}'"
    ended = git_loop.repo.run("sh", "-c", f"cd '{folder}' && {ralph} project add && {ralph} project show")
    assert f"in {folder}" in ended.stdout


def test_a_project_above_the_repository_is_not_taken(tmp_path, git_loop):
    (tmp_path / ".ralph").mkdir()
    (git_loop.repo.path / "sub").mkdir()
    ended = git_loop.repo.run("sh", "-c", f"cd sub && '{ralph_program()}' config path")
    assert str(git_loop.repo.path / ".ralph/settings.json") in ended.stdout
    assert run_ralph(git_loop.repo, "config", "path").stdout == ended.stdout
