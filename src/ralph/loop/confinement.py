"""What protects against the agents of a run: no sandbox yet, but a command guard for agents that support hooks."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ralph.agents.adapter import Hooks
from ralph.agents.registry import Agent
from ralph.config.schema import Settings
from ralph.loop.kinds.base import Kind
from ralph.sandbox.choice import NONE, sandbox_of
from ralph.store.state_dir import StateDir

GUARDED, UNGUARDED = "unsandboxed + guard", "unsandboxed"
"""The names in the record for an agent without a sandbox. With the setting `none`, the record says `none`."""
GUARD = "RALPH_GUARD"


class Confinement(Struct, frozen=True):
    name: str = NONE
    """The name in the record."""
    hooks: Hooks | None = None


UNCONFINED = Confinement()


def needs_nothing(settings: Settings, kind: Kind) -> bool:
    """Whether agents run without any protection, wherever they work: nobody asked for one."""
    return sandbox_of(settings, kind.sandbox) == NONE and not kind.has_hooks


def confinement_of(
    settings: Settings, kind: Kind, agent: Agent, home: Path, folder: Path, environ: Mapping[str, str] = os.environ
) -> Confinement:
    """The protection of an agent that works in `folder` now: an agent can write settings that switch hooks off.

    `home` is the run's folder that an agent may need for its hooks. Nothing is created yet.
    """
    if needs_nothing(settings, kind):
        return UNCONFINED
    seen = {**environ, **agent.env}
    is_off = agent.adapter.hooks_are_off(folder, seen)
    hooks = None if is_off else agent.adapter.hooks(agent.command, agent.flags, home, seen)
    return Confinement(GUARDED if hooks else UNGUARDED, hooks)


def unsandboxed(settings: Settings, kind: Kind, agents: Sequence[Agent], project: Path) -> list[str]:
    """One line for the start that says which agent runs how; empty if no sandbox is asked for."""
    if sandbox_of(settings, kind.sandbox) == NONE:
        return []
    home = StateDir(project).root
    ways = {agent.name: confinement_of(settings, kind, agent, home, project).name for agent in agents}
    told = "; ".join(f"{name} runs {way}" for name, way in ways.items())
    return [f"no sandbox: {told}."] if told else []


def with_hooks(agent: Agent, hooks: Hooks) -> Agent:
    """The agent with ralph's hooks, including the guard."""
    return agent.with_flags([*agent.flags, *hooks.flags]).with_env({**hooks.env, GUARD: "1"})
