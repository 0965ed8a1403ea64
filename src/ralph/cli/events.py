"""What an agent says and does, as styled lines for a terminal."""

import time
from collections.abc import Callable

from msgspec import Struct

from ralph.cli import words
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Progress,
    RateLimited,
    Result,
    Retry,
    Subagent,
    Text,
    Thinking,
    Todo,
    TodoItem,
    ToolEnd,
    ToolStart,
    Unknown,
)

Line = tuple[str, str]
"""Text and style."""


class Marks(Struct, frozen=True):
    tool: str
    ok: str
    error: str
    todo: str
    active: str
    pending: str
    progress: str
    warning: str
    agent: str
    output: str


EMOJI = Marks("⏺", "✅", "❌", "📋", "🔄", "⏸️", "📊", "⚠️", "🤖", "⎿ ")
PLAIN = Marks("[TOOL]", "[OK]", "[ERR]", "[TODO]", "[>]", "[ ]", "[..]", "[WARN]", "[AGENT]", "|")


class Style(Struct, frozen=True):
    """The settings of `display`, as far as lines are concerned."""

    emoji: bool = True
    timestamps: bool = False
    max_output_lines: int = 3
    max_output_chars: int = 400


class EventLines:
    """Remembers which tool an end belongs to, and counts for the closing line."""

    def __init__(self, style: Style | None = None, clock: Callable[[], float] = time.time) -> None:
        self._style = style or Style()
        self._marks = EMOJI if self._style.emoji else PLAIN
        self._clock = clock
        self._began = clock()
        self._open: dict[str, str] = {}
        self._tools = 0
        self._errors = 0

    def lines(self, event: AnyEvent) -> list[Line]:
        found = self._lines(event)
        if not self._style.timestamps:
            return found
        stamp = time.strftime("[%H:%M:%S] ", time.localtime(self._clock()))
        return [(stamp + line, style) for line, style in found]

    def _lines(self, event: AnyEvent) -> list[Line]:
        match event:
            case Text(text, aside):
                return (
                    [(line, "quiet" if aside else "") for line in text.rstrip("\n").split("\n")] if text.strip() else []
                )
            case ToolStart(id_, name, summary):
                self._tools += 1
                self._open[id_] = name
                return [(f"{self._marks.tool} {name}({summary})", "tool")]
            case ToolEnd():
                return self._tool_end(event)
            case Todo(items):
                return self._todo(items)
            case Result():
                return [self._closing(event)]
            case _:
                return self._aside(event)

    def _aside(self, event: AnyEvent) -> list[Line]:
        """What is about the work, and not the work itself."""
        match event:
            case Retry(attempt, of, reason):
                return [(f"{self._marks.warning} retry {attempt}/{of}: {reason}", "warn")]
            case RateLimited(reason, until):
                when = f", until {time.strftime('%H:%M', time.localtime(until))}" if until else ""
                return [(f"{self._marks.warning} {reason}{when}", "warn")]
            case PermissionDenied(tool, reason):
                return [(f"{self._marks.error} permission denied: {tool}({reason})", "bad")]
            case Subagent(_, text, state):
                return [(f"{self._marks.agent} subagent {state}: {text}", "quiet")]
            case Progress(text):
                return [(text, "quiet")] if text else []
            case _:
                assert isinstance(event, Thinking | Unknown)  # noqa: S101 - all others are handled above
                return []

    def _tool_end(self, event: ToolEnd) -> list[Line]:
        name = self._open.pop(event.id, "tool")
        self._errors += event.is_error
        mark, word = (self._marks.error, "Error") if event.is_error else (self._marks.ok, "Result")
        output = event.output.splitlines()
        head = f"{mark} {word} ← {name} ({len(output)} lines, {len(event.output)} chars)"
        shown = event.output[: self._style.max_output_chars].splitlines()[: self._style.max_output_lines]
        if len("\n".join(shown)) < len(event.output.rstrip("\n")):
            shown.append("…")
        return [
            (head, "bad" if event.is_error else ""),
            *((f"  {self._marks.output} {line}", "quiet") for line in shown),
        ]

    def _todo(self, items: list[TodoItem]) -> list[Line]:
        done = sum(item.status == "completed" for item in items)
        percent = 100 * done // len(items) if items else 0
        return [
            (f"{self._marks.todo} Todo List", "head"),
            *((self._todo_item(item), "") for item in items),
            (f"  {self._marks.progress} Progress: {done}/{len(items)} ({percent}%)", "quiet"),
        ]

    def _todo_item(self, item: TodoItem) -> str:
        match item.status:
            case "completed":
                return f"  {self._marks.ok} {item.text}"
            case "in_progress":
                return f"  {self._marks.active} {item.text} ← ACTIVE"
            case _:
                return f"  {self._marks.pending} {item.text}"

    def _closing(self, event: Result) -> Line:
        facts = [f"cost: {words.dollars(event.cost_usd)}"] if event.cost_usd else []
        used = event.tokens
        if used.total:
            cached = f" ({words.tokens(used.cache_read)} cached)" if used.cache_read else ""
            read = used.input + used.cache_read + used.cache_write
            facts.append(f"tokens: {words.tokens(read)} in{cached} / {words.tokens(used.output)} out")
        facts += [f"tools: {self._tools}", f"errors: {self._errors}"]
        facts.append(f"time: {words.duration(max(0.0, self._clock() - self._began))}")
        mark, word, style = (
            (self._marks.error, "Failed", "bad") if event.is_error else (self._marks.ok, "Complete", "good")
        )
        return (f"{mark} {word} ({', '.join(facts)})", style)
