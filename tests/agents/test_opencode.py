"""What is peculiar to OpenCode's stream: it has no closing line, and stops more than once."""

import json

import pytest

from ralph.agents.opencode import OpenCodeParser
from ralph.model.events import PermissionDenied, Text, Thinking, Todo, TodoItem, Tokens, ToolEnd, ToolStart


def parsed(*lines):
    parser, events = OpenCodeParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    before = parser.result
    parser.finish(events.extend)
    return parser, events, before


START = {"type": "step_start", "part": {"type": "step-start"}}


def text(said):
    return {"type": "text", "part": {"type": "text", "text": said}}


def finish(reason="stop", cost=0.0, **tokens):
    return {"type": "step_finish", "part": {"type": "step-finish", "reason": reason, "cost": cost, "tokens": tokens}}


def tool(name="bash", given=None, **state):
    part = {"type": "tool", "tool": name, "callID": "call_1", "state": {"input": given or {"command": "make"}, **state}}
    return {"type": "tool_use", "part": part}


def error(name, message="", status=None):
    return {"type": "error", "error": {"name": name, "data": {"message": message, "statusCode": status}}}


def test_there_is_no_result_before_the_end_because_a_stop_may_not_be_the_last():
    """After it has shortened its context it goes on."""
    parser, _, before = parsed(START, text("a summary"), finish(), START, text("over"), finish())
    assert before is None
    assert parser.result.text == "over"


def test_tokens_and_cost_are_those_of_all_steps():
    parser, _, _ = parsed(
        START,
        finish("tool-calls", 0.25, input=100, output=20, reasoning=5, cache={"read": 7, "write": 3}),
        START,
        finish("stop", 0.5, input=10, output=2, cache={"read": 70, "write": 0}),
    )
    assert parser.result.tokens == Tokens(110, 27, 77, 3)
    assert parser.result.cost_usd == 0.75


def test_a_cost_of_nothing_is_not_known():
    assert parsed(START, finish())[0].result.cost_usd is None


def test_what_was_said_in_an_earlier_step_is_not_the_final_message():
    parser, _, _ = parsed(START, text("<response>DONE</response>"), finish("tool-calls"), START, finish("stop"))
    assert parser.result.text == ""


def test_a_last_step_that_does_not_stop_leaves_no_result():
    parser, _, _ = parsed(START, text("I will"), finish("tool-calls"))
    assert (parser.result, parser.last_text) == (None, "I will")


@pytest.mark.parametrize(("code", "failed"), [(0, False), (3, True), (None, False)])
def test_a_command_is_judged_by_its_exit_code(code, failed):
    _, events, _ = parsed(tool(status="completed", output="out", metadata={"exit": code}))
    assert events == [ToolStart("call_1", "bash", "make"), ToolEnd("call_1", "out", failed)]


def test_a_tool_without_an_exit_code_is_judged_by_its_status():
    _, events, _ = parsed(tool("read", {"filePath": "a.py"}, status="error", error="no such file"))
    assert events == [ToolStart("call_1", "read", "a.py"), ToolEnd("call_1", "no such file", is_error=True)]


def test_a_permission_that_nobody_could_give_is_denied_but_a_rule_is_only_a_failed_tool():
    asked, _, _ = parsed(tool(status="error", error="The user rejected permission to use this specific tool call."))
    assert asked.denied == [PermissionDenied("bash", "make")]
    rule = "The user has specified a rule which prevents you from using this specific tool call."
    assert parsed(tool(status="error", error=rule))[0].denied == []


def test_its_todo_list_is_read():
    given = {"todos": [{"content": "Look", "status": "completed"}, {"content": "Mend", "status": "in_progress"}]}
    _, events, _ = parsed(tool("todowrite", given, status="completed", output=""))
    assert events[1] == Todo([TodoItem("Look", "completed"), TodoItem("Mend", "in_progress")])


def test_reasoning_is_thinking():
    assert parsed({"type": "reasoning", "part": {"type": "reasoning", "text": "hm"}})[1] == [Thinking("hm")]


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        (error("APIError", "slow down", 429), "quota", "slow down"),
        (error("APIError", "Overloaded", 503), "quota", "Overloaded"),
        (error("APIError", "nope", 401), "auth", "nope"),
        (error("APIError", "nope", 404), "model", "nope"),
        (error("APIError", "boom", 500), "other", "boom"),
        (error("ContextOverflowError", "it is too much"), "prompt_too_long", "it is too much"),
        (error("ProviderAuthError", "no key"), "auth", "no key"),
        (error("MessageAbortedError"), "other", "MessageAbortedError"),
        ({"type": "error", "error": "odd"}, "other", "it reported an error"),
    ],
)
def test_an_error_is_the_result(line, kind, words):
    parser, _, _ = parsed(START, line)
    assert (parser.result.is_error, parser.result.problem.kind, parser.result.text) == (True, kind, words)


def test_an_error_after_which_it_goes_on_is_forgotten():
    parser, _, _ = parsed(START, error("APIError", "cut", 500), START, text("over"), finish())
    assert (parser.result.text, parser.result.is_error) == ("over", False)


def test_texts_are_passed_on_as_they_are():
    assert parsed(START, text("a\nb"))[1] == [Text("a\nb")]
