"""What people ran into with `ralph run`, by name."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loops import PROMPT, wait_until
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.gemini import GeminiParser
from ralph.agents.opencode import OpenCodeParser
from ralph.model.events import ToolEnd
from ralph.testing import answers, done, edits, hangs
from ralph.testing.program import ralph_program

COMMIT = {"scm": {"tasks": ["commit"]}}


def test_a_commit_message_of_several_lines_is_kept(git_loop):
    words = "Add a file\n\nIt holds one letter.\nNothing more."
    ended = git_loop(edits({"a": "1"}) | done(), answers("commit message", f"<response>{words}</response>"), **COMMIT)
    assert ended.code == 0, ended.err
    assert git_loop.repo.git("log", "-1", "--format=%B").strip() == words


def test_verbose_shows_the_commit_message_call_too(git_loop):
    steps = (edits({"a": "1"}) | done(), answers("commit message", "Add a file"))
    ended = git_loop(*steps, args=("-p", PROMPT, "--verbose"), **COMMIT)
    shown = ended.out + ended.err
    assert "[ralph] Asking for a commit message: Provide a short imperative commit message" in shown
    assert "[ralph] Commit message: Add a file (" in shown


def said(text, message="m1", **more):
    return {"type": "assistant", "message": {"id": message, "content": [{"type": "text", "text": text}]}, **more}


def test_the_last_assistant_message_is_read_whole():
    parser = ClaudeParser()
    aside = said("a subagent", "m3", parent_tool_use_id="t1")
    for line in (said("first", "m0"), said("<response>DONE</response>"), said("and this is why"), aside):
        parser.feed(json.dumps(line).encode() + b"\n", None)
    assert parser.final == "<response>DONE</response>\n\nand this is why"


@pytest.mark.parametrize(
    ("parser", "line"),
    [
        (
            ClaudeParser,
            {
                "type": "user",
                "message": {
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "is_error": True,
                            "content": {"error": "no such file"},
                        }
                    ]
                },
            },
        ),
        (
            ClaudeParser,
            {
                "type": "user",
                "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "is_error": True}]},
                "tool_use_result": "no such file",
            },
        ),
        (
            OpenCodeParser,
            {
                "type": "tool_use",
                "part": {"callID": "t", "tool": "read", "state": {"status": "error", "error": "no such file"}},
            },
        ),
        (
            GeminiParser,
            {"type": "tool_result", "tool_id": "t", "status": "error", "error": {"message": "no such file"}},
        ),
    ],
)
def test_a_tool_result_with_only_an_error_text_keeps_it(parser, line):
    heard = []
    parser().feed(json.dumps(line).encode() + b"\n", heard.extend)
    assert [event.output for event in heard if isinstance(event, ToolEnd)] == ["no such file"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after", [0, 0.1, 0.4])
def test_a_signal_during_start_up_exits_130(loop, number, after):
    loop.prepare(hangs())
    env = {**os.environ, **loop.repo.env}
    process = subprocess.Popen(
        [ralph_program(), "run", "-p", PROMPT], cwd=loop.repo.path, env=env, stderr=subprocess.PIPE, text=True
    )
    # Until Python itself is there, a signal can only kill it.
    wait_until(lambda: _hears(process.pid, signal.SIGTERM), "it did not start")
    time.sleep(after)
    process.send_signal(number)
    time.sleep(0.05)
    for _ in range(3):
        if process.poll() is None:
            time.sleep(0.3)
            process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.parametrize("scm", [{"command": 'git "x', "tasks": ["commit"]}, {"tasks": ['push "origin']}])
def test_unbalanced_quotes_in_scm_are_one_clear_line(git_loop, scm):
    ended = git_loop(edits({"a": "1"}) | done(), scm=scm)
    assert ended.code == 2
    assert "cannot be split into words: No closing quotation. Close the quotes." in ended.err
    assert "Traceback" not in ended.err
    assert ended.agent.prompts == []


@pytest.mark.parametrize(
    "args", [("run", "-p", "x"), ("runs",), ("status",), ("show",), ("task", "list"), ("config", "show")]
)
@pytest.mark.parametrize("name", [b"with\na newline", b"not \xff UTF-8"])
def test_an_odd_project_path_is_no_traceback(tmp_path, loop, name, args):
    loop.prepare(done())
    odd = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(odd)).mkdir()
    ended = subprocess.run(
        [ralph_program(), *args, *(["--agent", str(loop.agent.command)] if args[0] == "run" else [])],
        cwd=odd,
        env={**os.environ, **loop.repo.env},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in ended.stderr
    assert ended.returncode in (0, 2)


def test_a_missing_prompt_file_does_not_advise_a_resume(loop):
    loop.prepare(done())
    ended = loop.ralph("run", "-f", "missing.md")
    assert ended.code == 2
    assert "No such file or directory. Write it, or give another one with -f." in ended.err
    assert "resume" not in ended.err


def test_cancel_of_a_sleeping_agent_takes_less_than_two_seconds_and_ends_the_run(loop):
    loop.prepare(hangs())
    with loop.start() as running:
        wait_until(lambda: loop.agent.prompts, "the agent did not start")
        asked = time.monotonic()
        ended = loop.ralph("cancel")
        assert ended.code == 0, ended.err
        assert running.end().code == 130
        # Three times what it may take on a machine of one's own; it was ten seconds.
        assert time.monotonic() - asked < 3 * 2
    run = loop.show()
    assert (run["status"], run["verdict"]) == ("ended", "cancelled")
    assert "stopped when asked" in ended.out + ended.err


def _hears(pid, number):
    """Whether the process has a handler of its own for the signal."""
    try:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return False
    return bool(caught) and bool(int(caught[1], 16) >> (number - 1) & 1)


IGNORING_CHILDREN = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize(("guardrail", "code", "told"), [("false", 1, "exit code 1"), ("true", 0, "proven done")])
def test_exit_codes_count_although_what_started_ralph_ignores_its_children(git_loop, guardrail, code, told):
    """A parent that ignores SIGCHLD passes that on, and the system then throws all exit codes away."""
    git_loop.prepare(edits({"a": "1"}) | done(), done(), guardrails=[{"command": guardrail}])
    argv = [sys.executable, "-c", IGNORING_CHILDREN, ralph_program(), "run", "-p", PROMPT, "-m", "2"]
    ended = git_loop.repo.run(*argv)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert told in ended.stdout + ended.stderr


@pytest.mark.parametrize("name", ["git", "sh"])
def test_a_program_that_an_agent_puts_on_the_path_does_not_stand_in_for_one_of_ralphs(git_loop, name):
    """It would be gone again before anybody compares programs."""
    git_loop.repo.write("bin/.keep", "")
    git_loop.repo.git("add", "-A")
    git_loop.repo.git("commit", "-qm", "bin")
    shim = f"#!/bin/bash\ntouch {git_loop.repo.path}/STARTED\nrm -f $0\nexit 0\n"
    planted = f"printf '%s' {shlex.quote(shim)} > bin/{name}; chmod +x bin/{name}"
    git_loop.prepare({"run": planted} | done(), done(), guardrails=[{"command": "grep -q fixed a"}])
    env = {"PATH": f"{git_loop.repo.path}/bin:{git_loop.repo.env['PATH']}"}
    ended = git_loop.ralph("run", "-p", PROMPT, "-m", "2", env=env)
    assert ended.code == 1, ended.err
    assert not git_loop.exists("STARTED")
