"""Claude Code: `claude -p`."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

import ralph.plugin
from ralph.agents.adapter import Adapter, Call, Hooks, Invocation
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.help_page import offers
from ralph.agents.parser import Parser, PlainText

PLUGIN = Path(ralph.plugin.__file__).parent
WITHOUT_HOOKS = "--bare"
LARGEST = 1 << 20
"""The most bytes of a settings file that are read."""


class _Settings(Struct, rename="camel"):
    disable_all_hooks: bool | None = None


class Claude(Adapter):
    name = "claude"
    reports_cost = True
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
        # The prompt goes to stdin: it has no length limit there, and cannot be mistaken for a flag.
        return Invocation([*command, "-p", *flags, *output], on_stdin=True)

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:
        return ["--json-schema", schema_file.read_text(encoding="utf-8")] if offers(command, "--json-schema") else None

    def hooks(self, command: list[str], flags: list[str], home: Path, environ: Mapping[str, str]) -> Hooks | None:  # noqa: ARG002 - it needs no home
        is_able = WITHOUT_HOOKS not in flags and offers(command, "--plugin-dir")
        return Hooks(["--plugin-dir", str(PLUGIN)]) if is_able else None

    def hooks_are_off(self, folder: Path, environ: Mapping[str, str]) -> bool:
        """Whether hooks are off. The strongest settings file that mentions it decides: local, the project's, the
        user's.
        """
        users = environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME") or Path.home(), ".claude")
        files = (folder / ".claude/settings.local.json", folder / ".claude/settings.json", Path(users, "settings.json"))
        said = (_disable_all_hooks(file) for file in files)
        return next((each for each in said if each is not None), False)

    def parser(self, *, stream: bool) -> Parser:
        return ClaudeParser() if stream else PlainText()


def _disable_all_hooks(file: Path) -> bool | None:
    """What a settings file says about it; None if it says nothing, or is not a plain file, because an agent may have
    made it.
    """
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        try:
            return msgspec.json.decode(opened.read(LARGEST), type=_Settings).disable_all_hooks
        except msgspec.DecodeError:
            return None
