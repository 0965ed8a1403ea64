"""Seed 004, verification plan 3: the Stop hook, with valid and invalid plans, before and after an iteration."""

import copy
import json

import pytest

from plugin_hooks import marker
from ralph.testing import temp_repo

STORY = {
    "id": "US-001",
    "title": "Log in",
    "acceptanceCriteria": ["A wrong password gives 401"],
    "priority": 1,
    "passes": False,
    "reviewStatus": None,
    "reviewCount": 0,
    "reviewFeedback": "",
    "notes": "wrote it",
}
TOP = {"project": "shop", "branchName": "ralph/shop", "description": ""}
SEEDS_FIELDS = ("passes", "reviewStatus", "reviewCount")


class Loop:
    """A project in which a loop is running, with the marker of the seed."""

    def __init__(self, repo, hooks):
        self.repo, self.hooks = repo, hooks

    def stop(self, plan, before=None, mode="implement", *, commit=True, **more):
        """Why the agent may not stop with this plan; `before` is what the iteration began with, if that is known."""
        self.repo.write("ralph/tasks.json", plan if isinstance(plan, str) else json.dumps(plan))
        if commit:
            self.repo.commit_all("work")
        if before is not None:
            fields = {each["id"]: {key: each[key] for key in SEEDS_FIELDS} for each in before["userStories"]}
            more |= {"iterationMode": mode, "preIterationSnapshot": fields}
        marker(self.repo.path, max_iterations=15, **{"skipReview": False, "reviewCap": 5, **more})
        answer = self.hooks.call("stop_loop_reminder", {"cwd": str(self.repo.path)})
        return answer["reason"] if answer else ""


@pytest.fixture
def loop(tmp_path, hooks):
    return Loop(temp_repo(tmp_path, {".gitignore": ".ralph-active\n"}), hooks)


def plan(*stories):
    return {**TOP, "userStories": [{**STORY, **each} for each in stories]}


def test_schema_validation_blocks_on_a_malformed_task_list_and_passes_on_a_valid_one(loop):
    assert loop.stop(plan({})) == ""
    assert "is not valid JSON" in loop.stop("{")
    for field in STORY:
        broken = plan({})
        del broken["userStories"][0][field]
        if field != "notes":
            assert f"'{field}'" in loop.stop(broken, commit=False)
    for field in (*TOP, "userStories"):
        broken = plan({})
        del broken[field]
        assert f"'{field}'" in loop.stop(broken, commit=False)
    assert "US-001" in loop.stop(plan({}, {})), "ids are unique"
    assert "notes" in loop.stop(plan({"passes": True, "reviewStatus": "approved", "reviewCount": 1, "notes": ""}))


def test_uncommitted_changes_return_a_block_decision(loop):
    assert loop.stop(plan({})) == ""
    loop.repo.write("new.py", "x")
    answer = loop.hooks.call("stop_loop_reminder", {"cwd": str(loop.repo.path)})
    assert answer["decision"] == "block"
    assert "new.py" in answer["reason"]


INTEGRITY = [
    ({"passes": True, "reviewStatus": None}, "not 'approved'"),
    ({"passes": True, "reviewStatus": "needs_review"}, "not 'approved'"),
    ({"passes": True, "reviewStatus": "changes_requested", "reviewFeedback": "x"}, "not 'approved'"),
    ({"passes": True, "reviewStatus": "approved"}, ""),
    ({"reviewStatus": "changes_requested", "reviewFeedback": ""}, "eedback"),
    ({"reviewStatus": "approved", "passes": False}, "sync"),
    ({"reviewCount": -1}, "reviewCount"),
]


@pytest.mark.parametrize(("story", "words"), INTEGRITY)
def test_review_integrity_is_enforced_without_a_snapshot_too(loop, story, words):
    """Check 2 alone: the snapshot is missing, check 2.5 is left out with a warning."""
    reason = loop.stop(plan(story))
    assert words in reason if words else reason == ""
    if "reviewCount" not in story:
        assert "transitions were not checked" in loop.hooks.errors


def test_skip_review_skips_both_checks(loop):
    story = {"passes": True, "reviewStatus": None}
    assert loop.stop(plan(story), before=plan({}), skipReview=True) == ""


DONE = {"passes": True, "reviewStatus": "approved"}
WAITS = {"reviewStatus": "needs_review", "reviewCount": 1}
ASKED = {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "why"}
TRANSITIONS = [
    ("implement", {}, {"passes": True}, "Implement iterations cannot set passes=true"),
    (
        "implement",
        {},
        {"reviewStatus": "approved", "passes": True},
        "Implement iterations cannot set passes=true or approve",
    ),
    ("implement", {}, {"reviewCount": 1}, "reviewCount 0"),
    ("implement", {}, {"reviewStatus": "needs_review"}, ""),
    ("review", WAITS, {**DONE, "reviewCount": 2}, ""),
    ("review", WAITS, {**ASKED, "reviewCount": 2}, ""),
    ("review", WAITS, {**DONE, "reviewCount": 1}, "Review iteration made illegal transition on story US-001"),
    ("review-fix", ASKED, {**DONE, "reviewCount": 1}, "Review-fix iterations cannot approve stories"),
    ("review-fix", ASKED, WAITS, ""),
    ("review-fix", ASKED, {**WAITS, "reviewCount": 2}, "reviewCount"),
]


@pytest.mark.parametrize(("mode", "before", "after", "words"), TRANSITIONS)
def test_a_mode_makes_only_its_own_transitions(loop, mode, before, after, words):
    reason = loop.stop(plan(after), before=plan(before), mode=mode)
    assert words in reason if words else reason == ""


def test_a_new_story_starts_incomplete(loop):
    assert loop.stop(plan({}, {"id": "US-002"}), before=plan({})) == ""
    done = {"id": "US-002", **DONE, "reviewCount": 1}
    assert "US-002" in loop.stop(plan({}, done), before=plan({}))


def test_a_review_may_only_modify_one_story(loop):
    before = plan(WAITS, {"id": "US-002", **WAITS})
    both = plan({**DONE, "reviewCount": 2}, {"id": "US-002", **DONE, "reviewCount": 2})
    assert "one story" in loop.stop(both, before=before, mode="review")
    one = copy.deepcopy(before)
    one["userStories"][0] |= {**DONE, "reviewCount": 2}
    assert loop.stop(one, before=before, mode="review") == ""


def test_without_the_marker_nothing_is_checked(loop):
    loop.repo.write("ralph/tasks.json", "{")
    assert loop.hooks.call("stop_loop_reminder", {"cwd": str(loop.repo.path)}) is None
