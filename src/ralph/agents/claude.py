"""Claude Code: `claude -p`."""

from pathlib import Path

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.help_page import offers
from ralph.agents.parser import Parser, PlainText


class Claude(Adapter):
    name = "claude"
    interrupt_first = True
    endpoint_variable = "ANTHROPIC_BASE_URL"
    environment = (
        "ANTHROPIC_*",
        "CLAUDE_*",
        "API_TIMEOUT_MS",
        "AWS_*",
        "GOOGLE_*",
        "GCLOUD_PROJECT",
        "CLOUD_ML_REGION",
        "VERTEX_REGION_*",
        "DISABLE_*",
        "ENABLE_*",
        "BASH_*_TIMEOUT_MS",
        "MAX_*_TOKENS",
        "MCP_*",
        "IS_SANDBOX",
        "USE_BUILTIN_RIPGREP",
    )

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--output-format", "stream-json", "--verbose"] if call.stream else ["--output-format", "text"]
        # The prompt goes in on stdin: it has no length limit there, and cannot be taken for a flag.
        return Invocation([*command, "-p", *flags, *output], on_stdin=True)

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:
        return ["--json-schema", schema_file.read_text(encoding="utf-8")] if offers(command, "--json-schema") else None

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()
