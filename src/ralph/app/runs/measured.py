"""Whether a budget in dollars can be measured."""

from ralph.agents.prices import price_of
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

UNKNOWN = "Set the price of its model (models.NAME.price), or a budget beside it that can be measured: {others}."


def budget_warning(settings: Settings, agent: Agent | None, program: str = "") -> str:
    """What the start says about `budget.usd`; empty if the agent reports its cost.

    It raises a ConfigError if the budget could never be reached and there is no other one. `program` is what runs if
    there is no agent.
    """
    if settings.budget.usd is None:
        return ""
    is_plain = agent is None or agent.adapter.parser(stream=settings.stream_agent_output).plain
    if agent and not is_plain:
        if agent.adapter.reports_cost:
            return ""
        if price_of(agent):
            return f"{agent.name} reports no cost: budget.usd is measured by its tokens and models.*.price."
    why = _why(agent, program, is_plain=is_plain)
    held = ["budget.seconds"] if settings.budget.seconds is not None else []
    held += ["budget.tokens"] if settings.budget.tokens is not None and not is_plain else []
    if not held:
        others = "budget.seconds" if is_plain else "budget.tokens or budget.seconds"
        raise ConfigError(f"budget.usd cannot be measured: {why}.", UNKNOWN.format(others=others))
    return f"budget.usd cannot be measured, because {why}; {' and '.join(held)} {'hold' if len(held) > 1 else 'holds'}."


def _why(agent: Agent | None, program: str, *, is_plain: bool) -> str:
    if agent is None:
        return f"{program or 'the command'} reports no cost"
    if is_plain and agent.adapter.reports_cost:
        return f"{agent.name} reports no cost with streamAgentOutput: false"
    return f"{agent.name} reports no cost"
