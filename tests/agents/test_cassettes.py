"""Every recording parses to the events that a reader expects, however it is cut.

The snapshots show each event on a line, and below them what ralph makes of the run. After a change read what differs,
then write them anew: UPDATE_SNAPSHOTS=1 pytest tests/agents/test_cassettes.py
"""

import os
import tempfile
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.agents import registry
from ralph.agents.opencode_server import OpenCodeServer
from ralph.agents.recorder import Recorder
from ralph.agents.run import TimeLimits, judge
from ralph.model.events import PermissionDenied, Result, Skipped, Subagent, Text, Todo, ToolEnd, ToolStart, Unknown
from ralph.workbench.redact import Redactor

CASSETTES = Path(__file__).parents[1] / "cassettes"
SNAPSHOTS = Path(__file__).with_name("snapshots")
SERVER = "opencode-server"
AGENTS = ("claude", "codex", "amp", "opencode", SERVER, "gemini", "qwen", "copilot", "goose")
TEXT = "claude/format-text"
EVERY = sorted(f"{agent}/{path.stem}" for agent in AGENTS for path in (CASSETTES / agent).glob("*.ndjson"))


def recorded(name):
    return (CASSETTES / f"{name}.ndjson").read_bytes()


def new_parser(name):
    agent = name.partition("/")[0]
    adapter = OpenCodeServer("http://localhost:4096") if agent == SERVER else registry.adapter(agent)
    return adapter.parser(stream=name != TEXT)


def parsed(name, stream):
    """The parser that has read a stream up to its end, and its events."""
    parser, events = new_parser(name), []
    parser.feed(stream, events.extend)
    parser.finish(events.extend)
    return parser, events


class Lines:
    """One line for each event. Tools are numbered, so that it can be seen which end belongs to which start."""

    def __init__(self):
        self._numbers = {}

    def of(self, event):
        kind = type(event).__name__
        return f"{kind:16} {self._words(event)}".rstrip()

    def _words(self, event):
        match event:
            case ToolStart() | ToolEnd() | Subagent():
                return f"{self._number(event.id)} {self._about(event)}"
            case Text(text, aside):
                return f"{'(aside) ' if aside else ''}{text!r}"
            case Todo(items):
                return " | ".join(f"{item.status}: {item.text}" for item in items)
            case PermissionDenied(tool, reason):
                return f"{tool}({reason})"
            case Result():
                return result_words(event)
            case _:
                return ", ".join(f"{value!r}" for value in msgspec.structs.astuple(event))

    def _about(self, event):
        match event:
            case ToolStart(_, name, summary):
                return f"{name}({summary})"
            case ToolEnd(_, output, is_error):
                return f"{'failed' if is_error else 'ok'} {output!r}"
            case Subagent(_, text, state):
                return f"{state}: {text}"

    def _number(self, id_):
        return f"#{self._numbers.setdefault(id_, len(self._numbers) + 1)}"


def result_words(result):
    spent = result.tokens
    facts = [f"tokens {spent.input}+{spent.cache_read}+{spent.cache_write} in, {spent.output} out"]
    facts += [f"${result.cost_usd:g}"] if result.cost_usd is not None else []
    facts += [f"problem {result.problem.kind}"] if result.problem else []
    return f"{'failed' if result.is_error else 'ok'} ({', '.join(facts)}) {result.text!r}"


def snapshot(name):
    parser, events = parsed(name, recorded(name))
    lines = Lines()
    shown = [lines.of(event) for event in events]
    shown += ["---", f"final message: {parser.final!r}"]
    shown.append(f"tools: {parser.tools}, failed: {parser.tool_errors}")
    if (exit_file := CASSETTES / f"{name}.exit").exists():
        status, reason = judge("exited", int(exit_file.read_text()), parser, TimeLimits())
        shown.append(f"{status}: {reason}")
    return "\n".join(shown) + "\n"


@pytest.mark.parametrize("name", EVERY)
def test_a_recording_parses_to_the_events_a_reader_expects(name):
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(snapshot(name), encoding="utf-8")
    assert snapshot(name) == file.read_text(encoding="utf-8")


def replayed(name, pieces):
    """What a recorder makes of a stream that comes in these pieces: the parser, its events and the stream's file."""
    parser, events = new_parser(name), []
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "stream.ndjson"
        record = Recorder(file, Redactor(()), parser=parser, emit=events.extend)
        for piece in pieces:
            record(piece)
        record.close()
        return parser, events, file.read_bytes() if file.exists() else b""


def cut(stream, at):
    edges = sorted({0, len(stream), *(edge for edge in at if edge < len(stream))})
    return [stream[begin:end] for begin, end in pairwise(edges)]


def said(events):
    """The text of an agent that only prints comes in the pieces in which it was read."""
    return "".join(event.text for event in events)


cuts = st.lists(st.integers(1, 1 << 14), max_size=30)
sizes = st.integers(1, 1 << 12).map(lambda size: range(size, 1 << 16, size))


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=8, deadline=None)
@given(at=cuts | sizes)
def test_cuts_change_neither_the_events_nor_the_stream(name, at):
    stream = recorded(name)
    whole, expected = parsed(name, stream)
    parser, events, file = replayed(name, cut(stream, at))
    assert file == stream
    if parser.plain:
        assert said(events) == said(expected)
    else:
        assert events == expected
    assert (parser.result, parser.final) == (whole.result, whole.final)
    assert (parser.tools, parser.tool_errors, parser.denied) == (whole.tools, whole.tool_errors, whole.denied)


@pytest.mark.parametrize("name", [name for name in EVERY if name != TEXT])
@settings(max_examples=5, deadline=None)
@given(length=st.integers(0, 1 << 13))
def test_a_stream_that_ends_anywhere_keeps_the_events_of_its_whole_lines(name, length):
    stream = recorded(name)[:length]
    before, expected = new_parser(name), []
    before.feed(stream[: stream.rfind(b"\n") + 1], expected.extend)
    _, events, file = replayed(name, [stream])
    assert file == stream
    assert events[: len(expected)] == expected


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "noise", [b"\0" * 500, b"null", b"[1, 2]", b'"text"', b"3.5", b"{}", b'{"type": 7}', b"\xff\xfe", b"{" * 5000]
)
def test_what_is_no_line_of_the_agent_disturbs_nothing(agent, noise):
    name = f"{agent}/tool"
    clean, expected = parsed(name, recorded(name))
    stream = b"\n".join(part for line in recorded(name).splitlines() for part in (noise, line, b"", noise)) + b"\n"
    parser, events, file = replayed(name, cut(stream, range(999, len(stream), 999)))
    assert file == stream
    assert [event for event in events if not isinstance(event, Unknown)] == expected
    assert parser.result == clean.result


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("broken", "shown"),
    [(b"\xff", "\ufffd"), (rb"\ud83d", "?"), (b"\xf0\x9f\x98", "\ufffd")],
    ids=["byte", "half emoji", "cut emoji"],
)
def test_a_broken_character_does_not_cost_the_line(agent, broken, shown):
    name = f"{agent}/tool"
    stream = recorded(name).replace(b"All done.", b"All done" + broken)
    _, events = parsed(name, stream)
    assert not [event for event in events if isinstance(event, Unknown)]
    assert events[-1].text == f"All done{shown}\n<response>DONE</response>"


@pytest.mark.parametrize("name", [name for name in EVERY if name != TEXT])
def test_when_nobody_watches_the_verdict_is_the_same_and_no_output_is_decoded(name):
    watched, _ = parsed(name, recorded(name))
    parser = new_parser(name)
    parser.feed(recorded(name), None)
    parser.finish(None)
    assert known_of(parser) == known_of(watched)
    unwatched = new_parser(name)
    unwatched.watched = False
    lines = unwatched._decoder.decode_lines(recorded(name))
    assert {event.output for line in lines for event in unwatched.read(line) if isinstance(event, ToolEnd)} <= {""}


def known_of(parser):
    """What the loop asks a parser at the end."""
    return parser.result, parser.final, parser.denied, parser.tools, parser.tool_errors, parser.stray


@pytest.mark.parametrize("watches", [False, True])
@pytest.mark.parametrize("name", EVERY)
def test_skimmed_lines_leave_the_same_knowledge(name, watches, tmp_path):
    """Line by line, so that each one that can be skimmed is."""
    watched, expected = parsed(name, recorded(name))
    parser, events = new_parser(name), []
    emit = events.extend if watches else None
    record = Recorder(tmp_path / "stream", Redactor(()), parser=parser, emit=emit, has_room=lambda: False)
    for line in recorded(name).splitlines(keepends=True):
        record(line)
    record.close()
    assert known_of(parser) == known_of(watched)
    if watches and not parser.plain:
        skipped = [event for event in events if isinstance(event, Skipped)]
        tools = sum(isinstance(event, ToolStart) for event in events) + sum(each.tools for each in skipped)
        assert tools == sum(isinstance(event, ToolStart) for event in expected)
        assert [event for event in events if isinstance(event, (Todo, Result, Subagent, PermissionDenied))] == [
            event for event in expected if isinstance(event, (Todo, Result, Subagent, PermissionDenied))
        ]


def test_claudes_usual_lines_are_skimmed(tmp_path):
    events = []
    record = Recorder(
        tmp_path / "stream",
        Redactor(()),
        parser=new_parser("claude/tool"),
        emit=events.extend,
        has_room=lambda: False,
    )
    for line in recorded("claude/tool").splitlines(keepends=True):
        record(line)
    record.close()
    assert any(isinstance(event, Skipped) for event in events)
    assert not any(isinstance(event, (Text, ToolStart, ToolEnd)) for event in events)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_million_empty_lines_are_passed_over(agent):
    name = f"{agent}/tool"
    clean, expected = parsed(name, recorded(name))
    stream = recorded(name) + b"\n" * 1_000_000
    parser, events, file = replayed(name, cut(stream, range(0, len(stream), 1 << 18)))
    assert (events, parser.result, len(file)) == (expected, clean.result, len(stream))


@pytest.mark.parametrize("agent", AGENTS)
def test_of_a_stream_that_comes_twice_the_last_result_counts(agent):
    name = f"{agent}/tool"
    parser, _ = parsed(name, recorded(name) + recorded(name).replace(b"All done.", b"All done again."))
    assert parser.result.text == "All done again.\n<response>DONE</response>"


@pytest.mark.parametrize("agent", sorted({*AGENTS} - {"opencode"}))
def test_a_result_stands_whatever_is_said_after_it(agent):
    name = f"{agent}/tool"
    closing = recorded(name).splitlines()[-1]
    after = [line for line in recorded(name).splitlines() if b"hello.txt" not in line and line != closing]
    parser, _ = parsed(name, b"\n".join([recorded(name), *after]))
    assert parser.result.text.endswith("<response>DONE</response>")


@pytest.mark.parametrize("agent", sorted({*AGENTS} - {"opencode"}))
def test_without_a_result_line_there_is_none_and_the_last_text_is_kept(agent):
    name = f"{agent}/tool"
    parser, _ = parsed(name, b"\n".join(recorded(name).splitlines()[:-1]))
    assert parser.result is None
    assert parser.final == "All done.\n<response>DONE</response>"
