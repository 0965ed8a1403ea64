"""What ralph must know about an agent: how it is called, and how its stream is read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import ClassVar

from msgspec import Struct

from ralph.agents.parser import Parser
from ralph.model.errors import ConfigError

ARGV_LIMIT = 100_000
"""The longest prompt in argv: Linux accepts at most 128 KiB for one argument."""


class Call(Struct, frozen=True):
    """One invocation to make."""

    prompt: str
    prompt_file: str
    answer_file: str
    """The file for the final message of an agent that answers in a file."""
    stream: bool


class Invocation(Struct, frozen=True):
    argv: list[str]
    on_stdin: bool = False
    """Whether the prompt goes to standard input; otherwise it is already in argv."""
    answers_in_file: bool = False


class Hooks(Struct, frozen=True):
    """What gives an agent ralph's hooks, for this run alone."""

    flags: list[str]
    env: Mapping[str, str] = {}
    needs_home: bool = False
    """Whether the hooks are in a folder of the run, which `make_home` creates."""


class Adapter(ABC):
    """The adapter of one agent: one file with a subclass, and a line in the registry's table."""

    name: ClassVar[str]
    environment: ClassVar[tuple[str, ...] | None] = ()
    """Patterns of the variables that it may see beyond the basics; None means that it inherits everything."""
    variables: ClassVar[Mapping[str, str]] = {}
    """Variables that it needs to work unattended, unless the user has set them."""
    reports_cost: ClassVar[bool] = False
    """Whether its events say what a call cost, in dollars."""
    interrupt_first: ClassVar[bool] = False
    """Whether it ends its own tools only on SIGINT."""
    endpoint_variable: ClassVar[str | None] = None
    """The variable that says where its model is served."""
    server: str = ""
    """The URL of the running server that does the work, if it is not a program that ralph starts."""

    @abstractmethod
    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation: ...

    @abstractmethod
    def parser(self, *, stream: bool) -> Parser: ...

    def model_flags(self, model: str | None) -> list[str]:
        return ["--model", model] if model else []

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:  # noqa: ARG002 - for those that have them
        """The flags for the JSON schema of its answer; None if the prompt must say it."""
        return None

    def hooks(self, command: list[str], flags: list[str], home: Path, environ: Mapping[str, str]) -> "Hooks | None":  # noqa: ARG002 - for those that have them
        """How ralph's hooks are given to it for one run; None if it supports none. `home` may be created for it."""
        return None

    def hooks_are_off(self, folder: Path, environ: Mapping[str, str]) -> bool:  # noqa: ARG002 - for those that have them
        """Whether the agent's own settings keep all hooks from running in this folder."""
        return False

    def make_home(self, home: Path, environ: Mapping[str, str]) -> None:  # noqa: B027 - most need none
        """Create the home of the run that contains its hooks."""

    def at(self, endpoint: str) -> "tuple[Adapter, dict[str, str]]":
        """The adapter for this endpoint, and the variables that tell the program about it."""
        if self.endpoint_variable is None:
            raise ConfigError(
                f"the agent {self.name} takes no endpoint.", "Remove it, or set it in the agent's own settings."
            )
        return self, {self.endpoint_variable: endpoint}

    def refuse_flags(self, flags: list[str]) -> None:  # noqa: B027 - most take any
        """Raise a ConfigError for a flag that it cannot take, as far as the words alone show."""

    def may_see(self, variable: str) -> bool:
        return self.environment is None or any(fnmatchcase(variable, pattern) for pattern in self.environment)
