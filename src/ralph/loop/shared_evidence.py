"""Who may use stored evidence: only the same environment, and nobody else if an agent had it collected."""

from collections.abc import Iterable

from ralph.checks.proof.surroundings import surroundings
from ralph.loop.context import Attempt
from ralph.store.runs import was_started_by_agent


def shared_by(attempt: Attempt, commands: Iterable[str]) -> bytes:
    """The part of a digest that keeps this evidence apart from what was seen in another environment or by an agent."""
    run = attempt.run
    if was_started_by_agent(run.store, run.run_id):
        return run.run_id.encode()
    return surroundings(commands, attempt.bench.env)
