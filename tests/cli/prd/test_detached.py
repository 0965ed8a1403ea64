"""`ralph prd run --detach`: the stories go on in the background, and every status shows them."""

import json
import time

import pytest

from loops import wait_until
from ralph.testing import run_ralph
from story_project import StoryProject

HELD = """
import time
def held():
    open(os.path.join(os.environ["HOME"], "ready"), "w").close()
    while not os.path.exists(os.path.join(os.environ["HOME"], "go")):
        time.sleep(0.05)
    honest()
"""
SOON = 20.0


@pytest.fixture
def project(tmp_path):
    """A project whose agent is released at the end, so that none waits for ever."""
    project = StoryProject(tmp_path)
    project.prepare()
    yield project
    (project.repo.home / "go").touch()


def shown(project, *args):
    ended = run_ralph(project.repo, *args)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def the_run(project):
    [run] = json.loads(shown(project, "runs", "--json"))
    return run


def test_it_returns_at_once_goes_on_is_shown_and_ends(project):
    began = time.monotonic()
    started = project.run("held, honest", "--detach", behaviours=HELD, timeout=SOON)
    assert started.returncode == 0, started.stderr
    assert time.monotonic() - began < SOON
    run = the_run(project)
    assert f"ralph run {run['id']} runs in the background" in started.stdout
    wait_until((project.repo.home / "ready").exists, "the agent was not started")

    assert the_run(project)["status"] == "running"
    status = shown(project, "status")
    assert run["id"] in status
    assert "running" in status
    assert "0 of 1 stories done" in shown(project, "prd", "status")
    second = project.prd("run", "--agent", str(project.agent), "--detach")
    assert second.returncode == 2
    assert "pid" in second.stderr

    (project.repo.home / "go").touch()
    wait_until(lambda: the_run(project)["status"] == "ended", f"it has not ended: {run}")
    assert the_run(project)["verdict"] == "verified"
    assert "1 of 1 stories done" in shown(project, "prd", "status")
    assert project.branch == "ralph/shop"


def test_what_it_prints_to_stop_it_stops_it(project):
    started = project.run("held", "--detach", behaviours=HELD, timeout=SOON)
    wait_until((project.repo.home / "ready").exists, "the agent was not started")
    stop = started.stdout.split("Stop it: ralph ")[1].split()
    shown(project, *stop)
    wait_until(lambda: the_run(project)["status"] == "ended", "it was not cancelled")
    assert the_run(project)["verdict"] == "cancelled"
    assert "0 of 1 stories done" in shown(project, "prd", "status")
