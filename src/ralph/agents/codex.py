"""Codex: `codex e`, NDJSON with `--json`."""

from pathlib import Path

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.codex_stream import CodexParser
from ralph.agents.help_page import offers
from ralph.agents.parser import Parser

AUTONOMY = (
    *("-s", "--sandbox", "--full-auto", "--approve-for-me"),
    *("--dangerously-bypass-approvals-and-sandbox", "--yolo"),
)
"""Flags that say what it may do: it takes only one of them."""


class Codex(Adapter):
    name = "codex"
    endpoint_variable = "OPENAI_BASE_URL"
    environment = ("OPENAI_*", "CODEX_*", "AZURE_*", "OLLAMA_*", "LMSTUDIO_*", "RUST_LOG")

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        output = ["--json"] if call.stream else ["-o", call.answer_file]
        # `-` reads the prompt from stdin: no length limit, and no prompt that looks like a flag.
        return Invocation(
            [*command, "e", *output, *_autonomy(command, flags), *flags, "-"],
            on_stdin=True,
            answers_in_file=not call.stream,
        )

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:
        return ["--output-schema", str(schema_file)] if offers([*command, "exec"], "--output-schema") else None

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return CodexParser()


def _autonomy(command: list[str], flags: list[str]) -> list[str]:
    """`--full-auto` where this version still has it; newer ones took it away."""
    if any(flag.partition("=")[0] in AUTONOMY for flag in flags):
        return []
    old = offers([*command, "exec"], "--full-auto", unless_told=False)
    return ["--full-auto"] if old else ["--sandbox", "workspace-write"]
