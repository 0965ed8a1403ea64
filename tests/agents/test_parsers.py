"""The parsers on complete recordings of the real programs; `.exit` beside each is its exit code."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents.amp import Amp
from ralph.agents.claude import ClaudeParser
from ralph.agents.codex import CodexParser
from ralph.agents.parser import PlainText
from ralph.agents.run import TimeLimits, judge
from ralph.model.events import Result, Text, Thinking, Todo, TodoItem, Tokens, ToolEnd, ToolStart, Unknown

CASSETTES = Path(__file__).parents[1] / "cassettes"
PARSERS = {"claude": ClaudeParser, "codex": CodexParser}
DONE = "All done.\n<response>DONE</response>"
EVERY = sorted(f"{name}/{path.stem}" for name in PARSERS for path in (CASSETTES / name).glob("*.ndjson"))


def recorded(name):
    return (CASSETTES / f"{name}.ndjson").read_bytes()


def parsed(name, stream=None):
    parser, events = PARSERS[name.partition("/")[0]](), []
    parser.feed(recorded(name) if stream is None else stream, events.extend)
    return parser, events


def of_kind(kind, events):
    return [event for event in events if isinstance(event, kind)]


def final_message(parser):
    return parser.final


@pytest.mark.parametrize(
    "name",
    [
        *(
            f"claude/{case}"
            for case in ("text", "tool", "think", "todowrite-enabled", "partial", "perm-denied-default")
        ),
        *(f"claude/{case}" for case in ("hooks-plugin-subagent", "hooks-plugin-toolfail", "persistent-stdin")),
        *(f"codex/{case}" for case in ("text", "tool", "think", "patch-shell", "plan")),
    ],
)
def test_the_result_is_the_final_message(name):
    parser, _ = parsed(name)
    assert (parser.result.text, parser.result.is_error) == (DONE, False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude/err429-maxretries2", "429"),
        ("claude/err500-maxretries2", "500"),
        ("claude/err401-noretry", "Invalid API key"),
        ("claude/maxturns", "error_max_turns"),
        ("claude/budget", "error_max_budget_usd"),
        ("claude/sigint-during-tool", "error_during_execution"),
        ("codex/err400", "prompt is too long"),
        ("codex/err401", "401"),
        ("codex/err429", "429"),
        ("codex/sseerr-quota", "Quota exceeded"),
    ],
)
def test_a_failure_is_an_error_whatever_its_subtype_says(name, words):
    parser, _ = parsed(name)
    assert parser.result.is_error
    assert words in parser.result.text
    exit_code = int((CASSETTES / f"{name}.exit").read_text())
    assert judge("exited", exit_code, parser, TimeLimits())[0] == "failed"


@pytest.mark.parametrize("name", ["claude/sigterm-during-text", "claude/sigterm-during-tool", "codex/sigterm"])
def test_a_killed_agent_leaves_no_result_and_failed(name):
    parser, _ = parsed(name)
    exit_code = int((CASSETTES / f"{name}.exit").read_text())
    assert parser.result is None
    assert judge("exited", exit_code, parser, TimeLimits()) == ("failed", f"it exited with code {exit_code}")


def test_an_empty_final_message_stays_empty():
    """A stop hook that always blocks: the agent said DONE nine times and was sent back each time."""
    parser, events = parsed("claude/hooks-stopalways")
    assert DONE in [event.text for event in of_kind(Text, events)]
    assert final_message(parser) == ""


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("claude/hooks-stopalways", "NEVER-STOP"),
        ("claude/sigint-during-tool", "interrupted by user"),
        ("claude/hooks-plugin-subagent", "Say hi. SUBAGENT"),
    ],
)
def test_what_stands_on_the_users_side_is_not_the_agents_word(name, hidden):
    assert hidden in recorded(name).decode()
    parser, events = parsed(name)
    assert not [event for event in of_kind(Text, events) if hidden in event.text]
    assert hidden not in parser.last_text


def test_what_a_subagent_says_is_not_the_agents_final_message():
    block = {"type": "text", "text": "<response>DONE</response>"}
    lines = [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "not yet"}]}},
        {"type": "assistant", "message": {"content": [block]}, "parent_tool_use_id": "toolu_1"},
    ]
    parser, _ = parsed("claude/", "\n".join(map(json.dumps, lines)).encode())
    assert parser.last_text == "not yet"


def test_tokens_and_cost_come_from_the_result_only():
    assert parsed("claude/tool")[0].result.tokens == Tokens(200, 40)
    assert parsed("claude/tool")[0].result.cost_usd == 0.002
    assert parsed("codex/tool")[0].result.tokens == Tokens(200, 40)
    assert parsed("codex/tool")[0].result.cost_usd is None


def test_codex_counts_cached_tokens_into_the_input_and_ralph_does_not():
    usage = {"input_tokens": 1000, "cached_input_tokens": 800, "output_tokens": 500}
    parser, _ = parsed("codex/", json.dumps({"type": "turn.completed", "usage": usage}).encode())
    assert parser.result.tokens == Tokens(input=200, output=500, cache_read=800)


def test_of_several_results_the_last_wins():
    lines = [{"type": "result", "result": text} for text in ("first", "second")]
    parser, events = parsed("claude/", "\n".join(map(json.dumps, lines)).encode())
    assert len(of_kind(Result, events)) == 2
    assert parser.result.text == "second"


@pytest.mark.parametrize("name", ["claude/tool", "codex/tool"])
def test_a_tool_has_a_start_and_an_end_of_the_same_id(name):
    parser, events = parsed(name)
    (start,), (end,) = of_kind(ToolStart, events), of_kind(ToolEnd, events)
    assert "echo hi > hello.txt" in start.summary
    assert (end.id, end.output.strip(), end.is_error) == (start.id, "hi", False)
    assert (parser.tools, parser.tool_errors) == (1, 0)


@pytest.mark.parametrize("name", ["claude/hooks-plugin-toolfail", "claude/perm-denied-default"])
def test_a_tool_that_failed_is_counted(name):
    assert parsed(name)[0].tool_errors == 1


@pytest.mark.parametrize("name", ["claude/think", "codex/think"])
def test_thinking_is_kept_apart_from_text(name):
    _, events = parsed(name)
    thoughts = of_kind(Thinking, events)
    assert thoughts
    assert not {thought.text for thought in thoughts} & {event.text for event in of_kind(Text, events)}


def test_the_todo_tool_becomes_a_list():
    (todo,) = of_kind(Todo, parsed("claude/todowrite-enabled")[1])
    assert todo.items == [TodoItem("Do it", "in_progress"), TodoItem("Check", "pending")]


def test_the_parts_of_a_tool_result_are_joined():
    output = of_kind(ToolEnd, parsed("claude/hooks-plugin-subagent")[1])[-1].output
    assert output.startswith("hi from subagent\nagentId:")


@pytest.mark.parametrize("name", EVERY)
def test_no_recording_has_a_line_that_breaks_the_parser(name):
    _, events = parsed(name)
    if name != "claude/format-text":
        assert not of_kind(Unknown, events)


@pytest.mark.parametrize(
    "line",
    [
        b"not json at all",
        b'{"type": "assistant", "message": {"content": 42}}',
        b"[1, 2]",
        b'{"type": "assist',
        b'\xff\xfe{"type"}',
        b"null",
    ],
)
@pytest.mark.parametrize("name", ["claude/tool", "codex/tool"])
def test_a_line_that_no_case_knows_is_kept_and_disturbs_nothing(name, line):
    clean, before = parsed(name)
    first, rest = recorded(name).split(b"\n", 1)
    parser, events = parsed(name, first + b"\n" + line + b"\n" + rest)
    assert of_kind(Unknown, events) == [Unknown(line)]
    assert [event for event in events if not isinstance(event, Unknown)] == before
    assert parser.result == clean.result


def test_a_result_with_empty_fields_is_still_a_result():
    line = b'{"type":"result","subtype":null,"is_error":true,"result":null,"error":null}'
    parser, _ = parsed("claude/", line)
    assert parser.result.is_error


@given(st.data())
def test_cuts_between_lines_change_nothing(data):
    name = data.draw(st.sampled_from(["claude/tool", "claude/hooks-plugin-subagent", "codex/tool"]))
    lines = recorded(name).splitlines(keepends=True)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(lines)))))
    whole, expected = parsed(name)
    parser, events = parsed(name, b"")
    for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        parser.feed(b"".join(lines[begin:end]), events.extend)
    assert events == expected
    assert (parser.result, parser.last_text, parser.tools) == (whole.result, whole.last_text, whole.tools)


def test_amp_speaks_like_claude_and_reports_its_errors():
    parser = Amp().parser(stream=True)
    parser.feed(b'{"type":"system","subtype":"init","session_id":"T-1","tools":[]}\n', None)
    parser.feed(b'{"type":"assistant","message":{"content":[{"type":"text","text":"hm"}],"usage":{}}}\n', None)
    parser.feed(b'{"type":"result","subtype":"error_during_execution","error":"no credit","is_error":true}\n', None)
    assert (parser.result.text, parser.result.is_error) == ("no credit", True)


def test_plain_text_is_passed_on_as_it_comes():
    parser, events = PlainText(), []
    parser.feed(b"one\n", events.extend)
    parser.feed(b"tw\xff\n", events.extend)
    assert events == [Text("one\n"), Text("tw�\n")]
    assert parser.plain
    assert parser.result is None
