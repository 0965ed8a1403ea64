"""What a person is told of the repository before a task runs in it, and what is refused."""

import asyncio

import pytest

from ralph.app.tasks.ground import look_at_ground
from ralph.model.errors import ConfigError
from ralph.testing import temp_repo


@pytest.fixture
def repo(tmp_path, monkeypatch):
    repo = temp_repo(tmp_path)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    return repo


def look(repo, base=None):
    return asyncio.run(look_at_ground(repo.path, "s", base))


def told(repo):
    return look(repo).told


def head(repo):
    return repo.git("rev-parse", "HEAD").strip()


def commit(repo, *names):
    for name in names:
        repo.git("commit", "--quiet", "--allow-empty", "-m", name)


def test_a_plain_repository_needs_no_word(repo):
    assert look(repo) == (head(repo), [])


def test_a_detached_head_says_where_the_branch_begins(repo):
    repo.git("switch", "--quiet", "--detach")
    assert told(repo) == [f"HEAD is detached: ralph/s begins at {head(repo)[:8]}."]


def test_a_shallow_clone_is_told(repo):
    commit(repo, "one", "two")
    (repo.path / ".git/shallow").write_text(f"{head(repo)}\n")
    assert told(repo) == ["this clone is shallow: ralph works with the commits that are here."]


def test_submodules_say_how_they_are_filled(repo):
    repo.write(".gitmodules", "")
    repo.commit_all("with a submodule")
    [line] = told(repo)
    assert 'set worktree.init to "git submodule update --init"' in line


def test_a_branch_that_is_where_the_work_would_begin_needs_no_word(repo):
    repo.git("branch", "ralph/s")
    assert told(repo) == []


def test_a_branch_that_is_there_says_how_it_stands_to_what_is_checked_out(repo):
    repo.git("switch", "--quiet", "-c", "ralph/s")
    commit(repo, "one", "two")
    repo.git("switch", "--quiet", "main")
    assert told(repo) == ["ralph/s exists already: tasks go on top of its 2 commits."]
    commit(repo, "three")
    assert told(repo) == ["ralph/s exists already: tasks go on top of its 2 commits, without 1 commit of main."]
    repo.git("branch", "--force", "ralph/s", "main~1")
    assert told(repo) == ["ralph/s exists already: tasks go on top of it, without 1 commit of main."]


def test_what_is_not_committed_stays(repo):
    repo.write("mine.txt", "mine\n")
    assert told(repo) == ["1 uncommitted change stays here, untouched: a task works on what is committed."]


def refused(repo, base=None):
    with pytest.raises(ConfigError) as error:
        look(repo, base)
    return str(error.value)


def test_no_commit_is_refused(repo):
    repo.git("update-ref", "-d", "HEAD")
    assert "has no commit yet" in refused(repo)


@pytest.mark.parametrize("holder", ["here", "in another worktree"])
def test_a_branch_that_is_checked_out_is_refused(repo, tmp_path, holder):
    if holder == "here":
        repo.git("switch", "--quiet", "-c", "ralph/s")
    else:
        repo.git("worktree", "add", "--quiet", "-b", "ralph/s", str(tmp_path / "other"))
    assert "the branch ralph/s is checked out in" in refused(repo)


def test_a_base_is_a_commit_and_only_for_a_new_branch(repo):
    commit(repo, "one")
    assert look(repo, "HEAD~1").base == repo.git("rev-parse", "HEAD~1").strip()
    assert "git has no commit 'nowhere'" in refused(repo, "nowhere")
    repo.git("branch", "ralph/s")
    assert "so --base has no effect" in refused(repo, "HEAD~1")
