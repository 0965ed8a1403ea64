"""Each question to git is a process: what is known is not asked again."""

import asyncio
from pathlib import Path

import pytest

from git_calls import GitCalls
from ralph.git.repository import Repository
from ralph.git.worktree import prepare
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench
from task_crew import GOOD, TaskCrew, promise

PROVEN, FOUR_PROVEN = 21, 27
"""With the worktree of the checks, the trees that a proof composes, and the record."""
BY_WORD, FOUR_BY_WORD = 13, 19
"""Without a check there is no proof. What git is told to overlook is looked for all the same."""
LATER = ("reviewer", "tester", "qa")
WORD = {"promise": "MADE", "verification_method": "string_match"}


@pytest.mark.parametrize(
    ("coder", "later", "most"),
    [
        ({}, (), PROVEN),
        ({}, LATER, FOUR_PROVEN),
        ({"coder": WORD}, (), BY_WORD),
        ({"coder": WORD}, LATER, FOUR_BY_WORD),
    ],
    ids=["one stage", "four stages", "one stage without a check", "four stages without a check"],
)
def test_a_whole_task_asks_git_little(tmp_path, coder, later, most):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[GOOD], **{role: [] for role in later})
    crew.task(**coder)
    calls = GitCalls(tmp_path, crew.repo.env["PATH"])
    done = crew.run(env=calls.env)
    assert done.code == 0, done.err
    assert crew.on_branch("work.txt") == "good\n"
    # They are counted at all: the work was committed once.
    assert [call.split()[0] for call in calls.made].count("commit") == 1
    assert len(calls.made) <= most, "\n".join(calls.made)


TEST = """import unittest
from calc import add

class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
MORE = """
    def test_more(self):
        self.assertEqual(add(2, 2), 4)
"""


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_check_that_runs_tests_is_tried_on_four_trees(tmp_path, packed):
    crew = TaskCrew(tmp_path)
    for path, text in {"calc.py": "def add(a, b):\n    return 0\n", "test_calc.py": TEST}.items():
        crew.repo.write(path, text)
    crew.repo.write(".gitignore", "__pycache__/\n")
    crew.repo.commit_all("tests")
    if packed:
        crew.git("gc", "--quiet")
    crew.hire(coder=[promise("MADE", {"calc.py": "def add(a, b):\n    return a + b\n", "test_calc.py": TEST + MORE})])
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "python -m unittest"}})
    calls = GitCalls(tmp_path, crew.repo.env["PATH"])
    done = crew.run(env=calls.env)
    assert done.code == 0, done.err
    made = commands(calls)
    assert made.count("read-tree") == 4
    assert len(made) - made.count("cat-file") <= 27, "\n".join(calls.made)
    # What is packed is read by a git that answers while it runs, and ends if nothing is asked for a while.
    assert packed or made.count("cat-file") <= 1


@pytest.fixture
def inside(tmp_path):
    """A worktree, and what is asked of git in it."""
    repo = temp_repo(tmp_path, {"a.txt": "1\n"})
    made = asyncio.run(
        prepare(Repository(Workbench(repo.path, repo.env, "r")), project=repo.path, spec="s", task="T-1")
    )
    calls = GitCalls(tmp_path, repo.env["PATH"])
    return Repository(Workbench(Path(made.path), {**repo.env, **calls.env}, "r")), calls


def commands(calls):
    return [call.split()[0] for call in calls.made]


def test_saving_work_that_changed_nothing_writes_nothing(inside):
    repository, calls = inside
    assert not asyncio.run(repository.commit_all("Nothing")).changed
    assert commands(calls) == ["ls-files", "diff-index"]


def test_saving_a_change_stages_it_once(inside):
    repository, calls = inside
    (repository.folder / "a.txt").write_text("2\n")
    assert asyncio.run(repository.commit_all("Change")).changed
    assert commands(calls) == ["ls-files", "update-index", "diff-index", "commit"]


def test_many_names_are_resolved_by_one_question(inside):
    repository, calls = inside
    found = asyncio.run(repository.resolve("HEAD^{tree}", "nowhere", "-x", "a\nHEAD", "HEAD"))
    assert [bool(each) for each in found] == [True, False, False, False, True]
    assert commands(calls) == ["cat-file"]
