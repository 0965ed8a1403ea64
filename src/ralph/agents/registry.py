"""Which agent a command means: a table of names."""

import shlex
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from ralph.agents.adapter import Adapter
from ralph.config.schema import Executor, Model, Settings
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
    """An adapter with the command, flags and variables from the settings."""

    def __init__(
        self,
        adapter: Adapter,
        command: list[str],
        flags: list[str],
        env: Mapping[str, str] | None = None,
        name: str = "",
        models: Mapping[str, Model] | None = None,
        title: str = "",
    ) -> None:
        self.adapter = adapter
        self.command = command
        self.flags = flags
        self.env = dict(env or {})
        self.name = name or command[0]
        """The name in the settings."""
        self.models = models or {}
        """What the settings say about models, including their prices."""
        self.title = title or self.name
        """The name on screens."""

    def with_flags(self, flags: list[str]) -> "Agent":
        return Agent(self.adapter, self.command, flags, self.env, self.name, self.models, self.title)

    def with_env(self, env: Mapping[str, str]) -> "Agent":
        return Agent(self.adapter, self.command, self.flags, {**self.env, **env}, self.name, self.models, self.title)


def choose(settings: Settings) -> Agent:
    """The agent of `run`, `supervise` and stories, with its flags."""
    return _chosen(settings, settings.agent.command or settings.defaults.executor)


def choose_executor(settings: Settings) -> Agent:
    """The agent of chunks and stages, if the role names none. A spec may set it, so it comes first."""
    return _chosen(settings, settings.defaults.executor or settings.agent.command)


def _chosen(settings: Settings, named: str | None) -> Agent:
    if not named or not named.strip():
        raise ConfigError("no agent is chosen.", 'Set "agent": {"command": "claude"} or run: ralph init')
    agent = find(settings, named)
    if settings.agent.command not in (None, named):
        # The flags belong to the agent beside them.
        return agent
    return agent.with_flags([*agent.flags, *split_flags(settings.agent.flags)])


def find(settings: Settings, name: str) -> Agent:
    """The agent of an entry of `tools.executors`, or of a command whose name shows what it is."""
    for executor in settings.tools.executors:
        if executor.id == name:
            return _executor(executor, settings.models)
    command = _words(name)
    program = Path(command[0]).name.removesuffix(".exe")
    if program == command[0] and program.lower() in PROGRAMS:
        # Settings may name an agent in any letter case; its program has one name.
        program = command[0] = program.lower()
    known = ALIASES.get(program, program)
    return Agent(adapter(known if known in AGENTS else "command"), command, [], name=name, models=settings.models)


def require_agent(settings: Settings, name: str) -> None:
    """Raise a ConfigError if the name is neither an executor nor a known agent nor an installed program."""
    agent = find(settings, name)
    known = [*(executor.id for executor in settings.tools.executors), *PROGRAMS]
    if agent.name in known or agent.adapter.name != "generic":
        return
    import shutil

    if shutil.which(agent.command[0]) is None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise ConfigError(f"there is no executor, agent or program {name!r}.", f"{guess}Known: {', '.join(known)}")


def require_type(kind: str) -> str:
    """The name of an agent in the table, also for its other names."""
    kind = ALIASES.get(kind, kind)
    if kind not in AGENTS:
        from difflib import get_close_matches

        near = get_close_matches(kind, AGENTS, n=1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise ConfigError(f"there is no agent of the type {kind!r}.", f"{guess}Known: {', '.join(AGENTS)}")
    return kind


def adapter(kind: str) -> Adapter:
    module, _, attribute = AGENTS[require_type(kind)].partition(":")
    return getattr(import_module(module), attribute)()


def _executor(executor: Executor, models: Mapping[str, Model]) -> Agent:
    own = adapter(executor.type)
    own, env = own.at(executor.endpoint) if executor.endpoint else (own, {})
    if own.server and executor.command:
        raise ConfigError(
            "a running server takes no command.",
            'Remove "command", or "endpoint" to start it as a program.',
        )
    command = [own.server] if own.server else _words(executor.command or _program(executor.type))
    flags = [*split_flags(executor.flags), *own.model_flags(executor.model)]
    own.refuse_flags(flags)
    return Agent(own, command, flags, env, executor.id, models, executor.name)


def _program(kind: str) -> str:
    """The program that a type starts: `claude-code` is claude."""
    known = require_type(kind)
    return known if known in PROGRAMS else kind


def split_flags(flags: list[str]) -> list[str]:
    """The words of all entries. One that begins with `-` is split as a shell would: `"--model opus"` is two words. Any
    other entry, and one that cannot be split, is one word.
    """
    return [word for flag in flags for word in _flag_words(flag)]


def _flag_words(flag: str) -> list[str]:
    if not flag.startswith("-"):
        return [flag] if flag else []
    try:
        return shlex.split(flag)
    except ValueError:
        return [flag]


def _words(command: str) -> list[str]:
    # A path with blanks in it that exists is one word.
    return [command] if Path(command).is_file() else _split(command, "agent.command")


def _split(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{where}: {text!r} cannot be split into words: {error}.", "Close the quotes.") from error
