"""The branch of a story loop: made, gone on with, left again; and where the work on it began."""

import json
import signal

import pytest

from ralph.testing import run_ralph
from story_project import StoryProject

pytestmark = pytest.mark.e2e

LAZY = """
def submits():
    story.update(reviewStatus="needs_review", notes="n")
    save()
    commit()
"""


@pytest.fixture
def project(tmp_path):
    made = StoryProject(tmp_path)
    made.prepare()
    return made


def test_it_goes_back_at_the_end_and_comes_again(project):
    limited = project.run("honest", "-n", "1", "--return")
    assert limited.returncode == 1, limited.stderr
    assert "Went back to main." in limited.stderr
    assert project.branch == "main"
    resumed = run_ralph(project.repo, "resume", "-m", "5")
    assert resumed.returncode == 0, resumed.stderr
    assert "main was checked out. ralph checked out ralph/shop again." in resumed.stderr
    assert "Went back to main." in resumed.stderr
    assert project.branch == "main"


def test_it_stays_where_something_is_not_committed(project):
    stops = """
def stops():
    import time
    open("work.txt", "w").write("half")
    while True:
        os.kill(os.getppid(), 2)
        time.sleep(0.2)
"""
    stopped = project.run("stops, honest", "--return", behaviours=stops)
    assert stopped.returncode == 130, stopped.stderr
    assert "ralph/shop stays checked out: not everything is committed: work.txt" in stopped.stderr
    assert project.branch == "ralph/shop"
    assert run_ralph(project.repo, "resume").returncode == 0
    assert project.branch == "main"


def test_a_loop_does_not_go_on_over_what_is_not_committed_on_another_branch(project):
    kills = f"def kills():\n    os.kill(os.getppid(), {int(signal.SIGKILL)})\n"
    assert project.run("kills, honest", behaviours=kills).returncode == -signal.SIGKILL
    project.repo.git("checkout", "--quiet", "main")
    project.repo.write("mine.txt", "not committed")
    refused = run_ralph(project.repo, "resume")
    assert (refused.returncode, "main is checked out, and not everything is committed" in refused.stderr) == (2, True)
    assert project.repo.read("mine.txt") == "not committed"


def test_a_branch_that_is_there_is_gone_on_with_and_its_plan_counts(project):
    assert project.run("submits", "-n", "1", behaviours=LAZY).returncode == 1
    plan = project.plan
    project.repo.git("checkout", "--quiet", "main")
    project.prepare()
    refused = project.run("honest")
    assert "is not committed here, and the branch ralph/shop has another" in refused.stderr
    assert refused.returncode == 2
    project.repo.commit_all("another plan")
    done = project.run("honest", "-n", "1")
    assert "1 story open, about 1 iteration, limit 1." in done.stderr
    assert "continued on the branch ralph/shop, from main" in done.stderr
    assert "review US-001" in done.stderr
    assert project.plan["userStories"][0]["notes"] == plan["userStories"][0]["notes"]


def test_rules_and_limit_of_the_settings_hold(project):
    settings = {"rules": ["Write in plain words."], "prd": {"maxIterations": 1}}
    (project.repo.home / ".ralph").mkdir(exist_ok=True)
    (project.repo.home / ".ralph/config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    shown = project.run("honest", "--dry-run")
    assert shown.stdout.endswith("\n\n## Global Rules\n- Write in plain words.\n")
    assert shown.stdout.startswith(project.repo.read("ralph/prompt.md").partition("$RALPH_ITERATION")[0])
    assert "1 story open, about 2 iterations, limit 1." in shown.stderr
    assert project.run("honest").returncode == 1
    assert "limit 4." in project.run("honest", "-n", "4", "--dry-run").stderr


TESTED = {
    "shop.py": "def price():\n    return 1\n",
    "test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price() == 2\n",
}
WEAKENS = """
def weakens():
    open("test_shop.py", "w").write("def test_price():\\n    assert True\\n")
    submits()
"""


def test_tests_that_an_earlier_loop_weakened_are_not_the_base_of_the_next(tmp_path):
    project = StoryProject(tmp_path, TESTED)
    project.prepare(commands=["python3 -m pytest -q -p no:cacheprovider"])
    assert project.run("weakens", "-n", "1", behaviours=LAZY + WEAKENS).returncode == 1
    assert project.branch == "ralph/shop"
    second = project.run("honest", "-n", "1")
    assert second.returncode == 1, second.stderr
    assert "sent back, the verify commands fail" in second.stderr
    assert project.story["passes"] is False
