"""Refs of attempts that were taken back, and their end."""

import asyncio

import pytest

from ralph.git.discarded import discarded, drop
from ralph.git.repository import Repository
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

BELOW = "refs/ralph/discarded"


@pytest.fixture
def repo(tmp_path):
    made = temp_repo(tmp_path, {"a.txt": "1\n"})
    for ref in ("aaaa/T-1/1", "aaaa/T-1/2", "aaaa.T-2/T-2/1", "bbbb/T-1/1", "T-1/1", "T-12/1"):
        made.git("update-ref", f"{BELOW}/{ref}", "HEAD")
    return made


def refs(repo):
    listed = repo.git("for-each-ref", "--format=%(refname)", f"{BELOW}/").split()
    return [ref.removeprefix(f"{BELOW}/") for ref in listed]


def dropped(repo, *owners):
    repository = Repository(Workbench(repo.path, repo.env, "look"))

    async def both():
        return await drop(repository, await discarded(repository, owners))

    return asyncio.run(both())


def test_refs_of_these_runs_and_tasks_go_and_no_others(repo):
    assert dropped(repo, "aaaa", "T-1") == 3
    assert refs(repo) == ["T-12/1", "aaaa.T-2/T-2/1", "bbbb/T-1/1"]
    assert dropped(repo, "aaaa", "T-1") == 0
    assert dropped(repo) == 0
    assert len(refs(repo)) == 3


def test_a_ref_that_has_moved_meanwhile_stays(repo):
    repository = Repository(Workbench(repo.path, repo.env, "look"))
    found = asyncio.run(discarded(repository, ["bbbb"]))
    repo.git("commit", "--quiet", "--allow-empty", "--message", "more")
    repo.git("update-ref", f"{BELOW}/bbbb/T-1/1", "HEAD")
    assert asyncio.run(drop(repository, found)) == 0
    assert "bbbb/T-1/1" in refs(repo)
