"""Aider: `aider --message-file`. It prints text only."""

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.parser import Parser, PlainText
from ralph.agents.providers import PROVIDERS

# Without `--no-pretty` it wraps lines as on a terminal; an update would be installed during the run.
UNATTENDED = ["--yes-always", "--no-pretty", "--no-check-update"]


class Aider(Adapter):
    name = "aider"
    environment = ("AIDER_*", *PROVIDERS)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        return Invocation([*command, *UNATTENDED, *flags, "--message-file", call.prompt_file])

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return PlainText()
