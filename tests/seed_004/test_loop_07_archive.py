"""Seed 004, verification plan 7: archive after a completed loop; verify the archive's structure and the clean reset."""

import asyncio
import json

import pytest

from ralph.app.stories.archive import archive
from ralph.app.stories.files import prepare
from ralph.model.errors import ConfigError
from ralph.testing import temp_repo

DONE = {"passes": True, "reviewStatus": "approved", "reviewCount": 2, "notes": "n", "acceptanceCriteria": ["it works"]}


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path)
    prepare(repo.path, "shop")
    plan = json.loads(repo.read("ralph/tasks.json"))
    open_one = {**plan["userStories"][0], "id": "US-002", "title": "Pay", "acceptanceCriteria": ["it works"]}
    plan["userStories"] = [plan["userStories"][0] | DONE | {"title": "Look"}, open_one]
    repo.write("ralph/tasks.json", json.dumps(plan))
    repo.write("ralph/prompt.md", "my own prompt\n")
    repo.commit_all("a loop that is over")
    repo.write("mine.txt", "not committed")
    return repo


def test_the_plan_moves_to_the_archive_and_templates_take_its_place(repo):
    prd, tasks = repo.read("ralph/prd.md"), repo.read("ralph/tasks.json")
    folder = asyncio.run(archive(repo.path))
    assert folder.startswith("ralph-archive/2")
    assert folder.endswith("-ralph-shop")
    assert (repo.read(f"{folder}/prd.md"), repo.read(f"{folder}/tasks.json")) == (prd, tasks)
    summary = repo.read(f"{folder}/summary.md")
    assert "Stories: 1 of 2 done" in summary
    assert "- Dates: 2" in summary
    fresh = json.loads(repo.read("ralph/tasks.json"))
    assert [story["passes"] for story in fresh["userStories"]] == [False]
    assert repo.read("ralph/prompt.md") == "my own prompt\n"
    assert repo.log()[-1] == "ralph: archive shop"
    assert repo.git("status", "--porcelain").split() == ["??", "mine.txt"]
    changed = repo.git("show", "--name-only", "--format=").split()
    assert all(name.startswith(("ralph/", "ralph-archive/")) for name in changed)


def test_a_label_names_it_and_a_second_one_gets_a_number(repo):
    first = asyncio.run(archive(repo.path, "../my label"))
    assert first.endswith("-my-label")
    repo.write("ralph/tasks.json", repo.read(f"{first}/tasks.json"))
    assert asyncio.run(archive(repo.path, "../my label")) == f"{first}-2"


def test_without_a_repository_or_a_plan_it_says_what_to_do(tmp_path):
    prepare(tmp_path, "shop")
    with pytest.raises(ConfigError):
        asyncio.run(archive(tmp_path))
