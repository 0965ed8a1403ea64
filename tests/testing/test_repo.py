"""Temporary repositories are real, and apart from the user's own git."""

import os
import subprocess
import time

import pytest

from ralph.testing import temp_repo


def test_a_new_repository_has_one_commit(tmp_path):
    repo = temp_repo(tmp_path)
    assert repo.log() == ["base"]
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("branch", "--show-current").strip() == "main"


def test_its_first_commit_holds_the_files_given(tmp_path):
    repo = temp_repo(tmp_path, {"src/a.py": "x = 1\n"})
    assert repo.git("ls-files").split() == ["src/a.py"]
    assert repo.read("src/a.py") == "x = 1\n"


def test_the_log_is_oldest_first(tmp_path):
    repo = temp_repo(tmp_path)
    for name in ("one", "two"):
        repo.write(f"{name}/file.txt", name)
        repo.commit_all(name)
    assert repo.log() == ["base", "one", "two"]


def test_git_that_fails_says_why(tmp_path):
    with pytest.raises(AssertionError, match=r"git checkout nowhere exited with 1: .*nowhere"):
        temp_repo(tmp_path).git("checkout", "nowhere")


def test_the_users_settings_do_not_reach_it(tmp_path, monkeypatch):
    home = tmp_path / "user"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n name = Someone Else\n[core]\n hooksPath = /nowhere\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    repo = temp_repo(tmp_path / "project")
    assert repo.git("log", "-1", "--format=%an").strip() == "Test"
    assert "core.hookspath" not in repo.git("config", "--list")
    assert "ANTHROPIC_API_KEY" not in repo.env


def test_a_program_runs_in_the_repository_with_its_environment(tmp_path):
    repo = temp_repo(tmp_path)
    seen = repo.run("sh", "-c", 'pwd; echo "$HOME $RALPH_HOME $EXTRA"; cat', env={"EXTRA": "more"}, input="typed")
    assert seen.stdout == f"{repo.path}\n{tmp_path}/home {tmp_path}/home/.ralph more\ntyped"
    assert os.environ["PATH"] in repo.env["PATH"]


def test_a_program_has_no_input_unless_it_is_given(tmp_path):
    seen = temp_repo(tmp_path).run("sh", "-c", "cat; echo end >&2; exit 3")
    assert (seen.returncode, seen.stdout, seen.stderr) == (3, "", "end\n")


def test_a_timeout_ends_everything_that_was_started(tmp_path):
    repo = temp_repo(tmp_path)
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        repo.run("sh", "-c", "sleep 600 & echo $! > child; wait", timeout=0.5)
    assert time.monotonic() - began < 30
    state = repo.run("ps", "-o", "stat=", "-p", repo.read("child").strip()).stdout
    assert not state.strip() or state.startswith("Z")
