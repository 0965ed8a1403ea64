"""Amp: `amp -x`, whose `--stream-json` follows Claude's format."""

from ralph.agents.adapter import ARGV_LIMIT, Adapter, Call, Invocation
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.parser import Parser, PlainText


class Amp(Adapter):
    name = "amp"
    environment = ("AMP_*",)
    endpoint_variable = "AMP_URL"

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--stream-json"] if call.stream else []
        argv = [*command, *output, "--dangerously-allow-all", *flags, "-x"]
        # Amp wants `-x <prompt>` together at the end; a prompt that argv cannot carry goes in on stdin.
        unfit = _is_unfit(call.prompt)
        return Invocation(argv if unfit else [*argv, call.prompt], on_stdin=unfit)

    def model_flags(self, model: str | None) -> list[str]:
        """A mode is what Amp lets choose: it brings its model with it."""
        return ["--mode", model] if model else []

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()


def _is_unfit(prompt: str) -> bool:
    """Too long for an argument, taken for a flag, or not to be passed at all."""
    return len(prompt.encode(errors="surrogateescape")) > ARGV_LIMIT or prompt.startswith("-") or "\0" in prompt
