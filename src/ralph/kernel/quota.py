"""Waiting for a used-up quota. That is not a failure: the same call is made again, in the same iteration."""

from typing import Any, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.waiting import Wait
from ralph.kernel.problems import is_limited
from ralph.model.evidence import AgentReport


class Quota(Struct, frozen=True, omit_defaults=True):
    initial_wait: float = 60.0
    max_wait: float = 3600.0
    fallback_agent: str | None = None


def patient(quota: Quota, recipe: Recipe) -> Recipe:
    """Run the recipe, and give it only the reports of agents that were allowed to work."""
    result: Any = None
    number = 0
    while True:
        try:
            step = recipe.send(result)
        except StopIteration as end:
            return end.value
        result = yield step
        waits = 0
        while _waits(step) and is_limited(result):
            if quota.fallback_agent and not step.agent:
                step = replace(step, agent=quota.fallback_agent, retry=step.retry + 1)
            else:
                number += 1
                yield _wait(quota, step.iteration, result, waits, number)
                waits += 1
                step = _again(step)
            result = yield step


def _waits(step: Step) -> TypeGuard[RunAgent | AskModel]:
    return isinstance(step, RunAgent) or (isinstance(step, AskModel) and step.is_needed)


def _again(action: RunAgent | AskModel) -> RunAgent | AskModel:
    return replace(action, agent="", retry=action.retry + 1)


def _wait(quota: Quota, iteration: int, report: AgentReport | Answer, waits: int, number: int) -> Wait:
    until = report.problem.until if report.problem else None
    seconds = min(quota.initial_wait * 2**waits, quota.max_wait)
    return Wait(iteration, seconds, until, report.reason, number)
