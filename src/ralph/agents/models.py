"""Which agent a model's name means: one that judges, or one that works with another model than its own."""

import re

from ralph.agents.registry import PROGRAMS, Agent, find
from ralph.config.schema import Settings

VENDORS = (
    (re.compile(r"claude-"), "claude"),
    (re.compile(r"gpt-|codex-|o\d+(-|$)"), "codex"),
    (re.compile(r"gemini-"), "gemini"),
)
TAKE_SHORT_FORM = ("codex", "gemini", "qwen", "opencode", "amp")
"""Whose model may also be given with `-m`. To others that means something else."""


def judge_agent(settings: Settings, name: str, own: Agent) -> Agent:
    """Of an executor, a key of `models`, a vendor's model, or any other model of the agent `own`."""
    name = name.strip() or settings.ralph.semantic_model or ""
    if not name:
        return own
    if _is_executor(settings, name):
        return find(settings, name)
    if known := settings.models.get(name):
        return with_model(_named(settings, known.agent, own), known.model)
    vendor = next((agent for pattern, agent in VENDORS if pattern.match(name.lower())), None)
    return with_model(_named(settings, vendor, own) if vendor else own, name)


def with_model(agent: Agent, model: str | None) -> Agent:
    """In place of the model that its flags name, if any: not every program takes a second one."""
    if not model:
        return agent
    chosen = agent.adapter.model_flags(model)
    spellings = [*chosen[:1], "-m"] if agent.adapter.name in TAKE_SHORT_FORM else chosen[:1]
    return Agent(agent.adapter, agent.command, [*_without(agent.flags, spellings), *chosen], agent.env)


def _named(settings: Settings, name: str, own: Agent) -> Agent:
    """The agent `own` is set up already, wherever it is installed, if it is the program of that name."""
    is_own = name in PROGRAMS and name == own.adapter.name and not _is_executor(settings, name)
    return own if is_own else find(settings, name)


def _is_executor(settings: Settings, name: str) -> bool:
    return any(executor.id == name for executor in settings.tools.executors)


def _without(flags: list[str], spellings: list[str]) -> list[str]:
    kept: list[str] = []
    words = iter(flags)
    for word in words:
        if word in spellings:
            next(words, None)
        elif word.partition("=")[0] not in spellings:
            kept.append(word)
    return kept
