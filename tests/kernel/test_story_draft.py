"""From proposed stories to a plan: what stays the user's, and what is sent back."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from plans import stories, story
from ralph.kernel.plan_forms import StoriesDraft
from ralph.kernel.plan_options import StoryPlanRun
from ralph.kernel.story_draft import story_plan, story_problems
from ralph.plugin.hooks.scripts.story_rules import invariant_problems
from ralph.plugin.hooks.scripts.story_schema import schema_problems

RUN = StoryPlanRun("", "prd", "", "", "shop", "ralph/shop", commands=("make test",), may_change=("tests/old/**",))


def draft(*made, **changes):
    return msgspec.json.decode(stories(*made, **changes), type=StoriesDraft)


def test_what_the_user_wrote_stays_and_comes_first():
    plan = story_plan(RUN, draft(branchName="ralph/other", verifyCommands=["make lint", "make test"], mayChange=["a"]))
    assert plan["branchName"] == "ralph/shop"
    assert plan["verifyCommands"] == ["make test", "make lint"]
    assert plan["mayChange"] == ["tests/old/**", "a"]


def test_the_planner_names_the_branch_where_nobody_has():
    assert story_plan(replace(RUN, branch=""), draft())["branchName"] == "ralph/greeting"


def test_stories_stand_in_the_order_of_their_priorities_and_nothing_has_begun():
    plan = story_plan(RUN, draft(story(2), story(1)))
    assert [each["id"] for each in plan["userStories"]] == ["US-001", "US-002"]
    assert not schema_problems(plan)
    assert not invariant_problems(plan)
    assert "mayChange" not in story_plan(replace(RUN, may_change=()), draft())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"userStories": []}, "there is nothing to do"),
        ({"userStories": [story(acceptanceCriteria=[])]}, "'acceptanceCriteria' must be"),
        ({"userStories": [story(acceptanceCriteria=["It works correctly."])]}, "cannot be verified"),
        ({"userStories": [story(acceptanceCriteria=[" "])]}, "cannot be verified"),
        ({"userStories": [story(title=" ")]}, "has no title"),
        ({"userStories": [story(description="")]}, "has no description"),
        ({"userStories": [story(dependsOn=["US-002"]), story(2)]}, "its priority must be above 2, not 1"),
        ({"userStories": [story(dependsOn=["US-002"]), story(2, dependsOn=["US-001"])]}, "in a circle"),
        ({"description": ""}, "'description' is empty"),
        ({"verifyCommands": [""]}, "is empty"),
        ({"mayChange": ["**/*"]}, "would let agents change every test"),
    ],
)
def test_what_breaks_the_rules_is_named(changes, problem):
    assert problem in " ".join(story_problems(RUN, draft(**changes)))


@pytest.mark.parametrize("branch", ["", "-x", "a b", "a..b", "a/", "a.lock", "/a", "a//b", "a:b", "ralph/ä"])
def test_a_branch_that_git_might_not_take_is_named(branch):
    assert story_problems(replace(RUN, branch=""), draft(branchName=branch))


@given(st.lists(st.builds(story, st.integers(1, 4), dependsOn=st.lists(st.sampled_from(["US-001", "US-002", "x"])))))
def test_what_has_no_problem_is_a_plan_that_the_loop_takes(made):
    given_draft = draft(userStories=made)
    if not story_problems(RUN, given_draft):
        plan = story_plan(RUN, given_draft)
        assert not schema_problems(plan)
        order = [each["id"] for each in plan["userStories"]]
        assert all(
            order.index(need) < order.index(each["id"]) for each in plan["userStories"] for need in each["dependsOn"]
        )
