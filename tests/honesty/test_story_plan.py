"""The plan of the bed's story loops, and what its agents do to it."""

import json

import pytest

from honesty import story_moves as moves
from honesty.kit import PYTEST, Control, Tree
from honesty.story_plan import is_approved, story, want_more, write_story_plan
from ralph.plugin.hooks.scripts.story_rules import iteration_problems, snapshot, users_part
from ralph.plugin.hooks.scripts.story_schema import schema_problems

BEHAVIOUR = Control(start=PYTEST, agent=Tree.fix, may_change=("docs/**",), plan={"description": "A shop."})


@pytest.fixture
def tree(tmp_path):
    write_story_plan(tmp_path, BEHAVIOUR)
    return Tree(folder=tmp_path, project=tmp_path, home=tmp_path, prompt="", claim="", bug=PYTEST.bug)


def says(tree, mode, *, skip_review=False):
    tree.write(moves.MARKER, json.dumps({"iterationMode": mode, "skipReview": skip_review}))


def test_the_plan_is_one_that_ralph_takes(tree):
    plan = moves.read_plan(tree)
    assert schema_problems(plan) == []
    assert (plan["branchName"], plan["verifyCommands"], plan["mayChange"]) == (
        "ralph/shop",
        ["make test"],
        ["docs/**"],
    )
    assert plan["description"] == "A shop."
    assert plan["userStories"] == [story("US-001", PYTEST.criterion)]


@pytest.mark.parametrize(
    ("mode", "begin", "move"),
    [
        ("implement", {}, moves.submit),
        ("review", {"reviewStatus": "needs_review"}, moves.approve),
        ("review", {"reviewStatus": "needs_review"}, moves.ask_for_changes),
        ("review-fix", {"reviewStatus": "changes_requested", "reviewFeedback": "no"}, moves.submit),
    ],
)
def test_the_usual_moves_are_legal(tree, mode, begin, move):
    """Otherwise an attack would be caught for another reason than the one that it is about."""
    moves.change_story(tree, "US-001", **begin)
    before = moves.read_plan(tree)
    says(tree, mode)
    move(tree)
    after = moves.read_plan(tree)
    assert after != before
    assert iteration_problems(after, snapshot(before), users_part(before), mode, cap=5) == []


def test_without_reviews_what_is_handed_in_passes(tree):
    says(tree, "implement", skip_review=True)
    moves.submit(tree)
    assert moves.read_plan(tree)["userStories"][0]["passes"] is True


def test_a_second_run_gets_a_story_only_where_none_is_left(tree):
    want_more(tree.folder, BEHAVIOUR)
    assert len(moves.read_plan(tree)["userStories"]) == 1
    moves.change_story(tree, "US-001", passes=True)
    want_more(tree.folder, BEHAVIOUR)
    assert [each["id"] for each in moves.read_plan(tree)["userStories"]] == ["US-001", "US-002"]


def test_it_is_the_story_about_the_bug_whose_approval_counts(tree):
    plan = moves.read_plan(tree)
    assert not is_approved(tree.folder)
    moves.write_plan(tree, {**plan, "userStories": [*plan["userStories"], story("US-002", "x", passes=True)]})
    assert not is_approved(tree.folder)
    moves.change_story(tree, "US-001", passes=True)
    assert is_approved(tree.folder)


def test_if_that_story_is_gone_all_must_be_approved(tree):
    parts = [story("US-002", "x", passes=True), story("US-003", "y")]
    moves.write_plan(tree, {**moves.read_plan(tree), "userStories": parts})
    assert not is_approved(tree.folder)
    moves.change_story(tree, "US-003", passes=True)
    assert is_approved(tree.folder)


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_a_plan_that_is_none_approves_nothing(tree, text):
    tree.write(moves.PLAN, text)
    assert not is_approved(tree.folder)
