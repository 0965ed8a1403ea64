"""What a person is told about the agents at the start of tasks: those without a sandbox, and those without a price."""

from collections.abc import Iterator
from pathlib import Path

from ralph.agents.registry import Agent
from ralph.app.runs.measured import budget_warning
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.recipes.spec import SpecRun
from ralph.loop.confinement import unsandboxed
from ralph.loop.kinds.chunk import worker
from ralph.loop.kinds.stage import agent_of
from ralph.loop.plan import Plan
from ralph.model.errors import ConfigError


def unsandboxed_workers(plan: Plan, project: Path) -> list[str]:
    try:
        return unsandboxed(plan.settings, plan.kind, list(_workers(plan)), project)
    except ConfigError:
        # The run itself reports the problem, with more details, when it starts.
        return []


def budget_warnings(plan: Plan) -> list[str]:
    """What the start says about a budget in dollars, once for each agent."""
    agents = {agent.name: agent for agent in _workers(plan)} if plan.settings.budget.usd is not None else {}
    return [warning for agent in agents.values() if (warning := budget_warning(plan.settings, agent))]


def _workers(plan: Plan) -> Iterator[Agent]:
    loops = [each.loop for each in plan.loop.tasks] if isinstance(plan.loop, SpecRun) else [plan.loop]
    for loop in loops:
        if isinstance(loop, ChunkRun):
            yield worker(plan.settings)
        else:
            yield from (agent_of(plan.settings, stage.role) for stage in loop.stages)
