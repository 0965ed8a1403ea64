"""What a person reads while a run goes on, when it is stopped, and afterwards."""

import json
import re
import signal

import pytest

from loops import wait_until, waits
from ralph.agents.claude_stream import ClaudeParser
from ralph.agents.recorder import Recorder
from ralph.model.events import Progress, Subagent
from ralph.testing import done, says
from ralph.workbench.redact import Redactor
from terminals import Terminal

STAMP = re.compile(r"\[\d\d:\d\d:\d\d\] ")


def test_the_first_ctrl_c_says_what_happens_now_and_what_a_second_one_does(loop):
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear()
        wait_until(lambda: "Press Ctrl-C again to end it at once" in running.err, "nothing more was said")
        assert "The current action finishes first." in running.err
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.code == 130
    verdict, look = ended.err.splitlines()[-2:]
    assert "stopped by SIGINT. Continue: ralph resume" in verdict
    assert look.startswith("  Details: ralph show ")


def test_closing_the_terminal_ends_like_sigterm(loop):
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear(signal.SIGHUP)
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.code == 130
    assert "stopped by SIGHUP. Continue: ralph resume" in ended.err
    shown = loop.show()
    assert (shown["status"], shown["verdict"]) == ("interrupted", None)
    assert loop.ralph("resume").code == 0


def test_a_killed_run_leaves_the_cursor_as_it_was(loop):
    loop.prepare(says("I begin") | {"run": waits()})
    with Terminal(loop.repo.path, {**loop.repo.env, "TERM": "xterm"}, "run", "-p", "Do it.") as terminal:
        terminal.expect("the agent works")
        terminal.process.kill()
        terminal.end()
    assert "\x1b[?25l" not in terminal.screen


def test_timestamps_stand_before_every_line_ralphs_own_too(loop):
    loop.prepare(says("one\ntwo") | {"stderr": "hm\n"} | done(), guardrails=[{"command": "true"}])
    ended = loop.ralph("run", "-p", "Do it.", "--timestamps", "-V")
    lines = [*ended.out.splitlines(), *ended.err.splitlines()]
    assert len(lines) > 10
    assert [line for line in lines if not STAMP.match(line)] == []
    logs = loop.ralph("logs", "--timestamps").out.splitlines()
    assert [line for line in logs if not STAMP.match(line)] == []


def test_timestamps_by_the_settings(loop):
    ended = loop(says("one\ntwo") | done(), display={"timestamps": True})
    lines = [*ended.out.splitlines(), *ended.err.splitlines(), *loop.ralph("logs").out.splitlines()]
    assert len(lines) > 3
    assert [line for line in lines if not STAMP.match(line)] == []


def test_complete_is_one_line(loop):
    ended = loop(says("hm") | done() | {"cost": 0.5})
    assert ended.out.count("Complete (cost: $0.5") == 1
    assert "the agent has finished" not in ended.err
    assert loop.ralph("logs").out.count("Complete (cost: $0.5") == 1


@pytest.mark.parametrize("failure", [{"exit": 3}, {"is_error": True, "exit": 1}])
def test_what_failed_never_says_complete(loop, failure):
    ended = loop(says("hm") | done() | failure, maximumIterations=1)
    assert "the agent failed" in ended.err
    for shown in (ended.out, ended.err, loop.ralph("logs").out):
        assert "Complete" not in shown


def test_a_failed_guardrail_shows_its_last_lines_and_show_names_the_log_of_its_own_run(loop):
    rail = {"command": "seq 1 20; cat which; false"}
    loop.repo.write("which", "first\n")
    ended = loop(done(), maximumIterations=1, guardrails=[rail])
    first = loop.show()["id"]
    assert re.search(r"\n +17\n +18\n +19\n +20\n +first\n +see \.ralph/runs/", ended.err)
    assert "\n      16\n" not in ended.err
    loop.repo.write("which", "second\n")
    loop(done(), maximumIterations=1, guardrails=[rail])
    [log] = re.findall(r"see (\S+)", loop.ralph("show", first).out)
    assert loop.repo.read(log).endswith("20\nfirst\n")


def test_logs_follow_the_settings_of_display(loop):
    tool = {"name": "Bash", "input": {"command": "ls"}, "output": "a\nb\nc\n"}
    loop(
        {"think": "deep thoughts", "tool": tool} | done(),
        display={"emoji": False, "thinking": True, "maxOutputLines": 1},
    )
    logs = loop.ralph("logs").out
    assert "[TOOL] Bash(ls)\n[OK] Result ← Bash (3 lines, 6 chars)\n  | …\n  | c\n" in logs
    assert "deep thoughts\n" in logs


def test_logs_that_are_followed_end_with_the_verdict(loop):
    loop.prepare(says("I begin") | {"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        loop.repo.write("go", "")
        followed = loop.ralph("logs", "-f").out
        running.end()
    assert followed.splitlines()[-1].startswith("✓ verified: done by the agent's word after 1 iteration")


def test_what_came_before_a_pause_has_its_own_time(tmp_path, monkeypatch):
    told, clock = [], [100.0]
    monkeypatch.setattr("ralph.agents.recorder.time.time", lambda: clock[0])
    record = Recorder(tmp_path / "stream", Redactor(()), grown=lambda size, at: told.append((size, at)))
    for moment, data in ((100.1, b"a\n"), (130.0, b"b\n"), (130.2, b"c\n")):
        clock[0] = moment
        record(data)
    clock[0] = 190.0
    record.close()
    assert told == [(2, 100.1), (4, 130.0), (6, 130.2)]


def test_a_background_shell_is_not_a_subagent():
    started = {"type": "system", "subtype": "task_started", "description": "sleep 100"}
    lines = [
        started | {"task_id": "b1", "task_type": "local_bash"},
        {"type": "system", "subtype": "task_notification", "task_id": "b1", "status": "completed"},
        started | {"task_id": "a1", "task_type": "local_agent"},
    ]
    found = []
    ClaudeParser().feed("".join(json.dumps(line) + "\n" for line in lines).encode(), found.extend)
    assert found == [
        Progress("in the background: sleep 100"),
        Progress("the background command completed"),
        Subagent("a1", "sleep 100", "started"),
    ]
