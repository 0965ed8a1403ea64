"""Whatever an agent prints is recorded whole, and memory holds only a little of it."""

import os

import pytest

from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.parser import PlainText
from ralph.agents.recorder import LONGEST_LINE, Recorder
from ralph.model.events import Text, Unknown
from ralph.workbench.redact import Redactor

PIECE = b"x" * (1 << 20)
SAYS = b'{"type":"assistant","message":{"content":[{"type":"text","text":"after it"}]}}\n'
RESULT = b'{"type":"result","subtype":"success","result":"<response>DONE</response>"}\n'
PEAK = 60_000_000


@pytest.fixture
def record(tmp_path):
    def start(parser, heard):
        return Recorder(tmp_path / "stream", Redactor(()), parser=parser, emit=heard.extend)

    return start


def long_line(recorder):
    for _ in range(LONGEST_LINE // len(PIECE) + 2):
        recorder(PIECE)


def test_a_line_that_is_too_long_is_recorded_whole_and_passed_over(record, tmp_path):
    heard, parser = [], ClaudeParser()
    recorder = record(parser, heard)
    long_line(recorder)
    assert recorder._unfinished == [], "nothing of it is held"
    recorder(b"the end of it\n" + SAYS + RESULT)
    recorder.close()
    assert [type(event) for event in heard] == [Unknown, Text, type(parser.result)]
    assert parser.final == "<response>DONE</response>"
    size = (LONGEST_LINE // len(PIECE) + 2) * len(PIECE)
    stream = (tmp_path / "stream").read_bytes()
    assert stream == b"x" * size + b"the end of it\n" + SAYS + RESULT


def test_the_end_of_a_line_that_is_too_long_is_not_taken_for_a_line(record):
    heard, parser = [], ClaudeParser()
    recorder = record(parser, heard)
    long_line(recorder)
    recorder(RESULT.rstrip(b"\n"))
    recorder.close()
    assert parser.result is None
    assert [type(event) for event in heard] == [Unknown]


def test_plain_output_needs_no_lines(record):
    heard, parser = [], PlainText()
    recorder = record(parser, heard)
    long_line(recorder)
    recorder(b"end")
    recorder.close()
    assert sum(len(event.text) for event in heard) == recorder.size
    assert parser.final.endswith("xend")


@pytest.mark.e2e
def test_a_line_of_300_megabytes_costs_little_memory(loop):
    """The peak of a whole run beside that of one with a short line."""
    peaks = [peak_of_run(loop, size) for size in (1000, 300_000_000)]
    assert peaks[1] - peaks[0] < PEAK
    (stream,) = [each for each in loop.repo.path.glob(".ralph/runs/*/iteration-1/stream.ndjson") if big(each)]
    with stream.open("rb") as file:
        file.seek(-200, os.SEEK_END)
        assert b'xxx\n{"type":"result"' in file.read()


def big(path):
    return path.stat().st_size > 300_000_000


def peak_of_run(loop, size):
    """In bytes, as the agent sees it when it has printed its line."""
    agent = loop.repo.home / "claude"
    prints = f"head -c {size} /dev/zero | tr '\\0' x; echo"
    agent.write_text(f"#!/bin/sh\n{prints}\ngrep VmHWM /proc/$PPID/status > peak\ncat <<'EOF'\n{RESULT.decode()}EOF\n")
    agent.chmod(0o755)
    loop.settings(agent={"command": str(agent)})
    ended = loop.ralph("run", "-p", "Work.")
    assert ended.code == 0, ended.err
    return int(loop.repo.read("peak").split()[1]) * 1024
