"""The stories recipe against given results: what it asks for, and when it is done."""

import copy

import pytest

from playing import WORKED, fed_back, given_up, kinds, play, prompts, tried
from ralph.kernel.actions.proof import TryCheck, WriteProof
from ralph.kernel.actions.stories import (
    BeginStory,
    BegunStory,
    EditedPlan,
    EditPlan,
    OpenedStories,
    OpenStories,
    SettledStory,
    SettleStory,
)
from ralph.kernel.recipes.stories import EMPTY_TRIES, stories_loop
from ralph.kernel.story_options import StoriesRun
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import AgentFailed, MaxIterations, Verified
from user_stories import story

DONE = {"passes": True, "reviewStatus": "approved", "reviewCount": 1}
EMPTY = AgentReport("ok", "it exited with code 0", "a", final="")


def plan(*stories, commands=("make test",)):
    made = {"project": "p", "branchName": "ralph/p", "description": ""}
    return {**made, "verifyCommands": list(commands), "userStories": list(stories)}


def played(*plans, run=None, start=None, reports=None, **results):
    """The loop with an agent that leaves these plans one after the other."""
    run = run or StoriesRun(limit=len(plans) or 1, branch="ralph/p")
    first = start or plan(story(), commands=plans[0]["verifyCommands"] if plans else ("make test",))
    now = {"plan": first}

    def begin(action):
        return BegunStory("implement", "US-001", f"h{action.iteration}", now["plan"], "the prompt")

    left = iter(plans)

    def settle(action):
        if not action.call:
            now["plan"] = next(left)
        return SettledStory(now["plan"], f"h{action.iteration}x", changed=action.start.plan != now["plan"])

    def edit(action):
        made = copy.deepcopy(now["plan"])
        for each in made["userStories"]:
            if each["id"] in action.stories:
                at_cap = action.what == "approve-at-cap"
                each |= {"passes": at_cap, "reviewStatus": "approved" if at_cap else "changes_requested"}
                each["reviewFeedback"] = action.text
        now["plan"] = made
        return EditedPlan(made, "edited")

    given = {
        OpenStories: OpenedStories("base", "h0", first),
        BeginStory: begin,
        SettleStory: settle,
        EditPlan: edit,
        **(
            {}
            if reports is None
            else {__import__("ralph.kernel.actions.agent", fromlist=["RunAgent"]).RunAgent: reports}
        ),
        **results.get("more", {}),
    }
    return play(stories_loop(run), given)


def test_it_is_done_when_every_story_is_approved_and_the_commands_hold():
    actions, verdict = played(plan(story(reviewStatus="needs_review")), plan(story(**DONE)))
    assert isinstance(verdict, Verified)
    assert verdict.proof == "checked"
    assert verdict.commit == "h2x"
    assert WriteProof in kinds(actions)
    assert all(action.tree for action in actions if isinstance(action, TryCheck))


def test_without_commands_nothing_is_called_proven():
    _, verdict = played(plan(story(**DONE), commands=()))
    assert verdict.proof == "word"
    assert verdict.reason == "reviewed after 1 iteration; nothing was run"


def test_a_promise_without_approval_is_told_and_does_not_end_it():
    said = AgentReport("ok", "ok", "a", final="<promise>COMPLETE</promise>")
    actions, verdict = played(plan(story(reviewStatus="needs_review")), reports=said)
    assert isinstance(verdict, MaxIterations)
    assert "COMPLETE was promised, but not all stories are done: US-001" in fed_back(actions)[0]


def begun_with(*plans):
    """What the iterations begin with, whatever the ones before have left."""
    given = iter(plans)
    return lambda action: BegunStory("implement", "US-002", f"h{action.iteration}", next(given), "the prompt")


def test_a_story_that_was_approved_while_the_loop_did_not_look_is_named_and_not_called_proven():
    first, half = plan(story(), story("US-002")), plan(story(**DONE), story("US-002"))
    whole = plan(story(**DONE), story("US-002", **DONE))
    _, verdict = played(whole, start=first, more={BeginStory: begun_with(half)})
    assert verdict.proof == "warned"
    assert "approved in the plan and by no review of this loop: US-001" in verdict.reason
    assert "proven done" not in verdict.reason


def test_one_that_is_reviewed_after_all_counts_as_any_other():
    first, half = plan(story(), story("US-002")), plan(story(**DONE), story("US-002"))
    whole = plan(story(**DONE), story("US-002", **DONE))
    _, verdict = played(first, whole, start=first, more={BeginStory: begun_with(half, first)})
    assert verdict.proof == "checked"


def test_an_approval_that_fails_the_commands_is_sent_back():
    more = {TryCheck: lambda action: tried(action, passed=False)}
    actions, verdict = played(plan(story(**DONE)), more=more)
    [edit] = [action for action in actions if isinstance(action, EditPlan)]
    assert (edit.what, edit.stories) == ("send-back", ("US-001",))
    assert isinstance(verdict, MaxIterations)
    assert "The verify commands fail" in fed_back(actions)[0]


def test_at_the_cap_changes_requested_becomes_an_approval_that_is_never_called_proven():
    left = plan(story(reviewStatus="changes_requested", reviewCount=1, reviewFeedback="meh"))
    actions, verdict = played(left, run=StoriesRun(limit=1, branch="ralph/p", cap=1))
    [edit] = [action for action in actions if isinstance(action, EditPlan)]
    assert edit.what == "approve-at-cap"
    assert verdict.proof == "warned"
    assert "US-001" in verdict.reason
    assert "proven done" not in verdict.reason


def test_at_the_cap_failing_commands_block():
    left = plan(story(reviewStatus="changes_requested", reviewCount=1, reviewFeedback="meh"))
    more = {TryCheck: lambda action: tried(action, passed=False)}
    actions, _ = played(left, run=StoriesRun(limit=1, branch="ralph/p", cap=1), more=more)
    assert [action.what for action in actions if isinstance(action, EditPlan)] == ["block"]


def test_an_empty_answer_is_tried_again_in_the_same_iteration_and_then_ends_it():
    same = plan(story())
    actions, verdict = played(same, start=same, reports=EMPTY)
    assert isinstance(verdict, AgentFailed)
    assert len(prompts(actions)) == EMPTY_TRIES + 1
    assert {action.iteration for action in actions if isinstance(action, SettleStory)} == {1}
    assert "answered nothing" in given_up(actions)[0]


def test_a_turn_that_said_nothing_and_changed_something_is_not_empty():
    actions, _ = played(plan(story(reviewStatus="needs_review")), reports=EMPTY)
    assert len(prompts(actions)) == 1


def test_when_all_is_done_before_the_start_no_agent_runs():
    finished = plan(story(**DONE))
    actions, verdict = played(start=finished)
    assert prompts(actions) == []
    assert "nothing was left to do" in verdict.reason


@pytest.mark.parametrize("skip_review", [True, False])
def test_skip_review_needs_only_that_all_stories_pass(skip_review):
    run = StoriesRun(limit=1, branch="ralph/p", skip_review=skip_review)
    _, verdict = played(plan(story(passes=True)), run=run)
    assert isinstance(verdict, Verified) == skip_review


def test_what_was_put_back_is_told_to_the_next_agent():
    def settle(action):
        return SettledStory(plan(story()), "h", ("Story US-001 had illegal transition.",))

    run = StoriesRun(limit=2, branch="ralph/p")
    actions, _ = played(plan(story()), run=run, more={SettleStory: settle})
    assert "Story US-001 had illegal transition." in prompts(actions)[1]
    assert WORKED.ok


CUT = AgentReport("failed", "ralph was ended before this agent was", "a", interrupted=True)


def test_an_iteration_that_was_cut_off_is_judged_and_made_again_under_its_own_number():
    approved = plan(story(**DONE), story("US-002"))
    both = plan(story(**DONE), story("US-002", **DONE))
    left = iter([approved, both])
    run = StoriesRun(limit=1, branch="ralph/p", project_rules=("Be brief.",))
    more = {SettleStory: lambda action: SettledStory(next(left), f"h{action.call}")}
    actions, verdict = played(approved, run=run, start=plan(story(), story("US-002")), reports=[CUT, WORKED], more=more)
    assert [(each.iteration, each.call) for each in actions if isinstance(each, BeginStory)] == [(1, 0), (1, 1)]
    assert next(each.tree for each in actions if isinstance(each, TryCheck)) == "h0", "what was left is verified"
    first, second = prompts(actions)
    assert first == "the prompt\n\n## Global Rules\n- Be brief."
    assert second.startswith(first)
    assert "ralph was ended before this agent was" in second
    assert isinstance(verdict, Verified)


def test_what_was_cut_off_after_the_last_approval_is_done():
    actions, verdict = played(plan(story(**DONE)), reports=CUT)
    assert isinstance(verdict, Verified)
    assert len(prompts(actions)) == 1
