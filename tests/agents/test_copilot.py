"""What is peculiar to Copilot CLI's stream: many lines of which few count, and a result that is an exit code."""

import json

import pytest

from ralph.agents.copilot import CopilotParser
from ralph.model.events import PermissionDenied, Subagent, Text, Thinking, Todo, TodoItem, Tokens, ToolEnd, ToolStart


def parsed(*lines):
    parser, events = CopilotParser(), []
    parser.feed("\n".join(map(json.dumps, lines)).encode(), events.extend)
    parser.finish(events.extend)
    return parser, events


def line(kind, **data):
    return {"type": kind, "data": data}


def message(text, *calls, **more):
    return line("assistant.message", content=text, toolRequests=[{"toolCallId": call} for call in calls], **more)


def started(name="bash", **arguments):
    return line("tool.execution_start", toolCallId="c1", toolName=name, arguments=arguments)


def ended(**data):
    return line("tool.execution_complete", toolCallId="c1", **data)


def result(code=0):
    return {"type": "result", "exitCode": code, "usage": {"premiumRequests": 1}}


def test_the_pieces_of_a_message_are_ignored_and_the_message_counts():
    delta = line("assistant.message_delta", deltaContent="All do") | {"ephemeral": True}
    parser, events = parsed(delta, delta, message("All done."), result())
    assert events[0] == Text("All done.")
    assert (len(events), parser.result.text) == (2, "All done.")


def test_a_message_that_calls_tools_is_not_the_final_one():
    parser, _ = parsed(message("<response>DONE</response>", "c1"), started(command="ls"), ended(success=True), result())
    assert parser.result.text == ""


def test_a_message_without_words_is_no_text():
    assert parsed(message("", "c1"))[1] == []


@pytest.mark.parametrize(
    ("data", "output", "failed"),
    [
        ({"success": True, "result": {"content": "out"}, "shellExecution": {"exitCode": 0}}, "out", False),
        ({"success": True, "result": {"content": "out"}, "shellExecution": {"exitCode": 3}}, "out", True),
        ({"success": True, "result": {"content": "out"}}, "out", False),
        ({"success": False, "error": {"message": "gone", "code": "failure"}}, "gone", True),
    ],
)
def test_a_tool_is_judged_by_its_success_and_its_exit_code(data, output, failed):
    _, events = parsed(started(command="make"), ended(**data))
    assert events == [ToolStart("c1", "bash", "make"), ToolEnd("c1", output, failed)]


def test_a_permission_that_nobody_could_give_is_denied_but_a_rule_is_only_a_failed_tool():
    nobody = {"message": "Permission denied because no interactive user response was available.", "code": "denied"}
    parser, _ = parsed(started(command="git push"), ended(success=False, error=nobody), message("ok"), result())
    assert parser.denied == [PermissionDenied("bash", "git push")]
    rule = {"message": "Permission to run this tool was denied due to the following rules: `shell`", "code": "denied"}
    assert parsed(started(command="git push"), ended(success=False, error=rule))[0].denied == []


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, "Failed to get response from the AI model; retried 5 times Last error: 429 slow down", "quota"),
        (503, "Failed to get response from the AI model; retried 5 times Last error: 503 Overloaded", "quota"),
        (401, "Authentication failed with provider", "auth"),
        (404, "Model 'm' not found on provider", "model"),
        (400, "400 This model's maximum context length is 128000 tokens", "prompt_too_long"),
        (402, "You have no quota left", "billing"),
        (None, "Something broke", "other"),
    ],
)
def test_an_error_of_the_session_is_the_result(status, words, kind):
    parser, _ = parsed(line("session.error", errorType="query", message=words, statusCode=status), result(1))
    assert (parser.result.is_error, parser.result.problem.kind, parser.result.text) == (True, kind, words)


def test_an_error_after_which_it_speaks_is_forgotten():
    parser, _ = parsed(line("session.error", message="cut"), message("Done."), result())
    assert (parser.result.is_error, parser.result.text) == (False, "Done.")


def test_an_exit_code_alone_is_a_failure():
    parser, _ = parsed(message("Done."), result(3))
    assert (parser.result.is_error, parser.result.text) == (True, "it reported exit code 3")


def test_a_subagent_speaks_aside():
    parser, events = parsed(
        message("mine"),
        line("subagent.started", toolCallId="c2", agentDisplayName="explorer"),
        message("<response>DONE</response>", parentToolCallId="c2"),
        line("subagent.completed", toolCallId="c2", agentDisplayName="explorer"),
        result(),
    )
    assert events[1:4] == [
        Subagent("c2", "explorer", "started"),
        Text("<response>DONE</response>", aside=True),
        Subagent("c2", "explorer", "ended"),
    ]
    assert parser.result.text == "mine"


def test_its_todo_list_is_read():
    _, events = parsed(started("update_todo", todos="- [x] Look\n- [ ] Mend\nnot an item"))
    assert events[1] == Todo([TodoItem("Look", "completed"), TodoItem("Mend", "pending")])


def test_usage_is_summed_where_it_is_told():
    usage = line("assistant.usage", inputTokens=130, outputTokens=20, cacheReadTokens=30, cacheWriteTokens=5)
    assert parsed(usage, usage, message("Done."), result())[0].result.tokens == Tokens(200, 40, 60, 10)


def test_reasoning_is_thinking():
    assert parsed(line("assistant.reasoning", content="hm"))[1] == [Thinking("hm")]


def test_a_line_of_a_kind_that_nobody_reads_may_hold_anything():
    odd = line("session.custom", content=[1], message={"a": 1}, success="perhaps")
    assert parsed(odd)[1] == []
