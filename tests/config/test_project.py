"""Which folder is the project of a folder."""

import pytest

from ralph.config.project import project_above


@pytest.fixture
def folder(tmp_path):
    below = tmp_path / "repo/app/src"
    below.mkdir(parents=True)
    return below


def test_without_anything_it_is_the_folder_itself(folder, tmp_path):
    assert project_above(folder, {"HOME": str(tmp_path)}) == folder


def test_the_top_of_the_repository_is_the_project(folder, tmp_path):
    (tmp_path / ".ralph").mkdir()
    git = tmp_path / "repo/.git"
    git.mkdir()
    # An empty folder is no repository: agents that are killed leave such ones behind.
    assert project_above(folder, {"HOME": "/nowhere"}) == tmp_path
    (git / "HEAD").write_text("ref: refs/heads/main")
    assert project_above(folder, {"HOME": "/nowhere"}) == tmp_path / "repo"


def test_the_nearest_settings_folder_comes_first(folder, tmp_path):
    (tmp_path / "repo/.git").write_text("gitdir: elsewhere")
    (tmp_path / "repo/app/.ralph").mkdir()
    assert project_above(folder, {"HOME": "/nowhere"}) == tmp_path / "repo/app"


def test_the_users_own_settings_make_no_project(folder, tmp_path):
    (tmp_path / ".ralph").mkdir()
    assert project_above(folder, {"HOME": "/nowhere"}) == tmp_path
    assert project_above(folder, {"HOME": str(tmp_path)}) == folder
    assert project_above(folder, {"RALPH_HOME": str(tmp_path / ".ralph")}) == folder


def test_an_empty_git_folder_that_a_killed_agent_left_is_no_repository(folder, tmp_path):
    (tmp_path / ".git").mkdir()
    assert project_above(folder, {"HOME": "/nowhere"}) == folder
