"""The story-plan recipe: rounds of questions, two documents, and what ends it."""

import json

import pytest

from plans import question, requirements, stories, story
from playing import GO_ON, given_up, play
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.people import Answers, AskPerson, Opinion, ShowDraft
from ralph.kernel.actions.proof import Snapshot, TakeSnapshot
from ralph.kernel.actions.story_plan import WritePlanFile, WrittenFile
from ralph.kernel.actions.waiting import GiveUp, Granted, ReadSpent, SpentSoFar
from ralph.kernel.budget import Budget, within
from ralph.kernel.plan_options import Exchange, StoryPlanRun
from ralph.kernel.planner_talk import UNASKED_ROUNDS, UNUSABLE_ANSWERS
from ralph.kernel.recipes.story_plan import story_plan_loop
from ralph.model.verdicts import AgentFailed, BudgetSpent, Verified, exit_code

IDEA = StoryPlanRun("A greeting", "", "## 1. Summary", "- Small stories.", "shop", "ralph/shop")
WRITTEN = StoryPlanRun("", "# shop\nGreet people.\n", "## 1. Summary", "- Small stories.", "shop", "ralph/shop")


def said(text):
    return Answer(value=json.loads(text))


def answered(*texts, by_default=False):
    def answer(action):
        pairs = zip(action.questions, texts or ["yes"] * len(action.questions), strict=True)
        return Answers(tuple(Exchange(each.question, text, by_default) for each, text in pairs))

    return answer


def plan(run, *answers, person=None, opinions=None, more=None):
    given = {
        TakeSnapshot: Snapshot("tree"),
        AskModel: [*map(said, answers)],
        AskPerson: person or answered(),
        ShowDraft: opinions or Opinion(),
        WritePlanFile: WrittenFile(),
    }
    return play(story_plan_loop(run), given | (more or {}))


def questions_to_model(actions):
    return [each.prompt for each in actions if isinstance(each, AskModel)]


def written(actions):
    return {each.document: each.text for each in actions if isinstance(each, WritePlanFile)}


def test_an_idea_becomes_both_files_after_a_round_of_questions():
    actions, verdict = plan(
        IDEA, requirements(question()), requirements(), stories(), person=answered("In a file of my own")
    )
    assert isinstance(verdict, Verified)
    assert verdict.reason == "planned after 3 calls: the stories have the form that the loop takes; nothing was run"
    asked = questions_to_model(actions)
    assert "A greeting" in asked[0]
    assert "Asked and answered" not in asked[0]
    assert "Where is the greeting kept?\n  Answer: In a file of my own" in asked[1]
    files = written(actions)
    assert files["prd.md"].startswith("# shop\n\nTier: S\n\n## 1. Summary\nA greeting.")
    assert json.loads(files["tasks.json"])["userStories"][0]["reviewStatus"] is None
    assert files["prd.md"] in asked[2], "the stories are derived from what was agreed"
    assert {each.place.tree for each in actions if isinstance(each, AskModel)} == {"tree"}


def test_a_prd_that_is_written_is_only_read():
    actions, verdict = plan(WRITTEN, stories())
    assert isinstance(verdict, Verified)
    assert list(written(actions)) == ["tasks.json"]
    assert "Greet people." in questions_to_model(actions)[0]
    assert "- Small stories." in questions_to_model(actions)[0]


def test_of_a_round_the_first_five_questions_are_asked():
    many = [question(question=f"Q{number}?") for number in range(7)]
    actions, _ = plan(IDEA, requirements(*many), requirements(), stories())
    [asked] = [each for each in actions if isinstance(each, AskPerson)]
    assert [each.question for each in asked.questions] == ["Q0?", "Q1?", "Q2?", "Q3?", "Q4?"]


def test_a_person_is_asked_as_often_as_the_planner_has_questions():
    actions, verdict = plan(IDEA, *[requirements(question())] * 12, requirements(), stories())
    assert isinstance(verdict, Verified)
    assert len([each for each in actions if isinstance(each, AskPerson)]) == 12


def test_where_nobody_is_asked_the_planner_must_come_to_an_end():
    rounds = [requirements(question())] * (UNASKED_ROUNDS + UNUSABLE_ANSWERS)
    actions, verdict = plan(IDEA, *rounds, person=answered(by_default=True))
    assert len([each for each in actions if isinstance(each, AskPerson)]) == UNASKED_ROUNDS
    assert isinstance(verdict, AgentFailed)
    assert exit_code(verdict) == 7
    assert "Nobody answers questions any more" in questions_to_model(actions)[UNASKED_ROUNDS]
    assert "Nobody was asked; you recommended: yes" in questions_to_model(actions)[-1]


def test_stories_that_the_loop_would_refuse_are_asked_for_again_with_the_reason():
    dangling = stories(story(dependsOn=["US-009"]))
    actions, verdict = plan(WRITTEN, dangling, stories())
    assert isinstance(verdict, Verified)
    assert "depends on US-009, which is not a story" in questions_to_model(actions)[1]


def test_a_planner_that_never_keeps_the_rules_is_given_up_and_can_be_gone_on_with():
    twice = stories(story(), story())
    actions, verdict = plan(WRITTEN, *[twice] * UNUSABLE_ANSWERS)
    assert (
        verdict.reason
        == "the planner gave no usable tasks.json: The id US-001 is used by more than one story: ids must be unique."
    )
    assert given_up(actions) == [verdict.reason]
    actions, verdict = plan(WRITTEN, *[twice] * UNUSABLE_ANSWERS, stories(), more={GiveUp: [GO_ON, Granted()]})
    assert isinstance(verdict, Verified)


def test_an_empty_section_that_the_tier_needs_is_asked_for_again():
    actions, _ = plan(IDEA, requirements(tier="M"), requirements(), stories())
    assert 'the section "3. Goals" is empty, and tier M needs it' in questions_to_model(actions)[1]


def test_a_wish_goes_to_the_planner_with_its_draft_and_an_edit_is_taken_as_it_is():
    opinions = [Opinion(wish="No colours"), Opinion(text="# mine\nText\n"), Opinion(wish="Fewer"), Opinion()]
    actions, verdict = plan(
        IDEA, requirements(), requirements(), stories(story(), story(2)), stories(), opinions=opinions
    )
    assert isinstance(verdict, Verified)
    asked = questions_to_model(actions)
    assert "They said:\nNo colours" in asked[1]
    assert "Write work.txt." in asked[1]
    assert "# mine\nText" in asked[2]
    assert "They said:\nFewer" in asked[3]
    assert written(actions)["prd.md"] == "# mine\nText\n"
    assert len(json.loads(written(actions)["tasks.json"])["userStories"]) == 1


@pytest.mark.parametrize("run", [IDEA, WRITTEN])
def test_an_agent_that_does_not_answer_ends_it_with_exit_code_7(run):
    failed = Answer(reason="the answer cannot be used: it contains no JSON object")
    actions, verdict = plan(run, more={AskModel: failed})
    assert verdict.reason == "the planner gave no plan: the answer cannot be used: it contains no JSON object"
    assert exit_code(verdict) == 7
    assert not written(actions)
    [give_up] = [each for each in actions if isinstance(each, GiveUp)]
    assert give_up.why == verdict.reason


def test_the_budget_is_looked_at_before_each_call():
    spent = [SpentSoFar(), SpentSoFar(usd=2.0)]
    _, verdict = play(
        within(Budget(usd=1.0), story_plan_loop(IDEA)),
        {
            TakeSnapshot: Snapshot("tree"),
            AskModel: said(requirements(question())),
            AskPerson: answered(),
            ReadSpent: spent,
        },
    )
    assert isinstance(verdict, BudgetSpent)


def test_what_was_answered_in_an_earlier_planning_is_told():
    run = StoryPlanRun("A greeting", "", "", "", "shop", earlier=(Exchange("Which file?", "mine.txt"),))
    actions, _ = plan(run, requirements(), stories())
    assert "- Which file?\n  Answer: mine.txt" in questions_to_model(actions)[0]
