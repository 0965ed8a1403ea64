"""Whether a budget in dollars or tokens can be measured."""

from ralph.agents.prices import price_of
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

BESIDE = "another budget that can be measured: {others}."
PRICED = f"Set the price of its model (models.NAME.price), or {BESIDE}"
STREAMED = f"Set streamAgentOutput: true, or {BESIDE}"


def budget_warning(settings: Settings, agent: Agent | None, program: str = "") -> str:
    """What the start says about `budget.usd` and `budget.tokens`; empty if both can be measured.

    It raises a ConfigError if no budget could ever be reached. `program` is what runs if there is no agent.
    """
    budget = settings.budget
    is_plain = agent is None or agent.adapter.parser(stream=settings.stream_agent_output).plain
    is_priced = agent is not None and not is_plain and price_of(agent) is not None
    has_cost = agent is not None and not is_plain and (agent.adapter.reports_cost or is_priced)
    unknown = {"usd": "cost"} if budget.usd is not None and not has_cost else {}
    unknown |= {"tokens": "tokens"} if budget.tokens is not None and is_plain else {}
    if not unknown:
        return _by_price(agent) if agent and budget.usd is not None else ""
    names = " and ".join(f"budget.{name}" for name in unknown)
    why = _why(agent, program, " and ".join(f"no {what}" for what in unknown.values()), is_plain=is_plain)
    held = ["budget.seconds"] if budget.seconds is not None else []
    held += ["budget.tokens"] if budget.tokens is not None and not is_plain else []
    if not held:
        raise ConfigError(f"{names} cannot be measured: {why}.", _remedy(agent, is_plain=is_plain))
    rest = f"{' and '.join(held)} still {'apply' if len(held) > 1 else 'applies'}"
    return f"{names} cannot be measured, because {why}; {rest}."


def _by_price(agent: Agent) -> str:
    if agent.adapter.reports_cost:
        return ""
    return f"{agent.name} reports no cost: budget.usd is measured by its tokens and models.*.price."


def _why(agent: Agent | None, program: str, what: str, *, is_plain: bool) -> str:
    if agent is None:
        return f"{program or 'the command'} reports {what}"
    return f"{agent.name} reports {what}{' with streamAgentOutput: false' if is_plain and _can_stream(agent) else ''}"


def _remedy(agent: Agent | None, *, is_plain: bool) -> str:
    """What the user can do. A price helps only if the agent reports tokens, and only a stream has them."""
    if not is_plain:
        return PRICED.format(others="budget.tokens or budget.seconds")
    others = "budget.seconds"
    return (STREAMED if agent and _can_stream(agent) else f"Set {BESIDE}").format(others=others)


def _can_stream(agent: Agent) -> bool:
    return not agent.adapter.parser(stream=True).plain
