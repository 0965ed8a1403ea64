"""A used-up quota is waiting, not failing: the same call is made again, and is not another iteration."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions import Recipe, RunAgent, Verify, Wait
from ralph.kernel.problems import is_limited
from ralph.model.evidence import AgentReport, Evidence


class Quota(Struct, frozen=True, omit_defaults=True):
    initial_wait: float = 60.0
    max_wait: float = 3600.0
    fallback_agent: str | None = None


def patient(quota: Quota, recipe: Recipe) -> Recipe:
    """Give the recipe only reports of agents that were let work."""
    result: Any = None
    while True:
        try:
            action = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = yield action
        waits = 0
        while isinstance(action, RunAgent | Verify) and is_limited(result):
            if isinstance(action, RunAgent) and quota.fallback_agent and not action.agent:
                action = replace(action, agent=quota.fallback_agent, retry=action.retry + 1)
            else:
                yield _wait(quota, action.iteration, result, waits)
                waits += 1
                action = _again(action)
            result = yield action


def _again(action: RunAgent | Verify) -> RunAgent | Verify:
    if isinstance(action, Verify):
        return replace(action, retry=action.retry + 1)
    return replace(action, agent="", retry=action.retry + 1)


def _wait(quota: Quota, iteration: int, report: AgentReport | Evidence, waits: int) -> Wait:
    until = report.problem.until if report.problem else None
    seconds = min(quota.initial_wait * 2**waits, quota.max_wait)
    return Wait(iteration, seconds=seconds, until=until, reason=report.reason)
