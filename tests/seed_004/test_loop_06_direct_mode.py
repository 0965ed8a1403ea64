"""Seed 004, verification plan 6: `--no-sandbox --max-iterations 1` verifies that the fallback works."""

import json

import pytest

from story_project import StoryProject

pytestmark = pytest.mark.e2e


def test_one_iteration_without_a_sandbox(tmp_path):
    project = StoryProject(tmp_path)
    project.prepare()
    looks = """
def looks():
    marker = json.load(open(".ralph-active"))
    json.dump(marker, open(os.path.join(os.environ["HOME"], "marker.json"), "w"))
    honest()
"""
    done = project.run("looks", "--no-sandbox", "--max-iterations", "1", behaviours=looks)
    assert done.returncode == 1, done.stderr
    assert project.story["reviewStatus"] == "needs_review"
    marker = json.loads((project.repo.home / "marker.json").read_text(encoding="utf-8"))
    assert marker["max_iterations"] == 1
    assert (marker["mode"], marker["skipReview"], marker["reviewCap"]) == ("direct", False, 5)
    assert marker["iterationMode"] == "implement"
    before = marker["preIterationSnapshot"]["US-001"]
    assert (before["passes"], before["reviewStatus"], before["reviewCount"]) == (False, None, 0)
    assert {"timestamp", "pid", "project", "runId", "ralphDir", "backend", "userFiles"} <= set(marker)
    assert not (project.repo.path / ".ralph-active").exists()
