"""The formatter of seed 001: visual indicators, tool correlation, todo list, closing line."""

import pytest

from ralph.cli.display.events import EventLines, Style
from ralph.model.events import (
    PermissionDenied,
    Progress,
    RateLimited,
    Result,
    Retry,
    Stderr,
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
    return [line for event in events for text, _ in lines.lines(event) for line in text.split("\n")]


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
        "✅ Result ← Bash (1 line, 1 char)",
        "✅ Result ← Read (1 line, 1 char)",
    ]


def test_an_end_without_a_start_is_still_shown():
    assert shown(ToolEnd("9", "x"))[0] == "✅ Result ← tool (1 line, 1 char)"


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
    assert lines.lines(Result("", cost_usd=5.76, tokens=used)) == []
    ((line, _),) = lines.complete()
    assert line == (
        "✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 4, time: 6m7s)"
    )


def test_complete_is_said_once_and_only_when_the_end_is_known():
    lines = EventLines()
    assert lines.complete() == []
    assert lines.lines(Result("no", is_error=True)) == []


def test_text_markers_instead_of_emoji():
    lines = shown(
        ToolStart("1", "Bash", "ls"),
        ToolEnd("1", "no", is_error=True),
        Todo([TodoItem("a", "completed"), TodoItem("b", "in_progress"), TodoItem("c", "pending")]),
        style=Style(emoji=False),
    )
    assert lines == [
        "[TOOL] Bash(ls)",
        "[ERR] Error ← Bash (1 line, 2 chars)",
        "  | no",
        "[TODO] Todo List",
        "  [OK] a",
        "  [>] b ← ACTIVE",
        "  [ ] c",
        "  [..] Progress: 1/3 (33%)",
    ]
    assert all(line.isascii() for line in "".join(lines).replace("←", ""))


def test_the_time_of_the_closing_line_is_that_of_the_result():
    lines = EventLines(Style(emoji=False), began=1000.0)
    lines.lines(Result(""), 1060.0)
    assert lines.complete() == [("[OK] Complete (tools: 0, errors: 0, time: 1m0s)", "good")]


def test_output_is_cut_by_characters():
    lines = shown(ToolStart("1", "Read", ""), ToolEnd("1", "y" * 1000), style=Style(max_output_chars=10))
    assert lines[2:] == ["  ⎿  " + "y" * 10, "  ⎿  …"]


@pytest.mark.parametrize(
    ("tool", "preview"), [("Bash", ["…", "4", "5"]), ("run_shell_command", ["…", "4", "5"]), ("Read", ["1", "2", "…"])]
)
def test_a_preview_shows_the_end_of_a_command_and_the_beginning_of_a_file(tool, preview):
    lines = shown(ToolStart("1", tool, ""), ToolEnd("1", "1\n2\n3\n4\n5\n"), style=Style(max_output_lines=2))
    assert lines[2:] == [f"  ⎿  {line}" for line in preview]


def test_a_todo_list_appears_once():
    items = [TodoItem("a", "pending")]
    written = [ToolStart("1", "TodoWrite", ""), Todo(items), ToolEnd("1", "Todos have been modified")]
    assert shown(*written, *written) == ["📋 Todo List", "  ⏸️ a", "  📊 Progress: 0/1 (0%)"]


def test_a_todo_list_that_could_not_be_written_is_told():
    lines = shown(ToolStart("1", "TodoWrite", ""), ToolEnd("1", "no", is_error=True))
    assert lines[0] == "❌ Error ← TodoWrite (1 line, 2 chars)"


def test_thinking_is_shown_dimmed_by_its_setting():
    assert EventLines(Style(thinking=True)).lines(Thinking("hm\nso")) == [("hm\nso", "quiet")]
    assert shown(Thinking("hm")) == []


def test_standard_error_and_lines_without_a_format_are_shown_dimmed():
    lines = EventLines()
    assert lines.lines(Stderr("no key\nbye\n")) == [("stderr: no key\nstderr: bye", "quiet")]
    assert lines.lines(Unknown(b"error: unknown option")) == [("error: unknown option", "quiet")]


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


def test_unknown_messages_and_empty_text_are_not_shown():
    assert shown(Unknown(b'{"type": "new"}'), Text("  \n")) == []
