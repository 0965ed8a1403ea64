"""What the parser makes of the messages of an ACP agent."""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_scripts import DONE, by, calls, says, shows, thinks, updates
from ralph.agents.acp_stream import AcpParser
from ralph.agents.recorder import Recorder
from ralph.model.events import Result, Text, Thinking, Todo, TodoItem, Tokens, ToolEnd, ToolStart
from ralph.workbench.redact import Redactor

CASSETTE = Path(__file__).parents[1] / "cassettes/acp/session.ndjson"


def parsed(*steps):
    """What the parser makes of these updates, sent as an agent would."""
    lines = [{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", **step}} for step in steps]
    return fed(*lines, {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}})


def fed(*lines):
    parser = AcpParser()
    events = []
    parser.feed("".join(json.dumps(line) + "\n" for line in lines).encode(), events.extend)
    return parser, events


def test_a_recorded_session_of_claude_becomes_the_events_that_a_reader_expects():
    parser = AcpParser()
    events = []
    parser.feed(CASSETTE.read_bytes(), events.extend)
    tool = "toolu_4f2ab0ba438d4dd78f67e7"
    assert events[2:] == [
        Text("I will create the file."),
        ToolStart(tool, "Bash", "echo hi > hello.txt && cat hello.txt"),
        ToolEnd(tool, "hi"),
        Text(f"All done.\n{DONE}"),
        Result(f"All done.\n{DONE}", cost_usd=0.002, tokens=Tokens(200, 40)),
    ]
    assert (parser.tools, parser.tool_errors, parser.denied) == (1, 0, [])


def test_chunks_of_a_message_are_one_text():
    parser, events = parsed(says("", "m1"), says("one ", "m1"), says("two", "m1"), says("three", "m2"))
    assert events == [Text("one two"), Text("three"), parser.result]
    assert parser.result.text == "three"


def test_chunks_without_ids_belong_together_until_the_agent_does_something_else():
    parser, events = parsed(says("one "), says("two"), thinks("hm"), says("three "), says("four"))
    assert events[:-1] == [Text("one two"), Thinking("hm"), Text("three four")]
    assert parser.result.text == "three four"


def test_what_changes_nothing_does_not_break_a_message():
    usage = {"update": {"sessionUpdate": "usage_update", "used": 5, "size": 10}}
    plan = {"update": {"sessionUpdate": "plan", "entries": []}}
    parser, _ = parsed(
        says("<response>DO"), usage, plan, {"update": {"sessionUpdate": "unheard_of"}}, says("NE</response>")
    )
    assert parser.result.text == DONE


def test_a_message_that_a_subagent_interrupts_is_still_one():
    parser, events = parsed(says("DO", "m1"), says("aside", "m9", **by("t1")), says("NE", "m1"))
    assert events[:-1] == [Text("DO"), Text("aside", aside=True), Text("NE")]
    assert parser.result.text == "DONE"


def test_what_was_said_before_the_last_tool_call_is_not_the_final_message():
    parser, _ = parsed(says(DONE, "m1"), calls("t1", status="completed"), says(", and now?", "m1"))
    assert parser.result.text == ", and now?"
    parser, _ = parsed(says(DONE), calls("t1", status="completed"))
    assert parser.result.text == ""


def test_a_late_end_of_a_tool_does_not_take_the_final_message_away():
    parser, _ = parsed(calls("t1", status="in_progress"), says("DO"), updates("t1", status="completed"), says("NE"))
    assert parser.result.text == "DONE"


def test_thoughts_tool_output_echoes_and_subagents_are_never_the_final_message():
    echo = says(DONE, kind="user_message_chunk")
    tool = calls("t1", status="completed", content=shows(DONE), rawOutput=DONE)
    parser, _ = parsed(echo, tool, thinks(DONE), says(DONE, **by("t1")))
    assert parser.result.text == ""


def test_a_tool_that_becomes_known_in_pieces_starts_once_with_what_is_known():
    parser, events = parsed(
        calls("t1", status="pending", kind="execute", rawInput={}),
        updates("t1", rawInput={"cwd": "."}),
        updates("t1", title="make test", rawInput={"command": "make test"}),
        updates("t1", status="in_progress"),
        updates("t1", status="failed", content=shows("no rule")),
        updates("t1", status="failed", content=shows("again")),
    )
    assert events[:-1] == [ToolStart("t1", "execute", "make test"), ToolEnd("t1", "no rule", is_error=True)]
    assert (parser.tools, parser.tool_errors) == (1, 1)


def test_updates_out_of_order_make_one_start_and_one_end_for_each_tool():
    _, events = parsed(
        updates("t2", status="completed", rawOutput="two"),
        calls("t1", "Read a.py", kind="read", status="in_progress"),
        calls("t2", "late"),
        updates("t1", status="completed", rawOutput={"lines": 3}),
    )
    assert events[:-1] == [
        ToolStart("t2", "tool", ""),
        ToolEnd("t2", "two"),
        ToolStart("t1", "read", "Read a.py"),
        ToolEnd("t1", '{"lines": 3}'),
    ]


def test_a_tool_of_which_nothing_more_is_heard_is_counted():
    parser, events = parsed(calls("t1", "Think", kind="other", status="pending"))
    assert events[0] == ToolStart("t1", "Think", "")
    assert parser.tools == 1


def test_plans_are_todos():
    entries = [{"content": "a", "priority": "low", "status": "completed"}, {"content": "b", "status": "pending"}]
    todo = Todo([TodoItem("a", "completed"), TodoItem("b", "pending")])
    _, events = parsed(
        {"update": {"sessionUpdate": "plan", "entries": entries}},
        {"update": {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}}},
    )
    assert events[:-1] == [todo, todo]


def test_the_last_cost_in_dollars_counts_and_thoughts_are_output():
    def costs(amount, currency):
        cost = {"amount": amount, "currency": currency}
        return {"method": "session/update", "params": {"update": {"sessionUpdate": "usage_update", "cost": cost}}}

    usage = {"inputTokens": 1, "outputTokens": 2, "thoughtTokens": 10, "cachedReadTokens": 3, "cachedWriteTokens": 4}
    end = {"id": 3, "result": {"stopReason": "end_turn", "usage": usage}}
    parser, _ = fed(costs(0.5, "USD"), costs(0.75, "USD"), costs(90, "JPY"), end)
    assert parser.result == Result("", cost_usd=0.75, tokens=Tokens(1, 12, 3, 4))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": -32000, "message": "Please sign in"}, "auth"),
        ({"code": -32603, "message": "Internal error: API Error: 529 Overloaded."}, "quota"),
        ({"code": -32603, "message": "Internal error", "data": {"errorKind": "rate_limit"}}, "quota"),
        ({"code": -32603, "message": "Internal error", "data": {"details": "Prompt is too long"}}, "prompt_too_long"),
        ({"code": -32603, "message": "Internal error", "data": "quota"}, "other"),
        ({"code": 7}, "other"),
    ],
)
def test_an_error_is_a_result_with_its_problem(error, kind):
    parser, _ = fed({"jsonrpc": "2.0", "id": 3, "error": error})
    assert parser.result.is_error
    assert parser.result.problem.kind == kind
    assert parser.result.text


@pytest.mark.parametrize("reason", ["refusal", "max_tokens", "max_turn_requests", "cancelled", "unheard_of"])
def test_a_turn_that_stops_early_is_an_error(reason):
    usage = {"inputTokens": 7, "outputTokens": 1}
    parser, _ = fed({"id": 3, "result": {"stopReason": reason, "usage": usage}})
    assert parser.result.is_error
    assert (parser.result.text, parser.result.tokens) == (f"the agent stopped early: {reason}", Tokens(7, 1))


def test_lines_that_are_no_messages_are_kept_and_harm_nothing():
    parser = AcpParser()
    events = []
    parser.feed(b'\x00\xff\n[1]\n"x"\n{"method": 5}\n{"params": {"update": []}}\n{}\nnull\n', events.extend)
    parser.feed(b'{"id": 3, "result": {"stopReason": "end_turn"}}\n', events.extend)
    assert [type(event).__name__ for event in events] == ["Unknown"] * 6 + ["Result"]


@settings(max_examples=30)
@given(st.lists(st.integers(1, CASSETTE.stat().st_size), max_size=12))
def test_wherever_the_stream_is_cut_the_events_are_the_same(places):
    whole = CASSETTE.read_bytes()
    cuts = [0, *sorted(places), len(whole)]
    parser, expected = AcpParser(), AcpParser()
    events, wanted = [], []
    expected.feed(whole, wanted.extend)
    with TemporaryDirectory() as directory:
        record = Recorder(Path(directory) / "stream.ndjson", Redactor(()), parser=parser, emit=events.extend)
        for start, end in pairwise(cuts):
            record(whole[start:end])
        record.close()
    assert events == wanted
