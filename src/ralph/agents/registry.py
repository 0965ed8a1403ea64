"""Which agent a command means: a table of names."""

import shlex
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from ralph.agents.adapter import Adapter
from ralph.config.schema import Executor, Settings
from ralph.model.errors import ConfigError

# A new agent is one file and one line here.
AGENTS = {
    "claude": "ralph.agents.claude:Claude",
    "codex": "ralph.agents.codex:Codex",
    "amp": "ralph.agents.amp:Amp",
    "opencode": "ralph.agents.opencode:OpenCode",
    "gemini": "ralph.agents.gemini:Gemini",
    "qwen": "ralph.agents.qwen:Qwen",
    "copilot": "ralph.agents.copilot:Copilot",
    "goose": "ralph.agents.goose:Goose",
    "aider": "ralph.agents.aider:Aider",
    "acp": "ralph.agents.acp:Acp",
    "command": "ralph.agents.generic:Generic",
}
PROGRAMS = tuple(name for name in AGENTS if name not in ("acp", "command"))
"""The agents that are programs of that name; the other two stand for any program."""
ALIASES = {"claude-code": "claude", "claude-agent-acp": "acp", "generic": "command"}


class Agent:
    """An adapter with the command, flags and variables that the settings gave it."""

    def __init__(
        self, adapter: Adapter, command: list[str], flags: list[str], env: Mapping[str, str] | None = None
    ) -> None:
        self.adapter = adapter
        self.command = command
        self.flags = flags
        self.env = dict(env or {})


def choose(settings: Settings) -> Agent:
    """The agent that the settings choose, with their flags."""
    named = settings.agent.command or settings.defaults.executor
    if not named or not named.strip():
        raise ConfigError("no agent is chosen.", 'Set "agent": {"command": "claude"} or run: ralph init')
    agent = find(settings, named)
    return Agent(agent.adapter, agent.command, [*agent.flags, *split_flags(settings.agent.flags)], agent.env)


def find(settings: Settings, name: str) -> Agent:
    """An entry of `tools.executors`, or a command whose name tells what it is."""
    for executor in settings.tools.executors:
        if executor.id == name:
            return _executor(executor)
    command = _words(name)
    program = Path(command[0]).name.removesuffix(".exe")
    known = ALIASES.get(program, program)
    return Agent(adapter(known if known in AGENTS else "command"), command, [])


def adapter(kind: str) -> Adapter:
    kind = ALIASES.get(kind, kind)
    if kind not in AGENTS:
        from difflib import get_close_matches

        near = get_close_matches(kind, AGENTS, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise ConfigError(f"there is no agent of the type {kind!r}.", f"{guess}Known: {', '.join(AGENTS)}")
    module, _, attribute = AGENTS[kind].partition(":")
    return getattr(import_module(module), attribute)()


def _executor(executor: Executor) -> Agent:
    own = adapter(executor.type)
    command = _words(executor.command or executor.type)
    flags = [*split_flags(executor.flags), *own.model_flags(executor.model)]
    return Agent(own, command, flags, own.endpoint_env(executor.endpoint))


def split_flags(flags: list[str]) -> list[str]:
    """Each entry as a shell would split it: `"--model opus"` is two words."""
    words: list[str] = []
    for flag in flags:
        words += _split(flag, "agent.flags")
    return words


def _words(command: str) -> list[str]:
    # A path with blanks in it that exists is one word.
    return [command] if Path(command).is_file() else _split(command, "agent.command")


def _split(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{where}: {text!r} cannot be split into words: {error}.", "Close the quotation.") from error
