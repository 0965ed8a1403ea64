"""Amp: `amp -x`, whose `--stream-json` follows Claude's format."""

from ralph.agents.adapter import ARGV_LIMIT, Adapter, Call, Invocation
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.parser import Parser, PlainText


class Amp(Adapter):
    name = "amp"
    environment = ("AMP_*",)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--stream-json"] if call.stream else []
        argv = [*command, *output, "--dangerously-allow-all", *flags, "-x"]
        # Amp wants `-x <prompt>` together at the end; a prompt too long for argv goes in on stdin.
        too_long = len(call.prompt.encode()) > ARGV_LIMIT
        return Invocation(argv if too_long else [*argv, call.prompt], on_stdin=too_long)

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()
