"""Refs are read from files as git reads them, or git is asked."""

import pytest

from ralph.git.checkout import Checkout
from ralph.git.ref_files import is_checked_out, read_head, read_ref
from ralph.testing import temp_repo

NEW = "refs/heads/ralph/s"


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n"})


def git_dir(repo):
    return repo.path / ".git"


def head(repo):
    return repo.git("rev-parse", "HEAD").strip()


def at(repo):
    return Checkout(repo.path, git_dir(repo), git_dir(repo), "")


@pytest.mark.parametrize("packed", [False, True])
def test_a_ref_is_read_whether_it_is_packed_or_not(repo, packed):
    repo.git("update-ref", NEW, "HEAD")
    if packed:
        repo.git("pack-refs", "--all")
        assert not (git_dir(repo) / NEW).exists()
    assert read_ref(git_dir(repo), NEW) == head(repo)
    assert read_head(at(repo)) == ("main", head(repo))


def test_what_is_packed_does_not_count_after_a_move(repo):
    repo.git("update-ref", NEW, "HEAD")
    repo.git("pack-refs", "--all")
    repo.git("commit", "--quiet", "--allow-empty", "--message", "more")
    repo.git("update-ref", NEW, "HEAD")
    assert read_ref(git_dir(repo), NEW) == head(repo)
    repo.git("update-ref", "-d", NEW)
    assert read_ref(git_dir(repo), NEW) == ""


def test_a_folder_of_that_name_is_no_ref(repo):
    repo.git("update-ref", f"{NEW}/deeper", "HEAD")
    assert read_ref(git_dir(repo), NEW) == ""
    assert read_ref(git_dir(repo), f"{NEW}/deeper/more") == ""


@pytest.mark.parametrize("name", ["main", "HEAD", "refs/heads/../../config", "refs/heads/a.lock", "refs/tags/v1", ""])
def test_other_names_are_left_to_git(repo, name):
    assert read_ref(git_dir(repo), name) is None


@pytest.mark.parametrize("text", ["ref: refs/heads/main\n", "", "a" * 39, "z" * 40, "\xff" * 40])
def test_what_git_does_not_write_is_left_to_git(repo, text):
    repo.git("update-ref", NEW, "HEAD")
    (git_dir(repo) / NEW).write_bytes(text.encode("latin-1"))
    assert read_ref(git_dir(repo), NEW) is None


def test_links_and_other_stores_of_refs_are_left_to_git(repo):
    (git_dir(repo) / "refs/heads/link").symlink_to("main")
    assert read_ref(git_dir(repo), "refs/heads/link") is None
    (git_dir(repo) / "reftable").mkdir()
    assert read_ref(git_dir(repo), "refs/heads/main") is None
    assert is_checked_out(git_dir(repo), "refs/heads/main") is None


def test_a_commit_that_is_checked_out_without_a_branch(repo):
    repo.git("switch", "--quiet", "--detach")
    assert read_head(at(repo)) == ("", head(repo))
    repo.git("switch", "--quiet", "--orphan", "none-yet")
    assert read_head(at(repo)) is None


def test_each_working_tree_is_asked_for_its_branch(repo, tmp_path):
    repo.git("branch", "ralph/s")
    assert is_checked_out(git_dir(repo), "refs/heads/main") is True
    assert is_checked_out(git_dir(repo), NEW) is False
    repo.git("worktree", "add", "--quiet", str(tmp_path / "other"), "ralph/s")
    assert is_checked_out(git_dir(repo), NEW) is True
    (git_dir(repo) / "worktrees/other/HEAD").unlink()
    assert is_checked_out(git_dir(repo), NEW) is None
