"""What is peculiar to Codex: its flags by version, and what its stream repeats, mixes and counts."""

import json

import pytest

from ralph.agents.adapter import Call
from ralph.agents.codex import Codex
from ralph.agents.codex_stream import CodexParser
from ralph.model.events import (
    PermissionDenied,
    Progress,
    Result,
    Retry,
    Text,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

OLD = "  -s, --sandbox <MODE>\\n      --full-auto\\n      --json"
NEW = "  -s, --sandbox <MODE>\\n      --approve-for-me\\n      --json"


def parsed(*lines):
    parser, events = CodexParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events


def item(event, number, kind, **fields):
    return {"type": f"item.{event}", "item": {"id": f"item_{number}", "type": kind, **fields}}


def command(event, number, text, output="", code=None, status="in_progress"):
    fields = {"command": text, "aggregated_output": output, "exit_code": code, "status": status}
    return item(event, number, "command_execution", **fields)


def completed(**usage):
    return {"type": "turn.completed", "usage": usage}


@pytest.fixture
def argv(tmp_path):
    """The arguments for a program with this help page, which counts how often it is asked."""

    def call(page, *flags, times=1):
        program = tmp_path / "codex"
        program.write_text(f"#!/bin/sh\necho \"$*\" >> '{tmp_path}/asked'\nprintf '{page}'\n")
        program.chmod(0o755)
        codex = Codex()
        for _ in range(times):
            found = codex.invocation([str(program)], list(flags), Call("Do it.", "in", "out", stream=True)).argv[1:]
        asked = (tmp_path / "asked").read_text().splitlines() if (tmp_path / "asked").exists() else []
        return found, asked

    return call


def test_a_version_that_has_full_auto_gets_it(argv):
    assert argv(OLD)[0] == ["e", "--json", "--full-auto", "-"]


def test_a_version_that_has_lost_it_gets_a_sandbox(argv):
    assert argv(NEW)[0] == ["e", "--json", "--sandbox", "workspace-write", "-"]


def test_a_help_page_that_says_nothing_is_that_of_a_current_version(argv):
    assert argv("")[0] == ["e", "--json", "--sandbox", "workspace-write", "-"]


def test_the_help_page_is_read_once(argv):
    assert argv(NEW, times=3)[1] == ["exec --help"]


@pytest.mark.parametrize(
    "chosen",
    [
        ["--dangerously-bypass-approvals-and-sandbox"],
        ["--sandbox", "danger-full-access"],
        ["--sandbox=read-only"],
        ["-s", "read-only"],
        ["--full-auto"],
        ["--approve-for-me"],
        ["--yolo"],
    ],
)
def test_a_choice_of_the_users_own_replaces_ours_and_nothing_is_asked(argv, chosen):
    """It refuses to take two of them."""
    assert argv(NEW, *chosen) == (["e", "--json", *chosen, "-"], [])


def test_commands_side_by_side_end_in_any_order():
    _, events = parsed(
        command("started", 1, "/bin/bash -lc 'sleep 2'"),
        command("started", 2, "/bin/bash -lc 'echo hi'"),
        command("completed", 2, "/bin/bash -lc 'echo hi'", "hi\n", 0, "completed"),
        command("completed", 1, "/bin/bash -lc 'sleep 2'", "", 3, "failed"),
    )
    assert events == [
        ToolStart("item_1", "shell", "sleep 2"),
        ToolStart("item_2", "shell", "echo hi"),
        ToolEnd("item_2", "hi\n", is_error=False),
        ToolEnd("item_1", "", is_error=True),
    ]


def test_a_tool_that_is_only_told_of_when_it_ends_has_a_start_too():
    change = item("completed", 1, "file_change", changes=[{"path": "a.py", "kind": "add"}], status="completed")
    assert parsed(change)[1] == [ToolStart("item_1", "edit", "add a.py"), ToolEnd("item_1", "")]


def test_a_change_of_files_that_failed_is_an_error():
    changes = [{"path": "a.py", "kind": "update"}, {"path": "b.py", "kind": "delete"}]
    parser, events = parsed(
        item("started", 1, "file_change", changes=changes, status="in_progress"),
        item("completed", 1, "file_change", changes=changes, status="failed"),
    )
    assert events == [ToolStart("item_1", "edit", "update a.py, delete b.py"), ToolEnd("item_1", "", is_error=True)]
    assert (parser.tools, parser.tool_errors) == (1, 1)


def test_an_mcp_tool_has_its_server_in_its_name_and_its_answer_or_error_as_output():
    call = {"server": "docs", "tool": "search", "arguments": {"query": "retry"}}
    answer = {"content": [{"type": "text", "text": "found"}], "structured_content": None}
    _, events = parsed(
        item("started", 1, "mcp_tool_call", **call, result=None, error=None, status="in_progress"),
        item("completed", 1, "mcp_tool_call", **call, result=answer, error=None, status="completed"),
        item("completed", 2, "mcp_tool_call", **call, result=None, error={"message": "gone"}, status="failed"),
    )
    assert events[:2] == [ToolStart("item_1", "docs.search", "retry"), ToolEnd("item_1", "found")]
    assert events[3] == ToolEnd("item_2", "gone", is_error=True)


def test_a_web_search_is_a_tool():
    assert parsed(item("completed", 1, "web_search", query="msgspec"))[1][0] == ToolStart(
        "item_1", "web_search", "msgspec"
    )


def test_a_plan_is_a_todo_list_each_time_it_changes():
    first = [{"text": "Look", "completed": False}, {"text": "Mend", "completed": False}]
    then = [{"text": "Look", "completed": True}, {"text": "Mend", "completed": False}]
    _, events = parsed(
        item("started", 1, "todo_list", items=first),
        item("updated", 1, "todo_list", items=then),
        item("completed", 1, "todo_list", items=then),
    )
    pending = Todo([TodoItem("Look", "pending"), TodoItem("Mend", "pending")])
    half = Todo([TodoItem("Look", "completed"), TodoItem("Mend", "pending")])
    assert events == [pending, half, half]


def test_a_command_that_was_declined_is_a_permission_denied():
    parser, events = parsed(command("completed", 1, "rm -rf build", status="declined"))
    assert events[1] == PermissionDenied("shell", "rm -rf build")
    assert parser.denied


def test_reconnecting_is_a_retry_and_no_failure():
    parser, events = parsed(
        {"type": "error", "message": "Reconnecting... 2/5 (stream disconnected before completion)"},
        {"type": "error", "message": "Reconnecting... 3/5"},
        completed(),
    )
    assert events[:2] == [Retry(2, 5, "stream disconnected before completion"), Retry(3, 5, "the connection was lost")]
    assert not parser.result.is_error


def test_of_a_message_that_begins_again_after_each_stream_error_the_last_counts():
    parser, events = parsed(
        item("completed", 0, "agent_message", text="All do"),
        {"type": "error", "message": "Reconnecting... 1/5"},
        item("completed", 1, "agent_message", text="All done.\n<response>DO"),
        {"type": "error", "message": "Reconnecting... 2/5"},
        item("completed", 2, "agent_message", text="All done.\n<response>DONE</response>"),
        completed(),
    )
    assert parser.result == Result("All done.\n<response>DONE</response>")
    assert len([event for event in events if isinstance(event, Text)]) == 3


def test_the_usage_of_a_resumed_thread_is_the_sum_so_the_last_turn_has_it_all():
    parser, _ = parsed(
        completed(input_tokens=100, cached_input_tokens=0, output_tokens=20),
        completed(input_tokens=300, cached_input_tokens=120, output_tokens=60),
    )
    assert parser.result.tokens == Tokens(input=180, output=60, cache_read=120)


def test_an_item_of_the_type_error_is_a_warning():
    parser, events = parsed(item("completed", 0, "error", message="Model metadata not found"), completed())
    assert events[0] == Progress("Model metadata not found")
    assert not parser.result.is_error


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", "quota"),
        ("You've hit your usage limit. Upgrade, or try again in 3 hours 42 minutes.", "quota"),
        ("unexpected status 401 Unauthorized: Missing bearer", "auth"),
        ("The 'gpt-9' model is not supported when using Codex with a ChatGPT account.", "model"),
        ('{"error": {"message": "Your input exceeds the context window of this model."}}', "prompt_too_long"),
        ("Quota exceeded. Check your plan and billing details.", "billing"),
        ("stream disconnected before completion", "other"),
    ],
)
def test_a_failed_turn_says_what_the_matter_is(message, kind):
    parser, _ = parsed({"type": "turn.failed", "error": {"message": message}})
    assert (parser.result.is_error, parser.result.problem.kind) == (True, kind)


def test_an_error_after_which_nothing_comes_is_the_failure():
    parser, _ = parsed({"type": "turn.started"}, {"type": "error", "message": "unexpected status 401 Unauthorized"})
    assert (parser.result.is_error, parser.result.problem.kind) == (True, "auth")


def test_an_error_after_which_it_goes_on_is_none():
    parser, _ = parsed({"type": "error", "message": "hm"}, item("completed", 0, "agent_message", text="I go on"))
    assert parser.result is None


def test_a_long_command_is_one_short_line():
    text = "/bin/bash -lc 'cat <<EOF\n" + "line\n" * 500 + "EOF'"
    (start,) = parsed(command("started", 1, text))[1]
    assert len(start.summary) == 200
    assert start.summary.startswith("cat <<EOF line line")
