"""What a call cost: as the agent reports, or else by its tokens and the prices in the settings."""

from ralph.agents.models import model_of
from ralph.agents.registry import Agent
from ralph.config.schema import Price
from ralph.model.events import Result, Tokens

MILLION = 1_000_000


def cost_of(agent: Agent, result: Result | None) -> float | None:
    """The cost in dollars; None if nobody knows."""
    if result is None or result.cost_usd is not None:
        return result.cost_usd if result else None
    price = price_of(agent)
    return _dollars(price, result.tokens) if price and result.tokens.total else None


def price_of(agent: Agent) -> Price | None:
    """The price of the agent's model: by the name in `models` or by the agent's own name for it."""
    named = model_of(agent)
    for key, model in agent.models.items():
        is_meant = named in (key, model.model) if named else not model.model and _is_agent(agent, model.agent)
        if model.price and is_meant:
            return model.price
    return None


def _is_agent(agent: Agent, name: str) -> bool:
    return name in (agent.name, agent.adapter.name)


def _dollars(price: Price, tokens: Tokens) -> float:
    read = price.input if price.cache_read is None else price.cache_read
    written = price.input if price.cache_write is None else price.cache_write
    spent = tokens.input * price.input + tokens.output * price.output
    return (spent + tokens.cache_read * read + tokens.cache_write * written) / MILLION
