"""A person who changes the plan while a story loop is paused."""

import json

import pytest

from loops import Running, wait_until
from ralph.testing import run_ralph
from story_project import StoryProject

pytestmark = pytest.mark.e2e
WAITS = """
import pathlib, time
home = pathlib.Path(os.environ["HOME"])
def waits():
    (home / "ready").touch()
    until = time.monotonic() + 30
    while not (home / "go").exists() and time.monotonic() < until:
        time.sleep(0.02)
    honest()
"""


@pytest.fixture
def project(tmp_path):
    made = StoryProject(tmp_path)
    made.prepare()
    return made


@pytest.fixture
def paused(project):
    """A loop whose pause was asked for while the agent was at work, with a plan that was changed after that."""
    agent = project.write_agent("waits, honest", WAITS)
    home = project.repo.home
    with Running(project, ("prd", "run", "--agent", str(agent)), {}) as loop:
        wait_until((home / "ready").exists, "the agent did not begin")
        assert run_ralph(project.repo, "pause").returncode == 0
        (home / "go").touch()
        wait_until(lambda: shown(project)["status"] == "paused", "it was not paused")
        assert project.story["reviewStatus"] == "needs_review"
        project.change(description="A shop for hats.")
        yield loop


def shown(project):
    return json.loads(run_ralph(project.repo, "show", "--json").stdout)


def test_it_counts_when_the_loop_goes_on(project, paused):
    assert run_ralph(project.repo, "resume", shown(project)["id"]).returncode == 0
    ended = paused.end()
    assert ended.code == 0, ended.err
    assert "accepted what was changed by hand: ralph/tasks.json" in ended.err
    assert project.plan["description"] == "A shop for hats."


def test_it_stays_when_the_loop_is_cancelled(project, paused):
    assert run_ralph(project.repo, "cancel", shown(project)["id"]).returncode == 0
    assert paused.end().code == 130
    assert project.plan["description"] == "A shop for hats."
