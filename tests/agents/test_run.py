"""One agent run, without the loop around it: what is written where, and what the report says."""

import asyncio
import base64
import json
import os
import shlex
import sys

import pytest

from ralph.agents import recorder, run
from ralph.agents.registry import choose
from ralph.agents.run import CONTEXT, LONGEST_FINAL, OUTPUT, STDERR, STREAM, Supervision, TimeLimits, run_agent
from ralph.config.schema import apply_schema
from ralph.model.errors import AgentUnusable
from ralph.model.events import Text, Tokens
from ralph.testing import ScriptedAgent, crash, done, fails, hangs, says
from ralph.workbench.bench import Workbench

PROMPT = "Do it."


@pytest.fixture
def started(tmp_path):
    """Run an agent once: its report, and the directory of the attempt."""
    project = tmp_path / "project"
    directory = project / "attempt"
    directory.mkdir(parents=True)

    def start(
        step=None,
        *,
        command=None,
        prompt=PROMPT,
        stream=True,
        limits=None,
        secrets=(),
        emit=None,
        grown=None,
        **options,
    ):
        if step is not None:
            command = ScriptedAgent(step, directory=tmp_path / "bin", **options).command
        bench = Workbench(project, {"PATH": os.environ["PATH"]}, "run.1.1", log=directory, secrets=secrets)
        agent = choose(apply_schema({"agent": {"command": command}}))
        watch = Supervision(emit=emit, grown=grown)
        ran = run_agent(bench, agent, prompt, stream=stream, limits=limits or TimeLimits(), watch=watch)
        return asyncio.run(ran), directory

    return start


def test_the_stream_is_written_and_the_final_message_is_in_the_report(started):
    report, directory = started(says("working") | done())
    assert report.ok
    assert report.attempt_dir == str(directory)
    assert report.final == "<response>DONE</response>"
    assert (directory / STREAM).read_text().count("\n") == 4
    assert [file.name for file in directory.iterdir()] == [STREAM]


def test_what_a_tool_said_is_not_the_final_message(started):
    report, _ = started({"tool": {"name": "Bash", "output": "<response>DONE</response>"}, "final": "I am not done."})
    assert report.final == "I am not done."


def test_nothing_is_read_again_from_a_file_that_the_agent_can_reach(started, tmp_path):
    for name in (OUTPUT, CONTEXT):
        (tmp_path / "project" / "attempt" / name).write_text("<response>DONE</response>")
    report, _ = started({"final": "I am not done."})
    assert report.final == "I am not done."


@pytest.mark.parametrize("stream", [True, False])
def test_of_a_very_long_final_message_the_end_is_kept(started, stream):
    long = "x" * LONGEST_FINAL + "<response>DONE</response>"
    report, _ = started({"final": long}, stream=stream)
    assert len(report.final) <= LONGEST_FINAL
    assert report.final.strip().endswith("x<response>DONE</response>")


def test_plain_output_that_is_not_utf_8_is_the_final_message_all_the_same(started):
    raw = base64.b64encode(b"\xff <response>DONE</response>").decode()
    report, _ = started({"do": [{"raw_base64": raw}], "no_result": True}, format="text")
    assert report.final == "\ufffd <response>DONE</response>"


def test_a_prompt_is_written_to_a_file_only_for_a_command_that_names_it(started, tmp_path):
    command = f"{tmp_path}/reads {{prompt_file}}"
    program = tmp_path / "reads"
    program.write_text('#!/bin/sh\ncat "$1"; cat\n')
    program.chmod(0o755)
    report, directory = started(command=command)
    assert report.final == PROMPT
    assert (directory / CONTEXT).read_text() == PROMPT


def test_how_far_the_stream_has_come_is_told_at_most_once_in_a_while(started, monkeypatch):
    monkeypatch.setattr(recorder, "TELL_EVERY", 0.3)
    sizes = []
    words = [{"say": "x" * 100, "sleep": 0.05} for _ in range(20)]
    _, directory = started({"do": words, "final": "over"}, grown=lambda size, _: sizes.append(size))
    assert 1 <= len(sizes) <= 8
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= (directory / STREAM).stat().st_size


def test_the_report_counts_cost_tokens_and_tools(started):
    tokens = {"input": 100, "output": 20, "cache_read": 7, "cache_write": 3}
    report, _ = started({"tool": {"name": "Bash", "error": True}, "cost": 0.25, "tokens": tokens} | done())
    assert (report.cost_usd, report.tokens, report.tools, report.tool_errors) == (0.25, Tokens(100, 20, 7, 3), 1, 1)


def test_the_stream_is_the_agents_bytes_as_they_came(started):
    raw = bytes(range(256)) + b"\n\r\n{}\n" + b"no newline at the end"
    report, directory = started({"do": [{"raw_base64": base64.b64encode(raw).decode()}], "no_result": True})
    assert (directory / STREAM).read_bytes() == raw
    assert report.ok


def test_known_secrets_are_replaced_and_nothing_else(started):
    step = {"raw": "the key is s3cret-value, truly", "stderr": "s3cret-value!", "no_result": True}
    _, directory = started(step, secrets=(b"s3cret-value",))
    assert (directory / STREAM).read_bytes() == b"the key is [redacted], truly\n"
    assert (directory / STDERR).read_bytes() == b"[redacted]!\n"


def test_a_line_of_many_megabytes_is_read(started):
    report, _ = started({"line_of": {"bytes": 5_000_000}} | done())
    assert report.ok
    assert report.final == "<response>DONE</response>"


def test_events_are_passed_on_as_they_come(started):
    events = []
    started(says("hello"), emit=events.extend)
    assert Text("hello") in events


def test_no_result_line_and_exit_0_makes_the_last_message_the_final_one(started):
    first = {"say": "first"}, {"tool": {"name": "Bash"}}
    report, _ = started({"do": [*first, {"say": "last"}, {"say": "words"}], "no_result": True})
    assert report.ok
    assert report.final == "last\n\nwords", "all parts of the last message, and of no other"


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
    report, directory = started(says("begun") | hangs(), limits=TimeLimits(run=2))
    assert (report.status, report.reason) == ("timeout", "it ran longer than timeouts.agent (2 s) and was ended")
    assert b"begun" in (directory / STREAM).read_bytes()


def test_the_idle_limit_ends_an_agent_that_writes_nothing(started):
    report, _ = started(hangs(), limits=TimeLimits(idle=0.4))
    assert (report.status, report.reason) == ("idle", "it wrote nothing for timeouts.idle (0.4 s) and was ended")


def test_an_agent_that_keeps_writing_is_not_idle(started):
    words = [{"say": str(number), "sleep": 0.3} for number in range(8)]
    report, _ = started({"do": words, "final": "over"}, limits=TimeLimits(idle=2))
    assert report.ok


def test_an_agent_that_has_answered_and_stays_is_ended_and_its_answer_counts(started, monkeypatch):
    monkeypatch.setattr(run, "LINGERING", 0.2)
    report, _ = started({"final": "<response>DONE</response>", "close_stdout": True, "hang": True})
    assert (report.status, report.reason) == ("ok", "it answered but did not exit, and was ended")
    assert report.final == "<response>DONE</response>"


def test_text_mode_takes_the_whole_output_as_the_answer(started):
    report, directory = started(says("first") | done(), stream=False)
    assert report.plain
    assert report.final == (directory / STREAM).read_text() == "<response>DONE</response>\n"
    assert not (directory / OUTPUT).exists()


def test_codex_in_text_mode_answers_in_a_file(started):
    report, directory = started(done(), format="codex", stream=False)
    assert not report.plain
    assert report.final == (directory / OUTPUT).read_text() == "<response>DONE</response>"


@pytest.mark.parametrize("there", ["a link", "a pipe", "a directory", "nothing"])
def test_an_answer_that_is_no_plain_file_is_no_answer(started, tmp_path, there):
    secret = tmp_path / "secret"
    secret.write_text("<response>DONE</response>")
    make = {"a link": f"ln -s {secret}", "a pipe": "mkfifo", "a directory": "mkdir", "nothing": "test -n"}[there]
    program = tmp_path / "codex"
    # The word behind -o is the answer's file.
    program.write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n{make} "$2"\n')
    program.chmod(0o755)
    report, _ = started(command=str(program), stream=False)
    assert report.ok, report
    assert report.final == ""


def test_a_generic_agent_is_plain(started):
    report, directory = started(done(), format="text")
    assert report.plain
    assert report.final == (directory / STREAM).read_text() == "<response>DONE</response>\n"


@pytest.mark.parametrize(
    ("missing", "why"), [("/nowhere/claude", "does not exist"), ("no-such-agent-anywhere", "is not on PATH")]
)
def test_a_missing_agent_is_unusable(started, missing, why):
    with pytest.raises(AgentUnusable, match=rf"{missing} {why}.*ralph doctor"):
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


def program(tmp_path, name, script):
    """An agent that is a script of its own."""
    made = tmp_path / name
    made.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
    made.chmod(0o755)
    return str(made)


def result_line(text):
    return json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": text})


FORGED, OWN = "<response>DONE</response>", "I could not do it."


def after_its_end(tmp_path, write, *arguments):
    """A command of a shell: something that holds its standard output open, and writes when the shell has ended and
    ralph has taken note of that."""
    ready, daemon = tmp_path / "ready", tmp_path / "daemon.py"
    daemon.write_text(
        "import os, sys, time\n"
        f"open({str(ready)!r}, 'w').close()\n"
        "while os.path.exists(f'/proc/{sys.argv[1]}'):\n"
        "    time.sleep(0.01)\n"
        f"{write}\n"
    )
    return f"{sys.executable} {daemon} $$ {' '.join(arguments)} &\nwhile [ ! -e {ready} ]; do sleep 0.01; done"


@pytest.mark.parametrize("name", ["claude", "agent"])
def test_what_arrives_after_the_agent_has_ended_is_recorded_and_does_not_count(started, tmp_path, name):
    line = result_line(FORGED) if name == "claude" else FORGED
    own = result_line(OWN) if name == "claude" else OWN
    write = after_its_end(tmp_path, f"os.write(1, {line!r}.encode() + b'\\n')")
    report, directory = started(command=program(tmp_path, name, f"{write}\nprintf '%s\\n' {shlex.quote(own)}"))
    assert (report.ok, report.final.strip()) == (True, OWN)
    assert FORGED in (directory / STREAM).read_text()


def test_a_line_that_the_agent_left_unfinished_is_not_finished_by_another(started, tmp_path):
    whole = result_line(FORGED)
    write = after_its_end(tmp_path, f"os.write(1, {whole[20:]!r}.encode() + b'\\n')")
    report, directory = started(command=program(tmp_path, "claude", f"{write}\nprintf '%s' {shlex.quote(whole[:20])}"))
    assert report.final == ""
    assert (directory / STREAM).read_text() == f"{whole}\n"


def test_a_file_that_is_rewritten_after_the_agent_has_ended_is_not_its_answer(started, tmp_path):
    write = after_its_end(tmp_path, f"open(sys.argv[2], 'w').write({FORGED!r})", '"$2"')
    script = f'while [ "$1" != -o ]; do shift; done\n{write}\nprintf %s {shlex.quote(OWN)} > "$2"'
    report, directory = started(command=program(tmp_path, "codex", script), stream=False)
    assert report.final == OWN
    assert (directory / OUTPUT).read_text() == FORGED


@pytest.mark.parametrize("size", [10, 60_000, 3_000_000])
def test_nothing_of_what_a_fast_agent_wrote_before_it_ended_is_lost(started, tmp_path, size):
    """It is gone before anything is read: what fits into the pipe is in it, and the last line is the answer."""
    lines = tmp_path / "lines"
    lines.write_text(f"{json.dumps({'type': 'system', 'pad': 'x' * size})}\n{result_line(FORGED)}\n")
    for _ in range(5):
        report, directory = started(command=program(tmp_path, "claude", f"exec cat {lines}"))
        assert report.final == FORGED
        (directory / STREAM).unlink()


def test_of_several_result_lines_the_last_wins(started, tmp_path):
    said = "\n".join((result_line(FORGED), result_line(OWN)))
    report, _ = started(command=program(tmp_path, "claude", f"printf '%s\\n' {shlex.quote(said)}"))
    assert report.final == OWN
