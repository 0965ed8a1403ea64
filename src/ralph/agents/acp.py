"""Any agent that speaks the Agent Client Protocol, through a client program of ralph's own."""

import os
import shutil
from pathlib import Path
from typing import get_args

from ralph.agents.acp_client.permissions import Policy
from ralph.agents.acp_stream import AcpParser
from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import Parser
from ralph.model.errors import ConfigError
from ralph.proc.endings import cannot_start
from ralph.proc.own_python import own_module

CLIENT = "ralph.agents.acp_client"
OURS = ("--permissions", "--model")


class Acp(Adapter):
    name = "acp"
    reports_cost = True
    environment = None
    # The client then cancels the turn, so that the agent ends its tools itself.
    interrupt_first = True

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:  # noqa: ARG002 - the prompt goes in on stdin
        if "/" not in command[0] and shutil.which(command[0]) is None:
            raise cannot_start(command, Path.cwd(), os.environ.get("PATH"), FileNotFoundError())
        ours, theirs = _shared_out(flags)
        return Invocation([*own_module(CLIENT), *ours, "--", *command, *theirs], on_stdin=True)

    def refuse_flags(self, flags: list[str]) -> None:
        _shared_out(flags)

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return AcpParser()


def _shared_out(flags: list[str]) -> tuple[list[str], list[str]]:
    """The flags for the client, and the rest, which are for the agent."""
    ours: list[str] = []
    theirs: list[str] = []
    waiting = list(flags)
    while waiting:
        name, equals, value = (word := waiting.pop(0)).partition("=")
        if name not in OURS:
            theirs.append(word)
            continue
        if not equals:
            value = waiting.pop(0) if waiting else ""
        _check(name, value)
        ours.append(f"{name}={value}")
    return ours, theirs


def _check(name: str, value: str) -> None:
    known = get_args(Policy)
    if name == "--permissions" and value not in known:
        raise ConfigError(
            f"--permissions={value} is not a policy for an ACP agent.", f"Choose one of: {', '.join(known)}"
        )
