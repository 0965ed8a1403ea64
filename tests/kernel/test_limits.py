import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playing import CLAIMED, UNCLAIMED, WORKED, crashed, passed, play, prompts
from ralph.kernel.actions import ReadResponse, RunAgent, RunCommand
from ralph.kernel.limits import Budget, within
from ralph.kernel.recipes.prompt import Guardrail, PromptRun, Scm, prompt_loop
from ralph.model.events import Tokens
from ralph.model.verdicts import BudgetSpent, MaxIterations, Verified, exit_code


def loop(limit=5, **options):
    return prompt_loop(PromptRun(limit=limit, completion="DONE", prompt="base", **options))


def test_without_a_budget_everything_passes_through():
    free = play(loop(), {ReadResponse: [UNCLAIMED, CLAIMED]})
    assert play(within(Budget(), loop()), {ReadResponse: [UNCLAIMED, CLAIMED]}) == free


@pytest.mark.parametrize(
    ("budget", "report", "verdict"),
    [
        (Budget(usd=0.25), replace(WORKED, cost_usd=0.1), BudgetSpent("USD", pytest.approx(0.3), 0.25)),
        (Budget(tokens=25), replace(WORKED, tokens=Tokens(1, 2, 3, 4)), BudgetSpent("tokens", 30, 25)),
        (Budget(seconds=2.5), replace(WORKED, duration=1.0), BudgetSpent("seconds", 3.0, 2.5)),
    ],
)
def test_no_iteration_begins_once_the_budget_is_spent(budget, report, verdict):
    actions, seen = play(within(budget, loop()), {RunAgent: report, ReadResponse: UNCLAIMED})
    assert len(prompts(actions)) == 3
    assert seen == verdict
    assert exit_code(seen) == 4


def test_it_is_checked_between_iterations_so_a_claim_beyond_it_still_counts():
    costly = {RunAgent: replace(WORKED, cost_usd=9.0)}
    assert play(within(Budget(usd=1), loop()), costly)[1] == Verified(1)


def test_the_last_iteration_ends_as_it_would_have():
    costly = {RunAgent: replace(WORKED, cost_usd=9.0), ReadResponse: UNCLAIMED}
    assert isinstance(play(within(Budget(usd=1), loop(limit=1)), costly)[1], MaxIterations)


def test_failed_iterations_and_commit_messages_cost_too():
    reports = [replace(crashed(), cost_usd=1.0), replace(WORKED, cost_usd=1.0), replace(WORKED, cost_usd=1.0)]
    _, verdict = play(
        within(Budget(usd=3), loop(scm=Scm("git", ("commit",)))), {RunAgent: reports, ReadResponse: UNCLAIMED}
    )
    assert verdict == BudgetSpent("USD", 3.0, 3)


def test_a_commit_message_is_asked_for_although_the_budget_is_spent():
    """Otherwise work that passed its guardrails would be left uncommitted."""
    reports = [replace(WORKED, cost_usd=5.0), replace(WORKED, cost_usd=5.0)]
    actions, _ = play(
        within(Budget(usd=1), loop(scm=Scm("git", ("commit",)))), {RunAgent: reports, ReadResponse: UNCLAIMED}
    )
    assert [action.purpose for action in actions if isinstance(action, RunAgent)] == ["work", "commit-message"]


def test_the_time_of_guardrails_counts():
    slow = replace(passed(), duration=2.0)
    _, verdict = play(
        within(Budget(seconds=3), loop(guardrails=(Guardrail("make test"),))),
        {RunCommand: slow, ReadResponse: UNCLAIMED},
    )
    assert verdict == BudgetSpent("seconds", 4.0, 3)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 20))
def test_the_iterations_made_are_the_fewest_that_reach_the_budget(costs, budget):
    reports = [replace(WORKED, tokens=Tokens(cost)) for cost in costs]
    actions, verdict = play(
        within(Budget(tokens=budget), loop(limit=len(costs))), {RunAgent: reports, ReadResponse: UNCLAIMED}
    )
    made = len(prompts(actions))
    assert sum(costs[: made - 1]) < budget
    if made < len(costs):
        assert verdict == BudgetSpent("tokens", sum(costs[:made]), budget)
