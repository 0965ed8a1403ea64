"""What is peculiar to Claude Code's stream, beyond what the recordings show."""

import json

import pytest

from ralph.agents.claude_hooks import GUARD_WORDS
from ralph.agents.claude_stream import ClaudeParser
from ralph.model.events import (
    PermissionDenied,
    Progress,
    RateLimited,
    Result,
    Subagent,
    Text,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
)


def parsed(*lines):
    parser, events = ClaudeParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events


def assistant(*blocks, parent=None):
    return {"type": "assistant", "message": {"content": list(blocks)}, "parent_tool_use_id": parent}


def tool_result(call, content, *, is_error=False):
    block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}
    return {"type": "user", "message": {"content": [block]}}


def used(name, call="toolu_1", **given):
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(**fields):
    return {"type": "result", "subtype": "success", "is_error": False, "result": "over", **fields}


def todos(events):
    return [[(item.text, item.status) for item in event.items] for event in events if isinstance(event, Todo)]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"api_error_status": 429, "result": "API Error: Request rejected (429)"}, "quota"),
        ({"api_error_status": 529, "result": "API Error: Overloaded"}, "quota"),
        ({"api_error_status": 401, "result": "Invalid API key"}, "auth"),
        ({"api_error_status": 403, "result": "OAuth token has been revoked"}, "auth"),
        ({"api_error_status": 404, "result": "There's an issue with the selected model (x)."}, "model"),
        ({"api_error_status": 400, "result": "Prompt is too long"}, "prompt_too_long"),
        ({"api_error_status": None, "result": "hm", "terminal_reason": "prompt_too_long"}, "prompt_too_long"),
        ({"api_error_status": 400, "result": "Credit balance is too low"}, "billing"),
        ({"api_error_status": 500, "result": "API Error: 500"}, "other"),
        ({"api_error_status": None, "subtype": "error_max_turns", "result": None}, "other"),
    ],
)
def test_an_error_under_the_subtype_success_is_a_problem_of_its_kind(fields, kind):
    parser, _ = parsed(result(is_error=True) | fields)
    assert (parser.result.is_error, parser.result.problem.kind) == (True, kind)


def test_a_usage_limit_tells_when_it_ends():
    info = {"status": "rejected", "resetsAt": 1_794_800_000, "rateLimitType": "five_hour"}
    parser, events = parsed(
        {"type": "rate_limit_event", "rate_limit_info": info},
        result(is_error=True, api_error_status=429, result="You've hit your limit"),
    )
    assert events[0] == RateLimited("the usage limit is reached", 1_794_800_000.0)
    assert (parser.result.problem.kind, parser.result.problem.until) == ("quota", 1_794_800_000.0)


@pytest.mark.parametrize("info", [{"status": "allowed"}, {"status": "allowed_warning", "resetsAt": 1}, None, "odd"])
def test_a_usage_that_is_allowed_limits_nothing(info):
    assert parsed({"type": "rate_limit_event", "rate_limit_info": info})[1] == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"subtype": "error_max_turns", "errors": ["Reached maximum number of turns (3)"]}, "error_max_turns: Reached"),
        ({"subtype": "error_during_execution", "errors": ["[ede_diagnostic] x=1"]}, "error_during_execution"),
        ({"subtype": "error_during_execution", "error": {"message": "no credit"}}, "no credit"),
        ({"subtype": "error_during_execution", "errors": "odd"}, "error_during_execution"),
    ],
)
def test_a_failure_without_a_result_says_why(fields, words):
    line = result(is_error=True) | fields
    del line["result"]
    assert parsed(line)[0].result.text.startswith(words)


@pytest.mark.parametrize(
    "odd",
    [
        {"usage": None},
        {"usage": {"input_tokens": None}},
        {"usage": "much"},
        {"permission_denials": None},
        {"permission_denials": {"a": 1}},
        {"structured_output": None},
        {"errors": 7},
        {"total_cost_usd": None},
        {"is_error": None},
    ],
)
def test_an_odd_field_does_not_cost_the_result(odd):
    assert parsed(result(**odd))[0].result == Result("over")


def test_a_structured_answer_is_the_final_message_where_there_is_no_other():
    parser, _ = parsed(result(result="", structured_output={"met": True}))
    assert parser.result.text == '{"met": true}'


def test_a_subagent_speaks_aside_and_keeps_its_todos_to_itself():
    parser, events = parsed(
        assistant({"type": "text", "text": "mine"}),
        assistant({"type": "text", "text": "<response>DONE</response>"}, parent="toolu_1"),
        assistant(used("TodoWrite", todos=[{"content": "its own", "status": "pending"}]), parent="toolu_1"),
    )
    assert events[1] == Text("<response>DONE</response>", aside=True)
    assert parser.last_text == "mine"
    assert todos(events) == []


def test_tasks_are_made_changed_and_deleted():
    _, events = parsed(
        assistant(used("TaskCreate", subject="Look"), used("TaskCreate", subject="Mend")),
        assistant(used("TaskUpdate", taskId="1", status="in_progress")),
        assistant(used("TaskUpdate", taskId="2", subject="Mend it")),
        assistant(used("TaskUpdate", taskId="1", status="completed")),
        assistant(used("TaskUpdate", taskId="2", status="deleted")),
        assistant(used("TaskUpdate", taskId="9", status="completed")),
        assistant(used("TaskCreate", subject="Test")),
    )
    assert todos(events) == [
        [("Look", "pending")],
        [("Look", "pending"), ("Mend", "pending")],
        [("Look", "in_progress"), ("Mend", "pending")],
        [("Look", "in_progress"), ("Mend it", "pending")],
        [("Look", "completed"), ("Mend it", "pending")],
        [("Look", "completed")],
        [("Look", "completed"), ("Test", "pending")],
    ]


def test_one_message_over_several_lines_is_several_texts_of_which_the_last_counts():
    parser, events = parsed(assistant({"type": "text", "text": "one"}), assistant({"type": "text", "text": "two"}))
    assert events == [Text("one"), Text("two")]
    assert parser.last_text == "two"


def test_another_model_that_takes_over_is_told_of():
    line = {"type": "system", "subtype": "model_fallback", "original_model": "opus", "fallback_model": "haiku"}
    assert parsed(line)[1] == [Progress("model opus is replaced by haiku")]


def test_a_subagent_begins_and_ends():
    started = {"type": "system", "subtype": "task_started", "task_id": "a1", "description": "look around"}
    ended = {"type": "system", "subtype": "task_notification", "task_id": "a1", "status": "completed"}
    assert parsed(started, ended)[1] == [Subagent("a1", "look around", "started"), Subagent("a1", "completed", "ended")]


def test_tokens_are_those_of_the_result():
    usage = {
        "input_tokens": 5,
        "output_tokens": 6,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 8,
    }
    assert parsed(result(usage=usage))[0].result.tokens == Tokens(5, 6, 7, 8)


DENIAL = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "git push"}}


def asked_hook(exit_code=0, stdout="", stderr=""):
    return {
        "type": "system",
        "subtype": "hook_response",
        "hook_event": "PreToolUse",
        "exit_code": exit_code,
        "stdout": stdout,
        "stderr": stderr,
    }


def denied_by_hook(hook, output):
    return parsed(
        assistant(used("Bash", command="git push")),
        hook,
        tool_result("toolu_1", output, is_error=True),
        result(permission_denials=[DENIAL]),
    )


@pytest.mark.parametrize(
    ("hook", "output"),
    [
        (
            asked_hook(
                stdout=json.dumps(
                    {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no pushing"}}
                )
            ),
            "no pushing",
        ),
        (asked_hook(stdout='{"decision": "block", "reason": "no pushing"}\n'), "PreToolUse hook: no pushing"),
        (asked_hook(2, stderr="no pushing\n"), "PreToolUse:Bash hook error: no pushing"),
    ],
    ids=["deny", "block", "exit 2"],
)
def test_what_a_hook_forbade_is_no_missing_permission(hook, output):
    parser, events = denied_by_hook(hook, output)
    assert parser.denied == []
    assert ToolEnd("toolu_1", output, is_error=True) in events


def test_what_ralphs_own_guard_forbade_is_known_by_its_words():
    started = {"type": "system", "subtype": "hook_started", "hook_event": "SessionStart"}
    parser, events = denied_by_hook(started, f"{GUARD_WORDS}git history and force push: it rewrites.")
    assert parser.denied == []
    assert not any(isinstance(event, PermissionDenied) for event in events)


@pytest.mark.parametrize("hook", [asked_hook(), asked_hook(1, stderr="no pushing"), asked_hook(stdout="{}")])
def test_a_hook_that_lets_the_call_through_does_not_excuse_a_denial(hook):
    assert denied_by_hook(hook, "no pushing")[0].denied == [PermissionDenied("Bash", "git push")]


def test_amps_todo_list_has_its_own_words():
    todo = {"id": "1", "content": "Look", "status": "in-progress"}
    assert parsed(assistant(used("todo_write", todos=[todo])))[1][1] == Todo([TodoItem("Look", "in_progress")])
