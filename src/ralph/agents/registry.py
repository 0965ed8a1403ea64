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
    """The agent that the settings name: an entry of `tools.executors`, or a command."""
    named = settings.agent.command or settings.defaults.executor
    if not named or not named.strip():
        raise ConfigError("no agent is chosen.", 'Set "agent": {"command": "claude"} or run: ralph init')
    flags = split_flags(settings.agent.flags)
    for executor in settings.tools.executors:
        if executor.id == named:
            command = _words(executor.command or executor.type)
            model = ["--model", executor.model] if executor.model else []
            own = split_flags(executor.flags)
            return Agent(_adapter(TYPES.get(executor.type, executor.type)), command, [*own, *model, *flags])
    command = _words(named)
    return Agent(_adapter(Path(command[0]).name.removesuffix(".exe")), command, flags)


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
