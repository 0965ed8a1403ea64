"""Which agent a model's name means: one that judges, or one that works with a model other than its own."""

import re
from itertools import pairwise

from ralph.agents.registry import PROGRAMS, Agent, find
from ralph.config.schema import Settings

VENDORS = (
    (re.compile(r"claude-"), "claude"),
    (re.compile(r"gpt-|codex-|o\d+(-|$)"), "codex"),
    (re.compile(r"gemini-"), "gemini"),
)
TAKE_SHORT_FORM = ("codex", "gemini", "qwen", "opencode", "amp")
"""The agents whose model may also be given with `-m`. For others that flag means something else."""


def judge_agent(settings: Settings, name: str, own: Agent) -> Agent:
    """The agent that judges: from an executor, a key of `models`, a vendor's model, or another model of `own`."""
    return agent_for(settings, name.strip() or settings.ralph.semantic_model or "", own)


def agent_for(settings: Settings, name: str, own: Agent) -> Agent:
    """The agent that runs the model of this name; `own` if there is no name, or if the name does not say who runs
    it.
    """
    if not name:
        return own
    if _is_executor(settings, name):
        return find(settings, name)
    if known := settings.models.get(name):
        return with_model(named_agent(settings, known.agent, own), known.model)
    vendor = next((agent for pattern, agent in VENDORS if pattern.match(name.lower())), None)
    return with_model(named_agent(settings, vendor, own) if vendor else own, name)


def with_model(agent: Agent, model: str | None) -> Agent:
    """The agent with this model instead of the one in its flags: not every program accepts a second one."""
    if not model:
        return agent
    return agent.with_flags([*_without(agent.flags, _spellings(agent)), *agent.adapter.model_flags(model)])


def model_of(agent: Agent) -> str:
    """The model that its flags name; empty if they leave it to the program."""
    named, spellings = "", _spellings(agent)
    for word, following in pairwise([*agent.flags, ""]):
        flag, _, value = word.partition("=")
        if flag in spellings:
            named = value or following
    return named


def named_agent(settings: Settings, name: str, own: Agent) -> Agent:
    """The agent of that name; `own` if it is that program, because it is already set up, wherever it is installed."""
    is_own = name in PROGRAMS and name == own.adapter.name and not _is_executor(settings, name)
    return own if is_own else find(settings, name)


def _is_executor(settings: Settings, name: str) -> bool:
    return any(executor.id == name for executor in settings.tools.executors)


def _spellings(agent: Agent) -> list[str]:
    """The spellings of the flag that names a model."""
    own = agent.adapter.model_flags("any")[:1]
    return [*own, "-m"] if agent.adapter.name in TAKE_SHORT_FORM else own


def _without(flags: list[str], spellings: list[str]) -> list[str]:
    kept: list[str] = []
    words = iter(flags)
    for word in words:
        if word in spellings:
            next(words, None)
        elif word.partition("=")[0] not in spellings:
            kept.append(word)
    return kept
