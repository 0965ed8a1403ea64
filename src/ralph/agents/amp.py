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
        # Amp expects `-x <prompt>` together at the end; a prompt that argv cannot carry goes to stdin.
        unfit = _is_unfit(call.prompt)
        return Invocation(argv if unfit else [*argv, call.prompt], on_stdin=unfit)

    def model_flags(self, model: str | None) -> list[str]:
        """The flags for a mode, which is what Amp lets a user choose: each mode has its model."""
        return ["--mode", model] if model else []

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()


def _is_unfit(prompt: str) -> bool:
    """Whether the prompt is too long for an argument, looks like a flag, or cannot be passed at all."""
    return len(prompt.encode(errors="surrogateescape")) > ARGV_LIMIT or prompt.startswith("-") or "\0" in prompt
