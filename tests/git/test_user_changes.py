import asyncio

import pytest

from ralph.git.repository import Repository
from ralph.git.user_changes import changed_since, uncommitted_among, user_changes
from ralph.kernel.actions.commands import SHOWN, UserChanges
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"kept.txt": "1\n", "gone.txt": "1\n", ".gitignore": "*.o\n"})


def repository(repo):
    return Repository(Workbench(repo.path, repo.env, "run.1.1"))


def found(repo):
    return asyncio.run(user_changes(repository(repo)))


def test_a_clean_tree_has_no_changes_of_the_user(repo):
    assert found(repo) == UserChanges(repo.git("rev-parse", "HEAD").strip(), branch="main")


def test_changed_new_and_deleted_files_are_the_users_and_ignored_ones_are_not(repo):
    repo.write("kept.txt", "2\n")
    repo.write("a/new.txt", "x")
    repo.write("a.o", "x")
    (repo.path / "gone.txt").unlink()
    before = found(repo)
    assert (before.paths, before.count) == (("a/new.txt", "gone.txt", "kept.txt"), 3)


def test_of_many_files_the_first_are_named_and_all_counted(repo):
    for number in range(SHOWN + 5):
        repo.write(f"{number:02}", "x")
    before = found(repo)
    assert (len(before.paths), before.count) == (SHOWN, SHOWN + 5)


def test_before_the_first_commit_every_file_is_the_users(tmp_path):
    from ralph.testing import TempRepo

    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    repo.git("init", "--quiet")
    repo.write("mine.txt", "x")
    before = found(repo)
    assert (before.head, before.paths) == ("", ("mine.txt",))
    repo.write("new.txt", "x")
    assert asyncio.run(changed_since(repository(repo), before.head, before.tree)).paths == ("new.txt",)


def test_only_what_changed_since_then_and_is_not_committed_counts(repo):
    repo.write("kept.txt", "mine\n")
    repo.write("draft.txt", "mine\n")
    before = found(repo)
    repo.write("new.txt", "1")
    repo.write("draft.txt", "the agent's\n")
    since = asyncio.run(changed_since(repository(repo), before.head, before.tree))
    assert (since.top, since.paths, since.shared) == (repo.path, ("draft.txt", "new.txt"), ("draft.txt",))
    repo.git("add", "new.txt", "draft.txt")
    repo.git("commit", "--quiet", "-m", "x", "--only", "new.txt", "draft.txt")
    assert asyncio.run(changed_since(repository(repo), before.head, before.tree)).paths == ()


def test_whether_named_files_are_committed(repo):
    repo.write("kept.txt", "mine\n")
    assert asyncio.run(uncommitted_among(repository(repo), ["kept.txt"]))
    assert not asyncio.run(uncommitted_among(repository(repo), ["gone.txt"]))
