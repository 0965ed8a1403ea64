"""What an agent says and does, as styled lines for a terminal."""

import time
from collections.abc import Callable

from msgspec import Struct

from ralph.model import words
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Progress,
    RateLimited,
    Result,
    Retry,
    Skipped,
    Stderr,
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
"""A text of one line or several, and its style. A text is split only if needed: that costs more than all the rest."""
COMMANDS = frozenset(("bash", "bashoutput", "shell", "run_shell_command", "developer__shell", "execute"))
"""Tools, in lower case, whose output matters at its end. For all others the beginning is shown."""
TODO_TOOLS = frozenset(("todowrite", "todo_write", "write_todos", "taskcreate", "taskupdate"))
"""Tools whose call is shown as the todo list that it writes."""


class Symbols(Struct, frozen=True):
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


EMOJI = Symbols("⏺", "✅", "❌", "📋", "🔄", "⏸️", "📊", "⚠️", "🤖", "⎿ ")
PLAIN = Symbols("[TOOL]", "[OK]", "[ERR]", "[TODO]", "[>]", "[ ]", "[..]", "[WARN]", "[AGENT]", "|")


class Style(Struct, frozen=True):
    """The settings of `display` that affect lines."""

    emoji: bool = True
    thinking: bool = False
    max_output_lines: int = 3
    max_output_chars: int = 400


class EventLines:
    """Turns events into lines. It remembers which tool an end belongs to, and counts for the closing line."""

    def __init__(
        self, style: Style | None = None, clock: Callable[[], float] = time.time, began: float | None = None
    ) -> None:
        self._style = style or Style()
        self._symbols = EMOJI if self._style.emoji else PLAIN
        self._clock = clock
        self._began = clock() if began is None else began
        self._open: dict[str, str] = {}
        self._todos: list[TodoItem] | None = None
        self._tools = 0
        self._errors = 0
        self._result: Result | None = None
        self._took = 0.0

    def lines(self, event: AnyEvent, at: float | None = None) -> list[Line]:
        """The lines of an event. `at` is the time at which it came; None means now."""
        match event:
            case Text(text, aside):
                return _texts(text, "quiet" if aside else "")
            case ToolStart(id_, name, summary):
                self._tools += 1
                self._open[id_] = name
                is_todo = name.lower() in TODO_TOOLS
                return [] if is_todo else [(f"{self._symbols.tool} {name}({summary})", "tool")]
            case ToolEnd():
                return self._tool_end(event)
            case Todo(items):
                return self._todo(items)
            case Result():
                self._result = event
                self._took = max(0.0, (self._clock() if at is None else at) - self._began)
                return []
            case _:
                return self._aside(event)

    def pass_over(self, event: AnyEvent) -> int:
        """Note an event whose lines are not shown, and return how many pieces it has. Long texts are not split."""
        match event:
            case Skipped(pieces, tools):
                self._tools += tools
                return pieces
            case Text(text):
                return bool(text)
            case ToolEnd(id_, is_error=is_error):
                self._open.pop(id_, None)
                self._errors += is_error
                return 1
            case _:
                return bool(self.lines(event))

    def complete(self) -> list[Line]:
        """The closing line, once it is known that the agent ended well; empty if there is no result to report."""
        return [self._closing(self._result)] if self._result else []

    def _aside(self, event: AnyEvent) -> list[Line]:
        """The lines for events around the work, such as retries and denied permissions."""
        match event:
            case Retry(attempt, of, reason):
                return [(f"{self._symbols.warning} retry {attempt}/{of}: {reason}", "warn")]
            case RateLimited(reason, until):
                when = f", until {time.strftime('%H:%M', time.localtime(until))}" if until else ""
                return [(f"{self._symbols.warning} {reason}{when}", "warn")]
            case PermissionDenied(tool, reason):
                return [(f"{self._symbols.error} permission denied: {tool}({reason})", "bad")]
            case Subagent(_, text, state):
                return [(f"{self._symbols.agent} subagent {state}: {text}", "quiet")]
            case _:
                return self._dimmed(event)

    def _dimmed(self, event: AnyEvent) -> list[Line]:
        """The lines for details, shown dimmed."""
        match event:
            case Progress(text):
                return [(text, "quiet")] if text else []
            case Thinking(text):
                return _texts(text, "quiet") if self._style.thinking else []
            case Stderr(text):
                return [(words.prefixed(line, "stderr: "), style) for line, style in _texts(text, "quiet")]
            case _:
                assert isinstance(event, Unknown)  # noqa: S101 - all others are handled above
                return [] if event.is_json else _texts(event.raw.decode(errors="replace"), "quiet")

    def _tool_end(self, event: ToolEnd) -> list[Line]:
        name = self._open.pop(event.id, "tool")
        self._errors += event.is_error
        if name.lower() in TODO_TOOLS and not event.is_error:
            return []
        symbol, word = (self._symbols.error, "Error") if event.is_error else (self._symbols.ok, "Result")
        ends = event.output.count("\n") + (event.output[-1:] not in {"", "\n"})
        size = f"{words.count(ends, 'line')}, {words.count(len(event.output), 'char')}"
        shown = self._preview(event.output.rstrip("\n"), at_end=name.lower() in COMMANDS)
        return [
            (f"{symbol} {word} ← {name} ({size})", "bad" if event.is_error else ""),
            *([(words.prefixed(shown, f"  {self._symbols.output} "), "quiet")] if shown else []),
        ]

    def _preview(self, output: str, *, at_end: bool) -> str:
        """As much of a tool's output as the settings allow, with a mark on the side where there is more."""
        most, lines = self._style.max_output_chars, self._style.max_output_lines
        found = (output[max(0, len(output) - most) :] if at_end else output[:most]).splitlines()
        shown = found[max(0, len(found) - lines) :] if at_end else found[:lines]
        text = "\n".join(shown)
        if len(text) < len(output):
            return "\n".join(["…", *shown] if at_end else [*shown, "…"])
        return text

    def _todo(self, items: list[TodoItem]) -> list[Line]:
        if items == self._todos:
            return []
        self._todos = items
        done = sum(item.status == "completed" for item in items)
        percent = 100 * done // len(items) if items else 0
        return [
            (f"{self._symbols.todo} Todo List", "head"),
            *((self._todo_item(item), "") for item in items),
            (f"  {self._symbols.progress} Progress: {done}/{len(items)} ({percent}%)", "quiet"),
        ]

    def _todo_item(self, item: TodoItem) -> str:
        match item.status:
            case "completed":
                return f"  {self._symbols.ok} {item.text}"
            case "in_progress":
                return f"  {self._symbols.active} {item.text} ← ACTIVE"
            case _:
                return f"  {self._symbols.pending} {item.text}"

    def _closing(self, event: Result) -> Line:
        facts = [f"cost: {words.dollars(event.cost_usd)}"] if event.cost_usd else []
        used = event.tokens
        if used.total:
            cached = f" ({words.tokens(used.cache_read)} cached)" if used.cache_read else ""
            read = used.input + used.cache_read + used.cache_write
            facts.append(f"tokens: {words.tokens(read)} in{cached} / {words.tokens(used.output)} out")
        facts += [f"tools: {self._tools}", f"errors: {self._errors}"]
        facts.append(f"time: {words.duration(self._took)}")
        return (f"{self._symbols.ok} Complete ({', '.join(facts)})", "good")


def _texts(text: str, style: str) -> list[Line]:
    return [(text.rstrip("\n"), style)] if text and not text.isspace() else []
