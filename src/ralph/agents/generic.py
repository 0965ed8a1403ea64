"""Any command: with `{prompt}` or `{prompt_file}` in its words, or the prompt on standard input."""

from ralph.agents.adapter import ARGV_LIMIT, Adapter, Call, Invocation
from ralph.agents.parser import Parser, PlainText
from ralph.model.errors import ConfigError


class Generic(Adapter):
    name = "generic"
    environment = None

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        words = [*command, *flags]
        if any("{prompt}" in word for word in words) and len(call.prompt.encode()) > ARGV_LIMIT:
            raise ConfigError(
                f"the prompt is too long for an argument of {command[0]}.", "Use {prompt_file} instead, or stdin."
            )
        argv = [word.replace("{prompt_file}", call.prompt_file).replace("{prompt}", call.prompt) for word in words]
        return Invocation(argv, on_stdin=argv == words)

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return PlainText()
