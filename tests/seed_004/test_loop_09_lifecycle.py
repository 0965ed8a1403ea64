"""Seed 004, verification plan 9: implement, review, fix, re-review, as the words of the seed have it."""

import json

import pytest

from story_project import CHEATS, StoryProject

pytestmark = pytest.mark.e2e

PICKY = """
def picky():
    if mode == "review" and story["reviewCount"] == 0:
        story["reviewCount"] += 1
        story.update(reviewStatus="changes_requested", reviewFeedback="say it louder")
        save()
        commit("review: [US-001] - changes requested")
    else:
        honest()
    keep = os.path.join(os.environ["HOME"], "states")
    with open(keep, "a") as file:
        file.write(json.dumps([mode, story["reviewStatus"], story["passes"], story["reviewCount"]]) + "\\n")
"""


@pytest.fixture
def project(tmp_path):
    made = StoryProject(tmp_path)
    made.prepare()
    return made


def states(project):
    return [json.loads(line) for line in (project.repo.home / "states").read_text(encoding="utf-8").splitlines()]


def test_a_story_goes_from_implement_over_review_and_fix_to_approved(project):
    done = project.run("picky", behaviours=PICKY)
    assert done.returncode == 0, done.stderr
    assert states(project) == [
        ["implement", "needs_review", False, 0],
        ["review", "changes_requested", False, 1],
        ["review-fix", "needs_review", False, 1],
        ["review", "approved", True, 2],
    ]
    assert project.story["reviewFeedback"] == ""
    assert "proven done after 4 iterations" in done.stderr


def test_an_implementation_that_sets_passes_is_undone(project):
    done = project.run("cheats", "-n", "1", behaviours=CHEATS)
    assert done.returncode == 1
    assert "Implement iterations cannot set passes=true" in done.stderr
    assert (project.story["passes"], project.story["reviewStatus"]) == (False, None)


def test_a_promise_alone_completes_nothing(project):
    promises = """
def promises():
    honest()
    print("<promise>COMPLETE</promise>")
"""
    done = project.run("promises", "-n", "1", behaviours=promises)
    assert done.returncode == 1
    assert "COMPLETE was promised, but not all stories are done: US-001" in done.stderr


def test_at_the_review_cap_the_story_is_approved_with_its_prefix(project):
    done = project.run("picky", "--review-cap", "1", behaviours=PICKY)
    assert done.returncode == 0, done.stderr
    assert project.story["reviewFeedback"] == "[AUTO-APPROVED AT CAP] say it louder"
    assert "proven done" not in done.stderr
    assert "Approved at the review cap, look at them: US-001" in done.stderr


def test_skip_review_goes_without_reviews(project):
    direct = """
def direct():
    open("work.txt", "w").write("right")
    story.update(passes=True, notes="n")
    save()
    commit()
"""
    done = project.run("direct", "--skip-review", behaviours=direct)
    assert done.returncode == 0, done.stderr
    assert (project.story["reviewStatus"], project.story["reviewCount"]) == (None, 0)
