"""One agent run, without the loop around it: what is written where, and what the report says."""

import asyncio
import os

import pytest

from ralph.agents import run
from ralph.agents.registry import choose
from ralph.agents.run import CONTEXT, OUTPUT, STDERR, STREAM, Limits, Surroundings, run_agent
from ralph.config.schema import apply_schema
from ralph.model.errors import AgentUnusable
from ralph.model.events import Text, Tokens
from ralph.testing import ScriptedAgent, crash, done, fails, hangs, says

PROMPT = "Do it."


@pytest.fixture
def started(tmp_path):
    """Run an agent once: its report, and the directory of the attempt."""
    project = tmp_path / "project"
    directory = project / "attempt"
    directory.mkdir(parents=True)

    def start(step=None, *, command=None, prompt=PROMPT, stream=True, limits=None, secrets=(), emit=None, **options):
        if step is not None:
            command = ScriptedAgent(step, directory=tmp_path / "bin", **options).command
        around = Surroundings(
            project=project,
            directory=directory,
            env={"PATH": os.environ["PATH"]},
            attempt="run.1.1",
            limits=limits or Limits(),
            secrets=secrets,
            emit=emit,
        )
        agent = choose(apply_schema({"agent": {"command": command}}))
        return asyncio.run(run_agent(agent, prompt, around, stream=stream)), directory

    return start


def test_context_stream_and_final_message_are_written(started):
    report, directory = started(says("working") | done())
    assert report.ok
    assert report.attempt_dir == "attempt"
    assert (directory / CONTEXT).read_text() == PROMPT
    assert (directory / STREAM).read_text().count("\n") == 4
    assert (directory / OUTPUT).read_text() == "<response>DONE</response>"
    assert not (directory / STDERR).exists()


def test_the_report_counts_cost_tokens_and_tools(started):
    tokens = {"input": 100, "output": 20, "cache_read": 7, "cache_write": 3}
    report, _ = started({"tool": {"name": "Bash", "error": True}, "cost": 0.25, "tokens": tokens} | done())
    assert (report.cost_usd, report.tokens, report.tools, report.tool_errors) == (0.25, Tokens(100, 20, 7, 3), 1, 1)


def test_the_stream_is_the_agents_bytes_as_they_came(started):
    raw = bytes(range(256)) + b"\n\r\n{}\n" + b"no newline at the end"
    report, directory = started(
        {"do": [{"raw_base64": __import__("base64").b64encode(raw).decode()}], "no_result": True}
    )
    assert (directory / STREAM).read_bytes() == raw
    assert report.ok


def test_known_secrets_are_replaced_and_nothing_else(started):
    step = {"raw": "the key is s3cret-value, truly", "stderr": "s3cret-value!", "no_result": True}
    _, directory = started(step, secrets=(b"s3cret-value",))
    assert (directory / STREAM).read_bytes() == b"the key is [redacted], truly\n"
    assert (directory / STDERR).read_bytes() == b"[redacted]!\n"


def test_a_line_of_many_megabytes_is_read(started):
    report, directory = started({"line_of": {"bytes": 5_000_000}} | done())
    assert report.ok
    assert (directory / OUTPUT).read_text() == "<response>DONE</response>"


def test_events_are_passed_on_as_they_come(started):
    events = []
    started(says("hello"), emit=events.append)
    assert Text("hello") in events


def test_no_result_line_and_exit_0_makes_the_last_message_the_final_one(started):
    report, directory = started({"do": [{"say": "first"}, {"say": "last"}], "no_result": True})
    assert report.ok
    assert (directory / OUTPUT).read_text() == "last"


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (says("hm") | {"no_result": True, "exit": 3}, "it exited with code 3"),
        (done() | {"exit": 1}, "it exited with code 1"),
        (done() | {"is_error": True}, "<response>DONE</response>"),
        (crash("SIGKILL"), "it was killed by SIGKILL"),
        (crash("SIGSEGV"), "it was killed by SIGSEGV"),
    ],
)
def test_a_bad_end_is_a_failure_whatever_was_said(started, step, reason):
    report, _ = started(step)
    assert (report.status, report.reason) == ("failed", reason)


def test_the_end_of_what_a_failed_agent_wrote_is_in_the_report(started):
    report, _ = started(says("I tried") | fails(1, stderr="Traceback: boom"))
    assert report.tail == "Traceback: boom\nI tried"
    assert not report.silent


def test_a_failure_without_a_word_is_silent(started):
    report, directory = started(fails(1))
    assert report.silent
    assert report.tail == ""
    assert not (directory / STREAM).exists()


def test_the_time_limit_ends_it_and_says_so(started):
    report, directory = started(says("begun") | hangs(), limits=Limits(run=0.4))
    assert (report.status, report.reason) == ("timeout", "it ran longer than timeouts.agent (0.4 s) and was ended")
    assert b"begun" in (directory / STREAM).read_bytes()


def test_the_idle_limit_ends_an_agent_that_writes_nothing(started):
    report, _ = started(hangs(), limits=Limits(idle=0.4))
    assert (report.status, report.reason) == ("idle", "it wrote nothing for timeouts.idle (0.4 s) and was ended")


def test_an_agent_that_keeps_writing_is_not_idle(started):
    words = [{"say": str(number), "sleep": 0.1} for number in range(8)]
    report, _ = started({"do": words, "final": "over"}, limits=Limits(idle=0.6))
    assert report.ok


def test_an_agent_that_has_answered_and_stays_is_ended_and_its_answer_counts(started, monkeypatch):
    monkeypatch.setattr(run, "LINGERING", 0.2)
    report, directory = started({"final": "<response>DONE</response>", "close_stdout": True, "hang": True})
    assert (report.status, report.reason) == ("ok", "it answered, stayed, and was ended")
    assert (directory / OUTPUT).read_text() == "<response>DONE</response>"


def test_text_mode_takes_the_whole_output_as_the_answer(started):
    report, directory = started(says("first") | done(), stream=False)
    assert report.plain
    assert (directory / STREAM).read_text() == "<response>DONE</response>\n"
    assert not (directory / OUTPUT).exists()


def test_codex_in_text_mode_answers_in_a_file(started):
    report, directory = started(done(), format="codex", stream=False)
    assert not report.plain
    assert (directory / OUTPUT).read_text() == "<response>DONE</response>"


def test_a_generic_agent_is_plain(started):
    report, directory = started(done(), format="text")
    assert report.plain
    assert (directory / STREAM).read_text() == "<response>DONE</response>\n"


@pytest.mark.parametrize("missing", ["/nowhere/claude", "no-such-agent-anywhere"])
def test_a_missing_agent_is_unusable(started, missing):
    with pytest.raises(AgentUnusable, match=r"is not on PATH.*ralph doctor"):
        started(command=missing)


def test_an_agent_that_is_not_executable_is_unusable(started, tmp_path):
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(AgentUnusable, match=r"is not executable.*chmod \+x"):
        started(command=str(program))


def test_a_long_prompt_reaches_the_agent(started, tmp_path):
    started(done(), prompt="x" * 300_000)
    log = tmp_path / "bin" / "claude.script.json.log"
    assert log.read_text().count("x") >= 300_000
