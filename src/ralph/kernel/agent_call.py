"""One call of the agent for an iteration, with the feedback that fits."""

from collections.abc import Generator
from typing import Any

from ralph.kernel.actions import AnyAction, RunAgent
from ralph.kernel.feedback import Feedback, compose, shortened
from ralph.kernel.problems import is_too_long
from ralph.model.evidence import AgentReport


def call_agent(
    base: str, feedback: Feedback, *, iteration: int, limit: int, count: bool
) -> Generator[AnyAction, Any, AgentReport]:
    """If the prompt is too long for the model, the oldest feedback goes first, and the call is made once more."""
    prompt = compose(base, feedback, iteration=iteration, limit=limit, count=count)
    said: AgentReport = yield RunAgent(iteration, prompt)
    if feedback and is_too_long(said):
        prompt = compose(base, shortened(feedback), iteration=iteration, limit=limit, count=count)
        said = yield RunAgent(iteration, prompt, shortened=True)
    return said
