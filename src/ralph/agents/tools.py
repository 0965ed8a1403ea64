"""Which tool plays a part in `ralph spec run`: a reviewer of each tier, the planner. All callers ask here.

`own` is always the agent that does the work: it plays every part for which nobody else was chosen.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

from ralph.agents.models import agent_for, named_agent, with_model
from ralph.agents.permissions import reading_only
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError
from ralph.model.reviews import TIERS, ReviewBy, Tier

NONE = "none"
PLANNER = "planner"
# Only the names of Claude's models say how thorough they are.
CLAUDE_MODELS: dict[str, str] = {"quick": "sonnet", "deep": "opus", "final": "opus", PLANNER: "opus"}


class Tool(NamedTuple):
    id: str
    model: str = ""
    agent: str = ""
    name: str = ""
    """The name on screens."""


def reviewer_for(settings: Settings, tier: Tier, own: Agent | None) -> ReviewBy | None:
    """The reviewer of this tier; None if it is off. Only a model needs an agent that works."""
    named = _chosen(settings, tier)
    if named == NONE:
        return None
    entry = _entry(settings.tools.reviewers, named)
    if entry:
        return ReviewBy(
            tier,
            entry.id,
            entry.model or "",
            entry.agent or "",
            entry.command or "",
            tuple(entry.checks),
            entry.name,
        )
    if named and named not in TIERS:
        raise _unknown("reviewer", named, [*(each.id for each in settings.tools.reviewers), *TIERS, NONE])
    # Another tier's built-in reviewer may be named for this one.
    part = named or tier
    return ReviewBy(tier, part, _built_in_model(part, own))


def planner_for(settings: Settings, own: Agent) -> Tool:
    named = settings.defaults.planner or ""
    if entry := _entry(settings.tools.planners, named):
        return Tool(entry.id, entry.model or "", entry.agent or "", entry.name)
    if named and named != PLANNER:
        raise _unknown("planner", named, [*(each.id for each in settings.tools.planners), PLANNER])
    return Tool(PLANNER, _built_in_model(PLANNER, own))


def agent_of_tool(settings: Settings, model: str, agent: str, own: Agent) -> Agent:
    """The agent that a tool names, or else that of its model's vendor, or else `own`; it only reads."""
    chosen = with_model(named_agent(settings, agent, own), model) if agent else agent_for(settings, model, own)
    return chosen.with_flags(reading_only(chosen.adapter.name, chosen.flags))


def _chosen(settings: Settings, tier: Tier) -> str:
    defaults = settings.defaults
    final = defaults.final_reviewer or ""
    named = {"quick": defaults.quick_reviewer or "", "deep": defaults.deep_reviewer or final, "final": final}
    return named[tier]


def _built_in_model(part: str, own: Agent | None) -> str:
    return CLAUDE_MODELS[part] if own and own.adapter.name == "claude" else ""


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Entry = TypeVar("Entry", bound=_Named)


def _entry(entries: Iterable[Entry], name: str) -> Entry | None:
    return next((each for each in entries if each.id == name), None) if name else None


def _unknown(what: str, name: str, known: list[str]) -> ConfigError:
    return ConfigError(f"there is no {what} {name!r}.", f"Known: {', '.join(dict.fromkeys(known))}")
