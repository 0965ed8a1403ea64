"""The formatter of seed 001: visual indicators, tool correlation, todo list, closing line."""

import pytest

from ralph.cli.events import EventLines, Style
from ralph.model.events import (
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
    Tokens,
    ToolEnd,
    ToolStart,
    Unknown,
)


def shown(*events, style=None, clock=None):
    lines = EventLines(style, clock or (lambda: 0.0))
    return [line for event in events for line, _ in lines.lines(event)]


def test_a_tool_and_its_result_are_correlated():
    output = "package main\n" + "x\n" * 44
    assert shown(ToolStart("1", "Read", "/path/to/file.go"), ToolEnd("1", output), style=Style(max_output_lines=1)) == [
        "⏺ Read(/path/to/file.go)",
        "✅ Result ← Read (45 lines, 101 chars)",
        "  ⎿  package main",
        "  ⎿  …",
    ]


def test_tools_that_end_out_of_order_keep_their_names():
    lines = shown(ToolStart("1", "Read", "a"), ToolStart("2", "Bash", "b"), ToolEnd("2", "x"), ToolEnd("1", "y"))
    assert [line for line in lines if "←" in line] == [
        "✅ Result ← Bash (1 lines, 1 chars)",
        "✅ Result ← Read (1 lines, 1 chars)",
    ]


def test_an_end_without_a_start_is_still_shown():
    assert shown(ToolEnd("9", "x"))[0] == "✅ Result ← tool (1 lines, 1 chars)"


def test_the_todo_list_with_its_progress():
    items = [
        TodoItem("Read the file", "completed"),
        TodoItem("Edit the code", "in_progress"),
        TodoItem("Run tests", "pending"),
    ]
    assert shown(Todo(items)) == [
        "📋 Todo List",
        "  ✅ Read the file",
        "  🔄 Edit the code ← ACTIVE",
        "  ⏸️ Run tests",
        "  📊 Progress: 1/3 (33%)",
    ]


def test_the_closing_line_with_cost_tokens_tools_errors_and_time():
    moments = iter([0.0, 367.0])
    lines = EventLines(clock=lambda: next(moments))
    for number in range(58):
        lines.lines(ToolStart(str(number), "Bash", ""))
        lines.lines(ToolEnd(str(number), "", is_error=number < 4))
    used = Tokens(input=350_000, cache_read=850_000, output=45_000)
    ((line, _),) = lines.lines(Result("", cost_usd=5.76, tokens=used))
    assert line == (
        "✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 4, time: 6m07s)"
    )


def test_a_failure_is_not_called_complete():
    assert shown(Result("no", is_error=True))[0].startswith("❌ Failed")


def test_text_markers_instead_of_emoji():
    lines = shown(
        ToolStart("1", "Bash", "ls"),
        ToolEnd("1", "no", is_error=True),
        Todo([TodoItem("a", "completed"), TodoItem("b", "in_progress"), TodoItem("c", "pending")]),
        Result("x"),
        style=Style(emoji=False),
    )
    assert lines == [
        "[TOOL] Bash(ls)",
        "[ERR] Error ← Bash (1 lines, 2 chars)",
        "  | no",
        "[TODO] Todo List",
        "  [OK] a",
        "  [>] b ← ACTIVE",
        "  [ ] c",
        "  [..] Progress: 1/3 (33%)",
        "[OK] Complete (tools: 1, errors: 1, time: 0.0s)",
    ]
    assert all(line.isascii() for line in "".join(lines).replace("←", ""))


def test_timestamps_stand_before_each_line():
    lines = shown(Text("a\nb"), style=Style(timestamps=True))
    assert all(line[0] == "[" and line[3] == line[6] == ":" and line[9:11] == "] " for line in lines)
    assert len(lines) == 2


def test_output_is_cut_by_characters():
    lines = shown(ToolStart("1", "Bash", ""), ToolEnd("1", "y" * 1000), style=Style(max_output_chars=10))
    assert lines[2:] == ["  ⎿  " + "y" * 10, "  ⎿  …"]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Retry(2, 10, "rate limit"), "⚠️ retry 2/10: rate limit"),
        (RateLimited("the usage limit is reached"), "⚠️ the usage limit is reached"),
        (PermissionDenied("Bash", "rm x"), "❌ permission denied: Bash(rm x)"),
        (Subagent("a", "look around", "started"), "🤖 subagent started: look around"),
        (Progress("session 1"), "session 1"),
    ],
)
def test_what_is_about_the_work(event, line):
    assert shown(event) == [line]


def test_thinking_and_unknown_lines_are_not_shown():
    assert shown(Thinking("hm"), Unknown(b"?"), Text("  \n")) == []
