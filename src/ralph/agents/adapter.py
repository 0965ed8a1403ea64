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
"""Linux takes at most 128 KiB for one argument."""


class Call(Struct, frozen=True):
    """One invocation to be made."""

    prompt: str
    prompt_file: str
    answer_file: str
    """Where an agent that answers in a file is to write its final message."""
    stream: bool


class Invocation(Struct, frozen=True):
    argv: list[str]
    on_stdin: bool = False
    """Whether the prompt comes in on standard input; otherwise it is in argv already."""
    answers_in_file: bool = False


class Adapter(ABC):
    """One file for each agent: a subclass, and a line in the registry's table."""

    name: ClassVar[str]
    environment: ClassVar[tuple[str, ...] | None] = ()
    """Patterns of the variables it may see beyond the basics; none at all means that it inherits everything."""
    variables: ClassVar[Mapping[str, str]] = {}
    """Variables that it needs to work unattended, unless the user has set them."""
    interrupt_first: ClassVar[bool] = False
    """Whether it ends its own tools only on SIGINT."""
    endpoint_variable: ClassVar[str | None] = None
    """The variable that tells it where its model is served."""

    @abstractmethod
    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation: ...

    @abstractmethod
    def parser(self, *, stream: bool) -> Parser: ...

    def model_flags(self, model: str | None) -> list[str]:
        return ["--model", model] if model else []

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:  # noqa: ARG002 - for those that have them
        """How it is told the JSON schema of its answer; nothing if it must be told in words."""
        return None

    def endpoint_env(self, endpoint: str | None) -> dict[str, str]:
        if not endpoint:
            return {}
        if self.endpoint_variable is None:
            raise ConfigError(
                f"the agent {self.name} takes no endpoint.", "Remove it, or set it in the agent's own settings."
            )
        return {self.endpoint_variable: endpoint}

    def may_see(self, variable: str) -> bool:
        return self.environment is None or any(fnmatchcase(variable, pattern) for pattern in self.environment)
