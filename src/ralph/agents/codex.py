"""Codex: `codex e`, NDJSON with `--json`."""

from collections.abc import Mapping
from pathlib import Path

import ralph.plugin
from ralph.agents.adapter import Adapter, Call, Hooks, Invocation
from ralph.agents.codex_home import is_temporary, keeps_login_elsewhere, make_home
from ralph.agents.codex_stream import CodexParser
from ralph.agents.help_page import offers
from ralph.agents.parser import Parser

UNFENCED = ("--dangerously-bypass-approvals-and-sandbox", "--yolo")
AUTONOMY = ("-s", "--sandbox", "--full-auto", "--approve-for-me", *UNFENCED)
"""Flags that say what it may do: it accepts only one of them."""

# Without it Codex skips every hook that nobody has reviewed in its own screen.
TRUSTING = "--dangerously-bypass-hook-trust"
PLUGIN = Path(ralph.plugin.__file__).parent


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

    def hooks(self, command: list[str], flags: list[str], home: Path, environ: Mapping[str, str]) -> Hooks | None:
        is_fenced = not any(flag in UNFENCED for flag in flags)
        if (is_fenced and is_temporary(home, environ)) or keeps_login_elsewhere(environ):
            return None
        is_able = offers([*command, "exec"], TRUSTING)
        return Hooks([TRUSTING], {"CODEX_HOME": str(home)}, needs_home=True) if is_able else None

    def make_home(self, home: Path, environ: Mapping[str, str]) -> None:
        make_home(home, PLUGIN, environ)

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return CodexParser()


def _autonomy(command: list[str], flags: list[str]) -> list[str]:
    """The flag `--full-auto` if this version still has it; newer ones removed it."""
    if any(flag.partition("=")[0] in AUTONOMY for flag in flags):
        return []
    old = offers([*command, "exec"], "--full-auto", unless_told=False)
    return ["--full-auto"] if old else ["--sandbox", "workspace-write"]
