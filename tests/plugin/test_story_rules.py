"""The rules of a story plan, in the words of the seed's verification plan, and as a property over all plans."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.plugin.hooks.scripts.story_rules import (
    finished,
    invariant_problems,
    is_complete,
    iteration_mode,
    next_story,
    restored,
    snapshot,
    transition_problems,
    users_part,
    users_problems,
)
from ralph.plugin.hooks.scripts.story_schema import schema_problems
from user_stories import story

CAP = 5


def plan(*stories, **changes):
    return {
        "project": "shop",
        "branchName": "ralph/shop",
        "description": "A shop",
        "verifyCommands": ["make test"],
        "userStories": list(stories),
        **changes,
    }


def invariants(**changes):
    return [problem.message for problem in invariant_problems(plan(story(**changes)), CAP)]


def moved(mode, before, after):
    """What is wrong with an iteration that began with these stories and ended with those."""
    return transition_problems(plan(*after), snapshot(plan(*before)), mode)


# The seed's "Review integrity enforcement tests", one by one.


@pytest.mark.parametrize("status", [None, "needs_review", "changes_requested"])
def test_passes_without_approval_blocks(status):
    [message] = invariants(passes=True, reviewStatus=status, reviewFeedback="fix it")
    assert "not 'approved'" in message
    assert "Only review iterations may approve" in message


def test_passes_with_approval_passes():
    assert invariants(passes=True, reviewStatus="approved") == []


def test_changes_requested_needs_feedback():
    [message] = invariants(reviewStatus="changes_requested")
    assert "feedback is required" in message


def test_approved_without_passes_is_out_of_sync():
    [message] = invariants(reviewStatus="approved")
    assert "out of sync" in message


def test_a_negative_review_count_is_invalid():
    [message] = schema_problems(plan(story(reviewCount=-1)))
    assert "'reviewCount' must be a whole number of at least 0, not -1" in message


def test_a_review_count_beyond_the_cap_blocks():
    assert invariants(reviewCount=CAP + 1) == []
    assert "more than the review cap" in invariants(reviewCount=CAP + 2)[0]


# The seed's "Transition validation tests (Check 2.5)", one by one.


@pytest.mark.parametrize(
    ("mode", "old", "new", "words"),
    [
        ("implement", {}, {"passes": True}, "Implement iterations cannot set passes=true"),
        ("implement", {}, {"reviewStatus": "approved"}, "Only review iterations may approve"),
        ("implement", {}, {"reviewCount": 1}, "reviewCount 0 → 1"),
        ("implement", {}, {"reviewStatus": "needs_review"}, ""),
        (
            "review",
            {"reviewStatus": "needs_review", "reviewCount": 1},
            {"reviewStatus": "approved", "reviewCount": 2, "passes": True},
            "",
        ),
        (
            "review",
            {"reviewStatus": "needs_review", "reviewCount": 1},
            {"reviewStatus": "changes_requested", "reviewCount": 2, "reviewFeedback": "line 3"},
            "",
        ),
        (
            "review",
            {"reviewStatus": "needs_review", "reviewCount": 1},
            {"reviewStatus": "approved", "reviewCount": 1, "passes": True},
            "review must increment reviewCount",
        ),
        (
            "review",
            {"reviewStatus": "needs_review", "reviewCount": 1},
            {"reviewStatus": "changes_requested", "reviewCount": 2},
            "without reviewFeedback",
        ),
        (
            "review-fix",
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "x"},
            {"passes": True, "reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "x"},
            "Review-fix iterations cannot approve",
        ),
        (
            "review-fix",
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "x"},
            {"reviewStatus": "needs_review", "reviewCount": 1},
            "",
        ),
        (
            "review-fix",
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "x"},
            {"reviewStatus": "needs_review", "reviewCount": 2},
            "reviewCount 1 → 2",
        ),
        (
            "review-fix",
            {"reviewStatus": "changes_requested", "reviewCount": 1, "reviewFeedback": "x"},
            {"reviewStatus": "needs_review", "reviewCount": 1, "reviewFeedback": "x"},
            "clear its reviewFeedback",
        ),
    ],
)
def test_a_mode_allows_only_its_own_transitions(mode, old, new, words):
    problems = moved(mode, [story(**old)], [story(**new)])
    assert [words in each.message for each in problems] == ([True] if words else [])


def test_a_new_story_starts_incomplete():
    before = [story()]
    assert moved("implement", before, [story(), story("US-002")]) == []
    for change in ({"passes": True}, {"reviewStatus": "approved"}, {"reviewCount": 1}):
        [problem] = moved("implement", before, [story(), story("US-002", **change)])
        assert "New story US-002 must start incomplete" in problem.message


def test_a_review_decides_about_exactly_one_story():
    waits = {"reviewStatus": "needs_review"}
    approved = {"reviewStatus": "approved", "passes": True, "reviewCount": 1}
    before = [story(**waits), story("US-002", **waits)]
    both = moved("review", before, [story(**approved), story("US-002", **approved)])
    assert {each.story for each in both} == {"US-001", "US-002"}, "both are undone"
    assert all("may only modify one story" in each.message for each in both)
    [none] = moved("review", before, before)
    assert "review must increment reviewCount" in none.message


def test_without_the_fields_of_today_the_snapshot_of_an_older_loop_still_counts():
    before = {"US-001": {"passes": False, "reviewStatus": None, "reviewCount": 0}}
    [problem] = transition_problems(plan(story(passes=True, reviewStatus="approved")), before, "implement")
    assert "illegal transition" in problem.message


# What was decided where the seed is silent.


def test_a_story_is_submitted_only_behind_those_it_depends_on():
    second = {"dependsOn": ["US-001"]}
    before = [story(), story("US-002", **second)]
    [problem] = moved("implement", before, [story(), story("US-002", reviewStatus="needs_review", **second)])
    assert "cannot be submitted for review: it depends on US-001" in problem.message


@pytest.mark.parametrize("mode", ["implement", "review", "review-fix"])
def test_no_story_vanishes_or_loses_a_criterion_in_any_mode(mode):
    before = [story(), story("US-002", reviewStatus={"review": "needs_review"}.get(mode))]
    gone = moved(mode, before, [before[1]])
    assert ("US-001", "all") in {(each.story, each.rule) for each in gone}
    emptier = moved(mode, before, [story(acceptanceCriteria=["It works"]), before[1]])
    assert ("US-001", "criteria") in {(each.story, each.rule) for each in emptier}


def test_a_story_may_be_split_into_stories_that_carry_its_criteria():
    two = ["A wrong password gives 401", "A right one gives 200"]
    before = [story(acceptanceCriteria=two)]
    parts = [
        story("US-001a", acceptanceCriteria=two[:1], splitFrom="US-001"),
        story("US-001b", acceptanceCriteria=two[1:], splitFrom="US-001"),
    ]
    assert moved("implement", before, parts) == []
    [problem] = moved("implement", before, parts[:1])
    assert 'lack the acceptance criterion "A right one gives 200"' in problem.message
    kept = [story(acceptanceCriteria=two[:1]), parts[1]]
    assert moved("implement", before, kept) == [], "the first part may keep the story's own id"


def test_an_approved_story_is_never_changed():
    done = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
    [problem] = moved("implement", [story(**done)], [story(title="Another", **done)])
    assert "is approved: it may not be changed" in problem.message


def test_only_implement_iterations_reorder():
    fix = {"reviewStatus": "changes_requested", "reviewFeedback": "x"}
    assert moved("implement", [story()], [story(priority=7)]) == []
    [problem] = moved("review-fix", [story(**fix)], [story(priority=7, **fix)])
    assert "only implement iterations may change priorities" in problem.message


def test_a_fix_that_changes_nothing_is_legal():
    stuck = [story(reviewStatus="changes_requested", reviewFeedback="x")]
    assert moved("review-fix", stuck, stuck) == []


def test_the_users_fields_stay_and_commands_may_be_added():
    users = users_part(plan(story()))
    assert users_problems(plan(story(), verifyCommands=["make test", "make lint"]), users) == []
    for change in ({"branchName": "main"}, {"verifyCommands": []}, {"verifyCommands": ["true"]}, {"mayChange": ["*"]}):
        changed = plan(story(), **change)
        [problem] = users_problems(changed, users)
        assert problem.rule == "users"
        assert users_problems(restored(changed, snapshot(plan(story())), [problem], users), users) == []


# Check 1.


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ([], "must be a JSON object"),
        ({}, "has no field 'project'"),
        (plan(), "is empty"),
        (plan(userStories={}), "must be a list"),
        (plan(story(), branchName=3), "'branchName' in tasks.json must be text"),
        (plan(story(), verifyCommands="make"), "'verifyCommands' in tasks.json must be a list of texts"),
        (plan("x"), "Story 1 in tasks.json must be an object"),
        (plan(story(acceptanceCriteria=[])), "'acceptanceCriteria' must be a list of texts that is not empty"),
        (plan(story(passes="yes")), "'passes' must be true or false"),
        (plan(story(priority=True)), "'priority' must be a number"),
        (plan(story(priority=float("nan"))), "'priority' must be a number"),
        (plan(story(reviewStatus="done")), "'reviewStatus' must be null"),
        (plan(story(reviewStatus=["approved"])), "'reviewStatus' must be null"),
        (plan(story(dependsOn="US-002")), "'dependsOn' must be a list"),
        (plan(story(notes=None)), "'notes' must be text"),
        (plan(story(passes=True, notes=" ")), "passes=true with empty notes"),
        (plan(story(), story()), "US-001 is used by more than one story"),
        (plan(story(dependsOn=["US-009"])), "depends on US-009, which is not a story"),
        (
            plan(story(dependsOn=["US-002"]), story("US-002", dependsOn=["US-001"])),
            "in a circle: US-001 > US-002 > US-001",
        ),
    ],
)
def test_what_is_malformed_is_named(broken, words):
    assert words in schema_problems(broken)[0]


def test_a_sound_plan_has_no_problem_and_may_have_fields_that_nobody_knows():
    assert schema_problems(plan(story(color="blue"), tool="mine")) == []


def test_a_chain_of_many_stories_is_judged_without_recursion():
    many = [story(f"US-{number}", dependsOn=[f"US-{number - 1}"] if number else []) for number in range(20_000)]
    assert schema_problems(plan(*many)) == []


# Order and modes.


def test_fixes_come_before_reviews_and_reviews_before_new_work():
    new, waits = story("A"), story("B", reviewStatus="needs_review")
    sent_back = story("C", reviewStatus="changes_requested", reviewFeedback="x")
    assert iteration_mode(plan(new, waits, sent_back)) == "review-fix"
    assert iteration_mode(plan(new, waits)) == "review"
    assert iteration_mode(plan(new)) == "implement"
    assert iteration_mode(plan(new, waits, sent_back), skip_review=True) == "implement"


def test_the_first_story_that_is_ready_is_next():
    done = story("A", passes=True, reviewStatus="approved")
    stories = plan(done, story("B", priority=3), story("C", priority=2, dependsOn=["B"]), story("D", priority=3))
    assert next_story(stories, "implement")["id"] == "B"
    assert finished(stories) == {"A"}
    assert next_story(plan(done), "implement") is None


def test_complete_means_approved_unless_reviews_are_skipped():
    passed = plan(story(passes=True))
    assert not is_complete(passed)
    assert is_complete(passed, skip_review=True)
    assert is_complete(plan(story(passes=True, reviewStatus="approved")))
    assert not is_complete(plan())


# Whatever an agent leaves, what `restored` makes of it is legal.

statuses = st.sampled_from([None, "needs_review", "changes_requested", "approved"])
criteria = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
names = st.sampled_from(["US-1", "US-2", "US-3"])


@st.composite
def any_story(draw, name):
    return story(
        name,
        passes=draw(st.booleans()),
        reviewStatus=draw(statuses),
        reviewCount=draw(st.integers(0, 8)),
        reviewFeedback=draw(st.sampled_from(["", "fix it"])),
        acceptanceCriteria=draw(criteria),
        priority=draw(st.integers(1, 3)),
        **({"splitFrom": draw(names)} if draw(st.booleans()) else {}),
    )


@st.composite
def legal_plans(draw):
    stories = []
    for name in draw(st.lists(names, min_size=1, unique=True)):
        each = draw(any_story(name))
        approved = each["reviewStatus"] == "approved"
        feedback = "fix it" if each["reviewStatus"] == "changes_requested" else ""
        stories.append(
            {**each, "passes": approved, "reviewFeedback": feedback, "reviewCount": min(each["reviewCount"], 5)}
        )
    return plan(*stories)


@st.composite
def any_plans(draw):
    chosen = draw(st.lists(st.sampled_from(["US-1", "US-2", "US-3", "US-4"]), min_size=1, unique=True))
    return plan(*[draw(any_story(name)) for name in chosen])


@given(legal_plans(), any_plans(), st.sampled_from(["implement", "review", "review-fix"]))
def test_what_is_restored_is_legal_and_approves_nothing_by_itself(before, after, mode):
    held = snapshot(before)
    now = after
    for _ in range(3):
        problems = [*transition_problems(now, held, mode), *invariant_problems(now, CAP)]
        if not [each for each in problems if each.story]:
            break
        now = restored(now, held, problems, users_part(before))
    left = [each for each in [*transition_problems(now, held, mode), *invariant_problems(now, CAP)] if each.story]
    assert left == []
    gained = finished(now) - finished(before)
    assert len(gained) <= (1 if mode == "review" else 0)
    assert json.loads(json.dumps(now)) == now
