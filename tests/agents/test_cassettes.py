"""Every recording parses to the events that a reader expects, however it is cut.

The snapshots show each event on a line, and below them what ralph makes of the run. After a change read what differs, then write
them anew: UPDATE_SNAPSHOTS=1 pytest tests/agents/test_cassettes.py
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
from ralph.agents.recorder import Recorder
from ralph.agents.redact import Redactor
from ralph.agents.run import Limits, judge
from ralph.model.events import PermissionDenied, Result, Subagent, Text, Todo, ToolEnd, ToolStart, Unknown

CASSETTES = Path(__file__).parents[1] / "cassettes"
SNAPSHOTS = Path(__file__).with_name("snapshots")
AGENTS = ("claude", "codex", "amp", "opencode", "gemini", "qwen", "copilot", "goose")
TEXT = "claude/format-text"
EVERY = sorted(f"{agent}/{path.stem}" for agent in AGENTS for path in (CASSETTES / agent).glob("*.ndjson"))


def recorded(name):
    return (CASSETTES / f"{name}.ndjson").read_bytes()


def new_parser(name):
    return registry.adapter(name.partition("/")[0]).parser(stream=name != TEXT)


def parsed(name, stream):
    """The parser that has read a stream up to its end, and its events."""
    parser, events = new_parser(name), []
    parser.feed(stream, events.append)
    parser.finish(events.append)
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
            case Text(text, aside):
                return f"{'(aside) ' if aside else ''}{text!r}"
            case ToolStart(id_, name, summary):
                return f"{self._number(id_)} {name}({summary})"
            case ToolEnd(id_, output, is_error):
                return f"{self._number(id_)} {'failed' if is_error else 'ok'} {output!r}"
            case Todo(items):
                return " | ".join(f"{item.status}: {item.text}" for item in items)
            case Subagent(id_, text, state):
                return f"{self._number(id_)} {state}: {text}"
            case PermissionDenied(tool, reason):
                return f"{tool}({reason})"
            case Result():
                return result_words(event)
            case _:
                return ", ".join(f"{value!r}" for value in msgspec.structs.astuple(event))

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
    final = parser.result.text if parser.result else parser.last_text
    shown += ["---", f"final message: {final!r}"]
    shown.append(f"tools: {parser.tools}, failed: {parser.tool_errors}")
    if (exit_file := CASSETTES / f"{name}.exit").exists():
        status, reason = judge("exited", int(exit_file.read_text()), parser, Limits())
        shown.append(f"{status}: {reason}")
    return "\n".join(shown) + "\n"


@pytest.mark.parametrize("name", EVERY)
def test_a_recording_parses_to_the_events_a_reader_expects(name):
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(snapshot(name), encoding="utf-8")
    assert snapshot(name) == file.read_text(encoding="utf-8")
