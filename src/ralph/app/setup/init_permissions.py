"""What the settings of `ralph init` let the agent do: the question, and the flags that the answer adds."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ralph.agents.permissions import (
    DEFAULT_LEVEL,
    LEVELS,
    Level,
    flags_for,
    meaning,
    meaning_of_level,
    mode_among,
    permissions_of,
)
from ralph.agents.registry import Agent, choose
from ralph.config.check import checked
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

QUESTION = f"Permissions ({'|'.join(LEVELS)}) [{DEFAULT_LEVEL}]: "


def ask_level(
    ask: Callable[[str], str], say: Callable[[str], None], settings: dict[str, Any], commands: Sequence[str]
) -> Level | None:
    """How much the agent may do, or None if there is no flag to choose."""
    agent = _agent(settings)
    if not permissions_of(agent.adapter.name).has_flags or _chosen(agent):
        return None
    say(f"How much may {_called(agent)} do?")
    for level in LEVELS:
        say(f"  {level:7}  {meaning_of_level(agent.adapter.name, level, commands)}")
    levels: dict[str, Level] = {level: level for level in LEVELS}
    while (answer := ask(QUESTION).lower() or DEFAULT_LEVEL) not in levels:
        say(f"Enter {', '.join(LEVELS[:-1])} or {LEVELS[-1]}.")
    return levels[answer]


def with_permissions(settings: dict[str, Any], level: Level | None, commands: Sequence[str]) -> dict[str, Any]:
    """The settings with the agent's flags for this level. If the user's own flags already decide it, none are added."""
    agent = _agent(settings)
    chosen = _chosen(agent)
    if chosen and level:
        raise ConfigError(
            f"{chosen} already says what {_called(agent)} may do.", "Leave out --permissions or that flag."
        )
    added = [] if chosen else flags_for(agent.adapter.name, level or DEFAULT_LEVEL, commands)
    flags = [*settings["agent"]["flags"], *added]
    return settings | {"agent": settings["agent"] | {"flags": flags}}


def permissions_line(settings: Settings) -> str:
    """What the written flags let the agent do, in one line."""
    agent = choose(settings)
    return f"Permissions: {meaning(agent.adapter.name, _words(agent), _called(agent))}"


def _agent(settings: dict[str, Any]) -> Agent:
    return choose(checked(settings, "the new settings"))


def _chosen(agent: Agent) -> str | None:
    return mode_among(agent.adapter.name, _words(agent))


def _words(agent: Agent) -> list[str]:
    return [*agent.command[1:], *agent.flags]


def _called(agent: Agent) -> str:
    return Path(agent.command[0]).name
