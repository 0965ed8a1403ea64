"""Which agent a command means: a table of names."""

import shlex
from importlib import import_module
from pathlib import Path

from ralph.agents.adapter import Adapter
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

# A new agent is one file and one line here.
AGENTS = {
    "claude": "ralph.agents.claude:Claude",
    "codex": "ralph.agents.codex:Codex",
    "amp": "ralph.agents.amp:Amp",
}
GENERIC = "ralph.agents.generic:Generic"
TYPES = {"claude-code": "claude", "command": "generic"}


class Agent:
    """An adapter with the command and flags that the settings gave it."""

    def __init__(self, adapter: Adapter, command: list[str], flags: list[str]) -> None:
        self.adapter = adapter
        self.command = command
        self.flags = flags


def choose(settings: Settings) -> Agent:
    """The agent that the settings choose, with their flags."""
    named = settings.agent.command or settings.defaults.executor
    if not named or not named.strip():
        raise ConfigError("no agent is chosen.", 'Set "agent": {"command": "claude"} or run: ralph init')
    agent = find(settings, named)
    return Agent(agent.adapter, agent.command, [*agent.flags, *split_flags(settings.agent.flags)])


def find(settings: Settings, name: str) -> Agent:
    """An entry of `tools.executors`, or a command whose name tells what it is."""
    for executor in settings.tools.executors:
        if executor.id == name:
            adapter = _adapter(TYPES.get(executor.type, executor.type))
            command = _words(executor.command or executor.type)
            return Agent(adapter, command, [*split_flags(executor.flags), *adapter.model_flags(executor.model)])
    command = _words(name)
    return Agent(_adapter(Path(command[0]).name.removesuffix(".exe")), command, [])


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


def _adapter(name: str) -> Adapter:
    module, _, attribute = AGENTS.get(name, GENERIC).partition(":")
    return getattr(import_module(module), attribute)()
