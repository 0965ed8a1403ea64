"""What an agent says and does, as lines for a terminal."""

from ralph.cli import words
from ralph.model.events import AnyEvent, Progress, Result, Text, Thinking, Todo, ToolEnd, ToolStart, Unknown

OUTPUT_LINES = 3
OUTPUT_CHARACTERS = 160
TODO_MARKS = {"completed": "✅", "in_progress": "🔄"}


class EventLines:
    """Remembers which tool an end belongs to."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def lines(self, event: AnyEvent) -> list[str]:
        match event:
            case Text(text):
                return text.rstrip("\n").split("\n") if text.strip() else []
            case ToolStart(id_, name, summary):
                self._tools[id_] = name
                return [f"⏺ {name}({summary})"]
            case ToolEnd():
                return self._tool_end(event)
            case Todo(items):
                done = sum(item.status == "completed" for item in items)
                marked = [f"  {TODO_MARKS.get(item.status, '⏸️')} {item.text}" for item in items]
                return ["📋 Todo List", *marked, f"  📊 Progress: {done}/{len(items)}"]
            case Result(is_error=failed):
                closing = " · ".join(words.spent(event.cost_usd, event.tokens.total))
                return [f"{'❌ Failed' if failed else '✅ Complete'}{f' ({closing})' if closing else ''}"]
            case Thinking() | Progress() | Unknown():
                return []

    def _tool_end(self, event: ToolEnd) -> list[str]:
        name = self._tools.pop(event.id, "tool")
        output = event.output.splitlines()
        head = (
            f"{'❌ Error' if event.is_error else '✅ Result'} ← {name} ({len(output)} lines, {len(event.output)} chars)"
        )
        shown = [f"  ⎿  {line[:OUTPUT_CHARACTERS]}" for line in output[:OUTPUT_LINES]]
        return [head, *shown, *(["  ⎿  …"] if len(output) > OUTPUT_LINES else [])]
