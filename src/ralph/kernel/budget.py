"""The budget of any recipe. It works by looking at what passes between the recipe and the driver."""

from typing import Any

from msgspec import Struct

from ralph.kernel.actions.base import Action, Recipe, Step
from ralph.kernel.actions.waiting import Limit, ReadSpent, RunChild, SpentSoFar
from ralph.kernel.going_on import Persistence
from ralph.model.verdicts import BudgetSpent

BUDGET = 1_000_000
"""The first number of a budget's questions. The recipe's own numbers are smaller."""


class Budget(Struct, frozen=True, omit_defaults=True):
    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None


def within(budget: Budget, recipe: Recipe) -> Recipe:
    """Run the recipe. No iteration begins once the recipe and its parts have spent the budget."""
    return recipe if budget == Budget() else _watched(budget, recipe)


def _watched(budget: Budget, recipe: Recipe) -> Recipe:
    result: Any = None
    persistence = Persistence()
    persistence.again = BUDGET
    asked: set[str] = set()
    while True:
        try:
            step = recipe.send(result)
        except StopIteration as end:
            return end.value
        for action in _beginning(step, asked):
            asked.add(action.key)
            while over := _over(budget, (yield ReadSpent(action.iteration, f"{action.key}/{persistence.again}"))):
                verdict, limit = over
                granted = yield from persistence.give_up(action.iteration, verdict, limit)
                if granted is None:
                    recipe.close()
                    return verdict
                budget = Budget(
                    granted.usd or budget.usd, granted.tokens or budget.tokens, granted.seconds or budget.seconds
                )
        result = yield step


def _beginning(step: Step, asked: set[str]) -> list[Action]:
    """The iterations and child runs that are about to begin."""
    actions = step if isinstance(step, tuple) else (step,)
    return [
        action
        for action in actions
        if (action.begins_iteration or isinstance(action, RunChild)) and action.key not in asked
    ]


def _over(budget: Budget, spent: SpentSoFar) -> tuple[BudgetSpent, Limit] | None:
    amounts: tuple[tuple[Limit, str, float, float | None], ...] = (
        ("usd", "USD", spent.usd, budget.usd),
        ("tokens", "tokens", spent.tokens, budget.tokens),
        ("seconds", "seconds", spent.seconds, budget.seconds),
    )
    for name, what, used, limit in amounts:
        if limit is not None and used >= limit:
            return BudgetSpent(what, used, limit), name
    return None
