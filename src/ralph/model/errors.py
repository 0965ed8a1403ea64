"""Every error that a user can see: the facts in one line, the next action in another, and an exit code.

RalphError
├── ConfigError        2  what the user gave cannot be used: settings, flags, files, directories
├── Blocked            3  a person must decide or do something first
├── AgentUnusable      7  the agent is missing, not executable, or refuses to work at all
├── SandboxUnusable    8  a sandbox was requested, and none is available
├── StateError         9  ralph's own state cannot be written or read
└── Cancelled        130  a signal, or a person
"""

from typing import ClassVar


class RalphError(Exception):
    """The base of all errors: `message` holds the facts, `hint` the next action."""

    exit_code: ClassVar[int] = 9
    verdict: ClassVar[str] = "failed"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class ConfigError(RalphError):
    exit_code = 2
    verdict = "config_error"


class Blocked(RalphError):
    exit_code = 3
    verdict = "blocked"


class AgentUnusable(RalphError):
    exit_code = 7
    verdict = "agent_error"


class SandboxUnusable(RalphError):
    exit_code = 8
    verdict = "sandbox_error"


class StateError(RalphError):
    """The state cannot be used: the disk is full, the database is damaged, or a journal does not match the recipe."""


class Cancelled(RalphError):
    exit_code = 130
    verdict = "cancelled"
