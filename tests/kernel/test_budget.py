"""A budget is asked for before each iteration, of the store: what parts have spent counts, too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playing import CLAIMED, UNCLAIMED, kinds, play, prompts
from ralph.kernel.actions.agent import ReadResponse, RunAgent
from ralph.kernel.actions.checks import AskModel
from ralph.kernel.actions.commands import NoteUserChanges, StageChanges
from ralph.kernel.actions.waiting import GiveUp, Granted, ReadSpent, SpentSoFar
from ralph.kernel.budget import Budget, within
from ralph.kernel.prompt_options import PromptRun, ScmTasks
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.model.verdicts import BudgetSpent, MaxIterations, Verified, exit_code

USD, TOKENS, SECONDS = SpentSoFar(usd=0.3), SpentSoFar(tokens=30), SpentSoFar(seconds=3.0)


def loop(limit=5, **options):
    return prompt_loop(PromptRun(limit=limit, completion="DONE", prompt="base", **options))


def limited(budget, spent, recipe=None, **results):
    given = {ReadResponse: UNCLAIMED, ReadSpent: spent, GiveUp: results.get("granted", Granted())}
    return play(within(budget, recipe or loop()), given)


def asked(actions):
    return [action for action in actions if isinstance(action, ReadSpent)]


def test_without_a_budget_everything_passes_through_and_nothing_is_asked():
    free = play(loop(), {ReadResponse: [UNCLAIMED, CLAIMED]})
    assert play(within(Budget(), loop()), {ReadResponse: [UNCLAIMED, CLAIMED]}) == free


@pytest.mark.parametrize(
    ("budget", "spent", "verdict"),
    [
        (Budget(usd=0.25), USD, BudgetSpent("USD", 0.3, 0.25)),
        (Budget(tokens=25), TOKENS, BudgetSpent("tokens", 30, 25)),
        (Budget(seconds=2.5), SECONDS, BudgetSpent("seconds", 3.0, 2.5)),
        (Budget(usd=0.3, tokens=1), USD, BudgetSpent("USD", 0.3, 0.3)),
    ],
)
def test_no_iteration_begins_once_the_budget_is_spent(budget, spent, verdict):
    actions, seen = limited(budget, [SpentSoFar(), SpentSoFar(), spent])
    assert len(prompts(actions)) == 2
    assert seen == verdict
    assert exit_code(seen) == 4


def test_it_is_asked_before_each_iteration_and_under_another_key():
    actions, _ = limited(Budget(usd=1), SpentSoFar(), loop(limit=3))
    assert kinds(actions)[:4] == [ReadSpent, RunAgent, ReadResponse, ReadSpent]
    assert len(asked(actions)) == len({action.key for action in asked(actions)}) == 3


def test_it_is_asked_between_iterations_so_a_claim_beyond_it_still_counts():
    claims = {ReadResponse: CLAIMED, ReadSpent: [SpentSoFar(usd=0.9), SpentSoFar(usd=9.0)]}
    assert play(within(Budget(usd=1), loop()), claims)[1] == Verified(1)


def test_the_last_iteration_ends_as_it_would_have():
    _, verdict = limited(Budget(usd=1), [SpentSoFar(), SpentSoFar(usd=9.0)], loop(limit=1))
    assert isinstance(verdict, MaxIterations)


def test_a_commit_message_is_asked_for_although_the_budget_is_spent():
    """Otherwise work that passed its guardrails would be left uncommitted."""
    actions, _ = limited(Budget(usd=1), [SpentSoFar(), SpentSoFar(usd=5)], loop(scm=ScmTasks("git", ("commit",))))
    assert kinds(actions)[:4] == [NoteUserChanges, ReadSpent, RunAgent, StageChanges]
    assert [action.role for action in actions if isinstance(action, AskModel)] == ["commit-message"]


def test_a_raised_budget_goes_on_with_the_iteration_that_was_held_back():
    spent = [SpentSoFar(usd=1), SpentSoFar(usd=1), SpentSoFar(usd=3)]
    granted = [Granted(go_on=True, usd=3.0, seen=4), Granted()]
    actions, verdict = limited(Budget(usd=1), spent, granted=granted)
    assert verdict == BudgetSpent("USD", 3, 3.0)
    assert len(prompts(actions)) == 1
    questions = [action for action in actions if isinstance(action, GiveUp)]
    assert [(action.limit, action.seen) for action in questions] == [("usd", 0), ("usd", 4)]


def test_a_budget_that_is_raised_too_little_is_asked_about_again():
    granted = [Granted(go_on=True, usd=2.0), Granted(go_on=True, usd=9.0)]
    actions, verdict = limited(Budget(usd=1), SpentSoFar(usd=5), loop(limit=1), granted=[*granted, Granted()])
    assert kinds(actions)[:5] == [ReadSpent, GiveUp, ReadSpent, GiveUp, ReadSpent]
    assert isinstance(verdict, MaxIterations)


def test_the_other_limits_stay_when_one_is_raised():
    granted = [Granted(go_on=True, usd=9.0), Granted()]
    spent = SpentSoFar(usd=5, tokens=50)
    _, verdict = limited(Budget(usd=1, tokens=50), spent, granted=granted)
    assert verdict == BudgetSpent("tokens", 50, 50)


def test_the_recipes_own_questions_are_told_from_the_budgets():
    """Both may give up in the same iteration: `play` refuses a key that is asked for twice."""
    spent = [SpentSoFar(), SpentSoFar(usd=5), SpentSoFar(usd=5)]
    granted = [Granted(go_on=True), Granted(go_on=True, usd=9.0), Granted()]
    actions, verdict = limited(Budget(usd=1), spent, loop(limit=1), granted=granted)
    assert isinstance(verdict, MaxIterations)
    assert kinds(actions).count(GiveUp) == 3


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 20))
def test_the_iterations_made_are_the_fewest_that_reach_the_budget(costs, budget):
    spent = [SpentSoFar(tokens=sum(costs[:made])) for made in range(len(costs) + 1)]
    actions, verdict = limited(Budget(tokens=budget), spent, loop(limit=len(costs)))
    made = len(prompts(actions))
    assert sum(costs[: made - 1]) < budget
    if made < len(costs):
        assert verdict == BudgetSpent("tokens", sum(costs[:made]), budget)
