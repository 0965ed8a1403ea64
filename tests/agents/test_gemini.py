"""What is peculiar to Gemini CLI's stream: messages in pieces, and success after it gave up."""

import json

import pytest

from ralph.agents.gemini import GeminiParser
from ralph.model.events import PermissionDenied, Progress, Text, Todo, TodoItem, Tokens, ToolEnd, ToolStart


def parsed(*lines):
    parser, events = GeminiParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events


def piece(text, role="assistant"):
    return {"type": "message", "role": role, "content": text, "delta": True}


def call(name="run_shell_command", **given):
    return {"type": "tool_use", "tool_name": name, "tool_id": "t1", "parameters": given}


def returned(status="success", output="out", error=None):
    return {"type": "tool_result", "tool_id": "t1", "status": status, "output": output, "error": error}


def result(status="success", **fields):
    return {"type": "result", "status": status, "stats": {}, **fields}


def test_the_pieces_of_a_message_are_one_text():
    parser, events = parsed(piece("All "), piece("done."), result())
    assert events[0] == Text("All done.")
    assert parser.result.text == "All done."


def test_a_message_that_is_no_piece_is_one_of_its_own():
    whole = {"type": "message", "role": "assistant", "content": "Two."}
    _, events = parsed(piece("On"), piece("e."), whole, whole, result())
    assert [event.text for event in events if isinstance(event, Text)] == ["One.", "Two.", "Two."]


def test_a_tool_ends_the_message_before_it():
    parser, events = parsed(piece("I "), piece("look."), call(command="ls"), returned(), piece("Done."), result())
    assert [event.text for event in events if isinstance(event, Text)] == ["I look.", "Done."]
    assert parser.result.text == "Done."


def test_what_was_said_before_the_last_tool_is_not_the_final_message():
    parser, _ = parsed(piece("<response>DONE</response>"), call(command="ls"), returned(), result())
    assert parser.result.text == ""


def test_pieces_at_the_end_of_a_stream_that_was_cut_are_kept():
    parser, events = parsed(piece("half a "), piece("sentence"))
    assert events == [Text("half a sentence")]
    assert (parser.last_text, parser.result) == ("half a sentence", None)


def test_the_prompt_is_not_the_agents_word():
    assert parsed(piece("<response>DONE</response>", role="user"))[1] == []


def test_a_failed_tool_shows_its_error():
    _, events = parsed(call("read_file", file_path="a.py"), returned("error", None, {"type": "x", "message": "gone"}))
    assert events == [ToolStart("t1", "read_file", "a.py"), ToolEnd("t1", "gone", is_error=True)]


def test_a_tool_that_the_policy_does_not_let_run_unasked_is_a_permission_denied():
    fault = {"type": "policy_violation", "message": "Tool execution denied by policy."}
    parser, _ = parsed(call(command="git push"), returned("error", "denied", fault), piece("ok"), result())
    assert parser.denied == [PermissionDenied("run_shell_command", "git push")]


def test_its_todo_list_is_read():
    todos = [{"description": "Look", "status": "completed"}, {"description": "Mend", "status": "in_progress"}]
    _, events = parsed(call("write_todos", todos=todos))
    assert events[1] == Todo([TodoItem("Look", "completed"), TodoItem("Mend", "in_progress")])


def test_cached_tokens_are_counted_once():
    stats = {"total_tokens": 150, "input_tokens": 130, "output_tokens": 20, "cached": 30}
    assert parsed(result(stats=stats))[0].result.tokens == Tokens(100, 20, 30)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ('[API Error: {"error":{"code":401,"message":"invalid api key","status":"UNAUTHENTICATED"}}]', "auth"),
        ('[API Error: {"error":{"code":400,"message":"API key not valid. Please pass a valid one."}}]', "auth"),
        ('[API Error: {"error":{"code":503,"message":"The model is overloaded."}}]', "quota"),
        ("[API Error: You have exhausted your capacity on this model. Your quota will reset after 3h25m10s.]", "quota"),
        ("[API Error: You exceeded your current quota, check your billing details. Please retry in 35.3s.]", "quota"),
        ("[API Error: You exceeded your current quota, please check your plan and billing details.]", "billing"),
        ('[API Error: {"error":{"code":400,"message":"9 exceeds the maximum number of tokens"}}]', "prompt_too_long"),
        ("[API Error: models/x is not found for API version v1beta]", "model"),
    ],
)
def test_an_error_of_the_service_is_a_problem_of_its_kind(message, kind):
    parser, _ = parsed(result("error", error={"type": "Error", "message": message}))
    assert (parser.result.is_error, parser.result.problem.kind) == (True, kind)
    assert "API Error" not in parser.result.text


def test_success_after_it_gave_up_is_a_failure():
    gave_up = {"type": "error", "severity": "error", "message": "Maximum session turns exceeded"}
    parser, events = parsed(piece("I was about to"), gave_up, result())
    assert Progress("Maximum session turns exceeded") in events
    assert (parser.result.is_error, parser.result.text) == (True, "Maximum session turns exceeded")


def test_success_after_it_went_on_is_a_success():
    hiccup = {"type": "error", "severity": "error", "message": "quota of this model is used up, taking another"}
    parser, _ = parsed(hiccup, piece("Done."), result())
    assert (parser.result.is_error, parser.result.text) == (False, "Done.")


def test_a_warning_is_no_failure():
    warning = {"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"}
    assert not parsed(piece("Done."), warning, result())[0].result.is_error
