"""Limits that hold for any recipe, by looking at what passes between it and the driver."""

from typing import Any

from msgspec import Struct

from ralph.kernel.actions import AnyAction, Recipe, RunAgent, RunChild
from ralph.model.verdicts import BudgetSpent


class Budget(Struct, frozen=True, omit_defaults=True):
    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None


def within(budget: Budget, recipe: Recipe) -> Recipe:
    """Run the recipe until an iteration would begin with the budget already spent."""
    return recipe if budget == Budget() else _watched(budget, recipe)


def _watched(budget: Budget, recipe: Recipe) -> Recipe:
    usd, tokens, seconds = 0.0, 0, 0.0
    result: Any = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        if _begins_iteration(action) and (over := _over(budget, usd, tokens, seconds)):
            recipe.close()
            return over
        result = yield action
        usd += getattr(result, "cost_usd", None) or 0.0
        tokens += result.tokens.total if hasattr(result, "tokens") else 0
        seconds += getattr(result, "duration", 0.0)


def _begins_iteration(action: AnyAction) -> bool:
    return isinstance(action, RunChild) or (isinstance(action, RunAgent) and action.purpose == "work")


def _over(budget: Budget, usd: float, tokens: int, seconds: float) -> BudgetSpent | None:
    for what, spent, limit in (
        ("USD", usd, budget.usd),
        ("tokens", tokens, budget.tokens),
        ("seconds", seconds, budget.seconds),
    ):
        if limit is not None and spent >= limit:
            return BudgetSpent(what, spent, limit)
    return None
