"""What git said about a folder holds only while nobody changes what it depends on."""

import asyncio
import shutil
from pathlib import Path

import pytest

from git_calls import GitCalls
from ralph.git.known_places import seen_at
from ralph.git.repository import Repository
from ralph.git.worktree import prepare
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n", "sub/b.txt": "1\n"})


@pytest.fixture
def inside(repo):
    made = asyncio.run(prepare(repository(repo.path, repo), project=repo.path, spec="s", task="T-1"))
    return Path(made.path)


def repository(folder, repo, **env):
    return Repository(Workbench(folder, {**repo.env, **env}, "r"))


def look(folder, repo):
    return asyncio.run(repository(folder, repo).look())


def asked(folder, repo):
    """What is seen now, and by how many questions to git."""
    calls = GitCalls(folder.parent, repo.env["PATH"])
    found = asyncio.run(repository(folder, repo, **calls.env).look())
    return found, len(calls.made)


@pytest.mark.parametrize("below", ["", "sub"])
def test_git_is_asked_once_about_a_folder(repo, below):
    first = look(repo.path / below, repo)
    assert asked(repo.path / below, repo) == (first, 0)
    assert first.prefix == (f"{below}/" if below else "")


def test_a_new_worktree_is_known_as_git_describes_it(repo, inside):
    known = seen_at(inside)
    repo.git("config", "user.nickname", "ada")
    found, calls = asked(inside, repo)
    assert (found, calls) == (known, 1)
    assert (found.branch, found.head) == ("ralph/s--T-1", repo.git("rev-parse", "main").strip())


def test_a_move_to_a_known_commit_is_seen_without_git(repo, inside):
    repo.git("-C", str(inside), "switch", "--quiet", "--create", "other")
    assert seen_at(inside).branch == "other"
    repo.git("-C", str(inside), "switch", "--quiet", "--detach")
    assert (seen_at(inside).branch, seen_at(inside).head) == ("", repo.git("rev-parse", "main").strip())


def test_of_a_new_commit_git_is_asked(repo, inside):
    repo.git("-C", str(inside), "commit", "--quiet", "--allow-empty", "--message", "by an agent")
    assert seen_at(inside) is None
    assert look(inside, repo).head == repo.git("rev-parse", "ralph/s--T-1").strip()


def _deletes_link(inside, repo):
    (inside / ".git").unlink()


def _own_repository(inside, repo):
    _deletes_link(inside, repo)
    repo.git("init", "--quiet", str(inside))


def _leads_elsewhere(inside, repo):
    (inside / ".git").write_text(f"gitdir: {repo.path / '.git'}\n")


def _is_a_link(inside, repo):
    inside.rename(inside.with_name("moved"))
    inside.symlink_to("moved")


def _settings(inside, repo):
    repo.git("config", "core.worktree", "/")


def _other_common_dir(inside, repo):
    (repo.path / ".git/worktrees/T-1/commondir").write_text("../../../other\n")


def _deleted(inside, repo):
    shutil.rmtree(inside)


@pytest.mark.parametrize(
    "change",
    [_deletes_link, _own_repository, _leads_elsewhere, _is_a_link, _settings, _other_common_dir, _deleted],
)
def test_git_is_asked_after_any_change_of_what_decides(repo, inside, change):
    assert seen_at(inside)
    change(inside, repo)
    assert seen_at(inside) is None


def test_git_is_asked_if_a_repository_is_made_below_the_top(repo):
    folder = repo.path / "sub"
    look(folder, repo)
    repo.git("init", "--quiet", str(folder))
    assert seen_at(folder) is None
    assert look(repo.path, repo) == seen_at(repo.path)
