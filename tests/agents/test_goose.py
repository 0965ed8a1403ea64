"""Goose's stream, after its documented events: an error ends with exit code 0, and messages come in pieces."""

import json

import pytest

from ralph.agents.goose import GooseParser
from ralph.model.events import PermissionDenied, Text, Thinking, Tokens, ToolEnd, ToolStart


def parsed(*lines):
    parser, events = GooseParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events


def message(*content, id_="m1", role="assistant"):
    return {"type": "message", "message": {"id": id_, "role": role, "content": list(content)}}


def text(said):
    return {"type": "text", "text": said}


def request(call="c1", command="ls"):
    called = {"name": "developer__shell", "arguments": {"command": command}}
    return {"type": "toolRequest", "id": call, "toolCall": {"status": "success", "value": called}}


def response(call="c1", **result):
    return {"type": "toolResponse", "id": call, "toolResult": result}


COMPLETE = {"type": "complete", "total_tokens": 150, "input_tokens": 130, "output_tokens": 20}


def test_pieces_of_one_message_are_one_text():
    parser, events = parsed(message(text("All ")), message(text("done.")), COMPLETE)
    assert events[0] == Text("All done.")
    assert (parser.result.text, parser.result.tokens) == ("All done.", Tokens(130, 20))


@pytest.mark.parametrize("second", ["m2", None])
def test_another_message_is_another_text(second):
    _, events = parsed(message(text("one"), id_="m1"), message(text("two"), id_=second), COMPLETE)
    assert [event.text for event in events[:2]] == ["one", "two"]


def test_what_was_said_before_the_last_tool_is_not_the_final_message():
    parser, _ = parsed(message(text("<response>DONE</response>")), message(request()), COMPLETE)
    assert parser.result.text == ""


def test_the_users_side_is_not_the_agents_word():
    assert parsed(message(text("<response>DONE</response>"), role="user"))[1] == []


@pytest.mark.parametrize(
    ("result", "output", "failed"),
    [
        (
            {"status": "success", "value": {"content": [{"type": "text", "text": "out"}], "isError": False}},
            "out",
            False,
        ),
        ({"status": "success", "value": {"content": [{"type": "text", "text": "bad"}], "isError": True}}, "bad", True),
        ({"status": "success", "value": [{"type": "text", "text": "old"}]}, "old", False),
        ({"status": "error", "error": "gone"}, "gone", True),
    ],
)
def test_a_tool_starts_and_ends(result, output, failed):
    _, events = parsed(message(request()), message(response(**result), role="user"))
    assert events == [ToolStart("c1", "developer__shell", "ls"), ToolEnd("c1", output, failed)]


def test_a_call_that_could_not_be_read_is_a_tool_without_a_name():
    broken = {"type": "toolRequest", "id": "c1", "toolCall": {"status": "error", "error": "not JSON"}}
    assert parsed(message(broken))[1] == [ToolStart("c1", "", "")]


def test_an_error_is_a_failure_although_it_exits_with_0():
    parser, _ = parsed({"type": "error", "error": "Request failed with status: 429 Too Many Requests"}, COMPLETE)
    assert (parser.result.is_error, parser.result.problem.kind) == (True, "quota")


def test_an_error_after_which_nothing_comes_is_a_failure_too():
    parser, _ = parsed({"type": "error", "error": "Authentication failed"})
    assert (parser.result.is_error, parser.result.problem.kind) == (True, "auth")


def test_credits_that_are_used_up_are_a_matter_of_billing():
    notice = {"type": "systemNotification", "notificationType": "creditsExhausted", "msg": "add credits"}
    parser, _ = parsed(message(notice), COMPLETE)
    assert (parser.result.is_error, parser.result.problem.kind) == (True, "billing")


def test_a_tool_that_waits_for_a_yes_is_denied():
    data = {"actionType": "toolConfirmation", "toolName": "developer__shell", "arguments": {"command": "git push"}}
    parser, _ = parsed(message({"type": "actionRequired", "data": data}))
    assert parser.denied == [PermissionDenied("developer__shell", "git push")]


def test_an_older_version_tells_the_sum_of_tokens_only():
    assert parsed({"type": "complete", "total_tokens": 150})[0].result.tokens == Tokens(150)


def test_thinking_and_notifications_are_no_text():
    thinking = {"type": "thinking", "thinking": "hm", "signature": ""}
    _, events = parsed(message(thinking), {"type": "notification", "extension_id": "d", "message": "running"})
    assert events == [Thinking("hm")]
