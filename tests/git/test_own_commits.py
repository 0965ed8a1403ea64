"""The branch of a story loop, put back where ralph left it."""

import asyncio

import pytest

from ralph.git.own_commits import back_where_left
from ralph.git.repository import Repository
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

KEPT = "refs/ralph/discarded/run/stories-between/2"


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n", "b.txt": "1\n"})


def put_back(repo, head):
    repository = Repository(Workbench(repo.path, repo.env, "look"))
    return asyncio.run(back_where_left(repository, "main", head, "run", 2))


def head(repo):
    return repo.git("rev-parse", "HEAD").strip()


def test_nothing_happened(repo):
    repo.write("a.txt", "mine\n")
    assert put_back(repo, head(repo)) == ""
    assert repo.read("a.txt") == "mine\n"


def test_a_commit_goes_with_its_files_and_is_kept(repo):
    left = head(repo)
    repo.write("a.txt", "2\n")
    repo.write("new.txt", "2\n")
    repo.commit_all("behind the back")
    stray = head(repo)
    repo.write("b.txt", "not committed\n")
    assert put_back(repo, left).endswith(f"It is back where the last one ended. Its commits are kept: {KEPT}.0.")
    assert (head(repo), repo.git("rev-parse", f"{KEPT}.0").strip()) == (left, stray)
    assert repo.read("a.txt") == "1\n"
    assert repo.git("status", "--porcelain") == " M b.txt\n"
    assert repo.read("b.txt") == "not committed\n"


def test_files_that_nobody_has_committed_are_never_taken_away(repo):
    left = head(repo)
    repo.write("a.txt", "2\n")
    repo.commit_all("behind the back")
    repo.write("a.txt", "3\n")
    assert put_back(repo, left)
    assert head(repo) == left
    assert repo.read("a.txt") == "3\n"


def test_another_branch_is_left_and_stays(repo):
    left = head(repo)
    repo.git("checkout", "--quiet", "-b", "elsewhere")
    repo.write("a.txt", "2\n")
    repo.commit_all("elsewhere")
    there = head(repo)
    assert put_back(repo, left)
    assert repo.git("branch", "--show-current").strip() == "main"
    assert head(repo) == left
    assert repo.git("rev-parse", "elsewhere").strip() == there


def test_a_branch_that_lost_its_commits_has_them_again(repo):
    repo.write("a.txt", "2\n")
    repo.commit_all("work")
    left = head(repo)
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    assert put_back(repo, left)
    assert (head(repo), repo.read("a.txt")) == (left, "2\n")
