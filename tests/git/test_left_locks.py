"""Locks that gits have left which were killed: ralph takes them away from its own refs, and from no others."""

import asyncio
import os
import time
from pathlib import Path
from threading import Timer

import pytest

from ralph.git.left_locks import OLD
from ralph.git.notes import read_note, write_note
from ralph.git.repository import Change, Repository
from ralph.git.worktree import prepare
from ralph.model.errors import StateError
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench


@pytest.fixture
def repo(tmp_path):
    return temp_repo(tmp_path, {"a.txt": "1\n"})


def locked(repo, ref, seconds=2 * OLD):
    lock = repo.path / ".git" / f"{ref}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    os.utime(lock, (time.time() - seconds,) * 2)
    return lock


def delete(repo, ref):
    head = repo.git("rev-parse", "HEAD").strip()
    return asyncio.run(repository(repo).move(Change(ref, "", head)))


def repository(repo):
    return Repository(Workbench(repo.path, repo.env, "run.1.1"))


def open_task(repo):
    return asyncio.run(prepare(repository(repo), project=repo.path, spec="s", task="T-1"))


def create(repo, ref):
    head = repo.git("rev-parse", "HEAD").strip()
    return asyncio.run(repository(repo).move(Change(ref, head, "")))


@pytest.mark.parametrize("branch", ["ralph/s", "ralph/s--T-1"])
def test_a_task_begins_although_a_git_was_killed_while_it_made_its_branches(repo, branch):
    lock = locked(repo, f"refs/heads/{branch}")
    assert open_task(repo).branch == "ralph/s--T-1"
    assert not lock.exists()


def test_work_goes_on_in_a_worktree_whose_git_was_killed(repo):
    opened = open_task(repo)
    git_dir = Path(repo.git("-C", opened.path, "rev-parse", "--absolute-git-dir").strip())
    for name in ("index.lock", "HEAD.lock"):
        (git_dir / name).touch()
    assert open_task(repo).reused
    assert not list(git_dir.glob("*.lock"))


def test_a_git_that_still_works_is_waited_for(repo):
    lock = locked(repo, "refs/ralph/done/T-1", seconds=0)
    Timer(0.5, lock.unlink).start()
    assert create(repo, "refs/ralph/done/T-1")


def test_a_ref_is_deleted_although_a_git_was_killed_while_it_deleted_it(repo):
    create(repo, "refs/ralph/done/T-1")
    locks = [locked(repo, "packed-refs"), locked(repo, "refs/ralph/done/T-1")]
    assert delete(repo, "refs/ralph/done/T-1")
    assert not repo.git("for-each-ref", "refs/ralph/")
    assert not any(lock.exists() for lock in locks)


def test_a_git_that_packs_refs_is_waited_for(repo):
    create(repo, "refs/ralph/done/T-1")
    lock = locked(repo, "packed-refs", seconds=0)
    Timer(2, lock.unlink).start()
    assert delete(repo, "refs/ralph/done/T-1")


def test_a_note_is_written_although_a_git_was_killed_while_it_wrote_one(repo):
    lock = locked(repo, "refs/notes/ralph-proof")
    asyncio.run(write_note(repository(repo), "HEAD", b"proof"))
    assert asyncio.run(read_note(repository(repo), "HEAD")) == b"proof"
    assert not lock.exists()


def test_what_is_not_ralphs_own_stays_locked(repo):
    lock = locked(repo, "refs/heads/feature")
    with pytest.raises(StateError, match="remove that file, then: ralph resume"):
        create(repo, "refs/heads/feature")
    assert lock.exists()
