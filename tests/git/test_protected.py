"""Files that nobody but the user may change: put back, and the other version is kept."""

import asyncio
import os
import subprocess

import pytest

from ralph.checks.proof.path_globs import matcher
from ralph.git.protected import put_back
from ralph.git.repository import Repository
from ralph.git.rules import record_rules
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, {"ci/run": "true\n", "ci/deep/lint": "x\n", "work.txt": "1\n", ".gitignore": "*.log\n"})
    (repo.path / "ci/run").chmod(0o755)
    (repo.path / "ci/link").symlink_to("run")
    repo.commit_all("ci")
    return repo


def spoil(repo, harm, *patterns):
    """What was put back after this was done to the project, and where the other versions are."""
    inside = Repository(Workbench(repo.path, repo.env, "run.1.1"))
    rules = asyncio.run(record_rules(inside, "HEAD"))
    subprocess.run(["sh", "-c", harm], cwd=repo.path, env=repo.env, check=True)
    keep = repo.home / "kept"
    base = repo.git("rev-list", "--max-parents=1", "--max-count=1", "HEAD").strip()
    return asyncio.run(put_back(inside, base, matcher(patterns or ("ci/**",)), keep, rules=rules)), keep


def is_as_it_was(repo):
    top = repo.path
    assert (top / "ci/run").read_text() == "true\n"
    assert os.access(top / "ci/run", os.X_OK)
    assert (top / "ci/deep/lint").read_text() == "x\n"
    assert str((top / "ci/link").readlink()) == "run"
    return True


@pytest.mark.parametrize(
    "harm",
    [
        "echo false > ci/run",
        "chmod -x ci/run",
        "rm ci/run",
        "rm ci/run; mkdir ci/run; echo x > ci/run/x",
        "rm -r ci",
        "rm -r ci; echo file > ci",
        "rm -r ci/deep; echo file > ci/deep",
        "mkdir away; echo y > away/lint; rm -r ci/deep; ln -s ../away ci/deep",
        "rm ci/link; ln -s ../work.txt ci/link",
        "rm ci/link; echo text > ci/link",
        "echo false > ci/run; git update-index --skip-worktree ci/run",
        "echo false > ci/run; git update-index --assume-unchanged ci/run",
    ],
)
def test_they_are_as_they_were(repo, harm):
    names, _ = spoil(repo, harm)
    assert names
    assert is_as_it_was(repo)


def test_the_other_version_is_kept(repo):
    names, kept = spoil(repo, "echo false > ci/run; echo more > ci/more; echo 2 > work.txt")
    assert names == ["ci/more", "ci/run"]
    assert [(kept / name).read_text() for name in names] == ["more\n", "false\n"]
    assert not (repo.path / "ci/more").exists()
    assert repo.read("work.txt") == "2\n"


@pytest.mark.parametrize("hides", ["mkdir -p .git/info; echo ci/more > .git/info/exclude", "echo more > ci/.gitignore"])
def test_a_new_file_cannot_be_hidden_from_it(repo, hides):
    names, _ = spoil(repo, f"echo more > ci/more; {hides}")
    assert names
    assert not (repo.path / "ci/.gitignore").exists()
    assert not (repo.path / "ci/more").exists()


def test_what_lies_behind_a_link_is_left_alone(repo, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lint").write_text("theirs\n")
    names, kept = spoil(repo, f"rm -r ci/deep; ln -s {outside} ci/deep")
    assert names
    assert is_as_it_was(repo)
    assert (outside / "lint").read_text() == "theirs\n"
    assert (kept / "ci/deep").is_symlink()


def test_where_nothing_was_changed_nothing_is_done(repo):
    names, kept = spoil(repo, "echo 2 > work.txt")
    assert names == []
    assert not kept.exists()
