"""Codex: `codex e`, NDJSON with `--json`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.help_page import offers
from ralph.agents.parser import JsonLines, Parser
from ralph.model.events import AnyEvent, Progress, Result, Text, Thinking, Tokens, ToolEnd, ToolStart
from ralph.proc import capture

HELP_SECONDS = 20.0


class Usage(Struct, gc=False):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0


class Item(Struct, gc=False):
    id: str = ""
    type: str = ""
    text: str = ""
    command: str = ""
    aggregated_output: str = ""
    exit_code: int | None = None
    message: str = ""


class Problem(Struct, gc=False):
    message: str = ""


class Line(Struct, gc=False):
    type: str = ""
    thread_id: str = ""
    item: Item | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    error: Problem | UnsetType = UNSET
    message: str = ""


class CodexParser(JsonLines):
    line_type = Line

    def read(self, line: Any) -> Iterable[AnyEvent]:
        match line.type:
            case "thread.started":
                return (Progress(f"thread {line.thread_id}"),)
            case "item.started" if line.item is not UNSET:
                return self._started(line.item)
            case "item.completed" if line.item is not UNSET:
                return self._completed(line.item)
            case "turn.completed":
                return (Result(self.last_text, tokens=_tokens(line.usage)),)
            case "turn.failed":
                found: Iterable[AnyEvent] = (Result(_message(line.error), is_error=True),)
            case "error":
                found = (Progress(line.message),)
            case _:
                found = ()
        return found

    def _started(self, item: Item) -> Iterable[AnyEvent]:
        return (ToolStart(item.id, "shell", item.command),) if item.type == "command_execution" else ()

    def _completed(self, item: Item) -> Iterable[AnyEvent]:
        match item.type:
            case "agent_message":
                return (Text(item.text),)
            case "reasoning":
                return (Thinking(item.text),)
            case "command_execution":
                return (ToolEnd(item.id, item.aggregated_output, item.exit_code not in (0, None)),)
            case "error":
                # A warning of Codex itself; a turn that really fails says so.
                return (Progress(item.message),)
            case _:
                return ()


class Codex(Adapter):
    name = "codex"
    endpoint_variable = "OPENAI_BASE_URL"
    environment = ("OPENAI_*", "CODEX_*", "AZURE_*", "OLLAMA_*", "LMSTUDIO_*", "RUST_LOG")

    def __init__(self) -> None:
        self._autonomy: list[str] | None = None

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        autonomy = self._autonomy = self._autonomy or _autonomy(command)
        output = ["--json"] if call.stream else ["-o", call.answer_file]
        # `-` reads the prompt from stdin: no length limit, and no prompt that looks like a flag.
        return Invocation(
            [*command, "e", *output, *autonomy, *flags, "-"], on_stdin=True, answers_in_file=not call.stream
        )

    def schema_flags(self, command: list[str], schema_file: Path) -> list[str] | None:
        return ["--output-schema", str(schema_file)] if offers([*command, "exec"], "--output-schema") else None

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return CodexParser()


def _autonomy(command: list[str]) -> list[str]:
    """`--full-auto` where this version still has it; newer ones took it away."""
    help_page = capture([*command, "exec", "--help"], timeout=HELP_SECONDS)
    return ["--full-auto"] if "--full-auto" in help_page.output else ["--sandbox", "workspace-write"]


def _message(problem: Problem | UnsetType) -> str:
    return "the turn failed" if problem is UNSET else problem.message


def _tokens(usage: Usage | UnsetType) -> Tokens:
    if usage is UNSET:
        return Tokens()
    # Codex counts cached tokens into the input, the others do not.
    fresh = max(0, usage.input_tokens - usage.cached_input_tokens)
    return Tokens(fresh, usage.output_tokens, usage.cached_input_tokens, usage.cache_write_input_tokens)
