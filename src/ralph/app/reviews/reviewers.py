"""The reviewers, and whether they are available: a missing one is reported now, not in an hour."""

import re
import shlex
from collections.abc import Sequence

from ralph.agents.registry import Agent
from ralph.agents.tools import agent_of_tool, reviewer_for
from ralph.app.tasks.judges import require_agent, require_program
from ralph.config.schema import Settings
from ralph.model.reviews import TIERS, ReviewBy, Tier

SHELL_WORDS = ("cd", "exec", "export", "if", "for", "while", "test", "set", "eval", "command", "trap", "case", "printf")
PLAIN = re.compile(r"[A-Za-z0-9._+-]+")
HINT = "Install it, or choose another reviewer: defaults.{}Reviewer"


def reviewers(settings: Settings, own: Agent, tiers: Sequence[Tier] = TIERS) -> dict[Tier, ReviewBy]:
    """The reviewer of each tier that is on; all of them are available."""
    chosen: dict[Tier, ReviewBy] = {}
    for tier in tiers:
        if by := reviewer_for(settings, tier, own):
            chosen[tier] = by
    for by in chosen.values():
        require_reviewer(settings, by, None if by.command else own)
    return chosen


def require_reviewer(settings: Settings, by: ReviewBy, own: Agent | None) -> None:
    """Require that the reviewer is available. `own` is the agent that works; a command as reviewer needs none."""
    purpose, hint = f"which makes the {by.tier} review", HINT.format(by.tier)
    if own:
        require_agent(agent_of_tool(settings, by.model, by.agent, own), purpose, hint)
    elif program := _first_word(by.command):
        require_program(program, purpose, hint)


def _first_word(command: str) -> str:
    """The program that a shell would look for; empty if only a shell could tell."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    first = words[0] if words else ""
    return first if PLAIN.fullmatch(first) and first not in SHELL_WORDS else ""
