"""Nobody reads the output: the run ends all the same."""

import json
import re
import subprocess

from ralph.testing import done, floods
from ralph.testing.program import ralph_program


def test_a_reader_that_never_reads_does_not_hold_up_the_run(loop):
    loop.prepare(floods(20_000_000, line=200) | done())
    with subprocess.Popen(
        [ralph_program(), "run", "-p", "x"],
        cwd=loop.repo.path,
        env=loop.repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        # Its standard output is a pipe of 64 KiB that stays full.
        assert process.wait(60) == 0
    assert loop.show()["verdict"] == "verified"


def test_a_reader_that_goes_away_does_not_end_the_run(loop):
    loop.prepare(floods(2_000_000, line=200), done())
    with subprocess.Popen(
        [ralph_program(), "run", "-p", "x"],
        cwd=loop.repo.path,
        env=loop.repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.stdout.read(100)
        process.stdout.close()
        assert process.wait(60) == 0


def test_more_than_anybody_can_read_is_counted_and_stays_in_the_log(loop):
    pieces, tools = 20_000, 10_000
    stream, claude = loop.repo.home / "stream", loop.repo.home / "claude"
    claude.write_text(f"#!/bin/sh\nexec cat {stream}\n")
    claude.chmod(0o755)
    with stream.open("w", encoding="ascii") as file:
        for number in range(tools):
            for line in tool_call(number):
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        file.write(json.dumps({"type": "result", "result": "<response>DONE</response>"}) + "\n")
    ended = loop.ralph("run", "-p", "x", "--agent", str(claude))
    assert ended.code == 0
    [left_out] = re.findall(r"… (\d+) pieces of output were not shown here: see ralph logs", ended.err)
    shown = ended.out.count("Bash(true)") + ended.out.count("Result ←")
    assert 0 < shown < pieces
    assert int(left_out) == pieces - shown
    assert f"tools: {tools}, errors: 0" in ended.out
    assert loop.ralph("logs").out.count("Result ←") == tools


def tool_call(number):
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "true"}}
    end = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "fine"}
    yield {"type": "assistant", "message": {"id": f"m{number}", "content": [use]}}
    yield {"type": "user", "message": {"content": [end]}}
