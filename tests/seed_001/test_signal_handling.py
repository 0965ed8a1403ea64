"""Seed 001, "Signal Handling": each test is named after its line. The agent says that it is ready before any signal."""

import os
import signal

import pytest

from loops import is_alive, wait_until, waits
from ralph.testing import done, hangs, says

SIGNALS = [signal.SIGINT, signal.SIGTERM]
both_signals = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)


@both_signals
def test_signals_are_handled_gracefully(loop, number):
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear(number)
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.code == 130
    assert f"interrupted: stopped by {number.name}." in ended.err
    assert "Traceback" not in ended.err


@both_signals
def test_on_first_signal_set_shutdown_flag_and_wait_for_the_current_operation_to_complete(loop, number):
    agent = loop.prepare({"run": waits()} | says("over"), done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear(number)
        assert is_alive(agent.starts[0].pid)
        loop.repo.write("go", "")
        running.end()
    assert len(agent.starts) == 1


def test_if_agent_is_running_allow_it_to_finish_its_current_response_then_exit(loop):
    loop.prepare({"run": waits()} | says("my last word"), done(), guardrails=[{"command": "touch checked"}])
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear()
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.code == 130
    assert "my last word" in ended.out
    (iteration,) = loop.show()["iterations"]
    assert iteration["actions"][0]["result"]["status"] == "ok"
    assert not loop.exists("checked")


def test_if_guardrail_is_running_allow_it_to_finish_then_exit(loop):
    loop.prepare(done(), guardrails=[{"command": f"{waits()}; echo checked"}, {"command": "touch second"}])
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear()
        loop.repo.write("go", "")
        assert running.end().code == 130
    (iteration,) = loop.show()["iterations"]
    assert [action["kind"] for action in iteration["actions"]] == ["run-agent", "run-command"]
    assert iteration["evidence"][0]["passed"]
    assert not loop.exists("second")


@both_signals
def test_print_message_received_signal_shutting_down(loop, number):
    loop.prepare({"run": waits()})
    with loop.start() as running:
        running.wait_for("ready")
        running.send(number)
        wait_until(lambda: "Received signal, shutting down...\n" in running.err, "the message did not come")
        loop.repo.write("go", "")
        ended = running.end()
    assert ended.err.count("Received signal, shutting down...") == 1


def test_the_message_is_printed_under_quiet_too(loop):
    loop.prepare({"run": waits()})
    with loop.start("run", "-p", "x", "--quiet") as running:
        running.wait_for("ready")
        running.send_and_hear()
        loop.repo.write("go", "")
        assert running.end().code == 130


def test_ctrl_c_in_a_terminal_reaches_ralph_and_not_the_agent(loop):
    """A terminal sends the signal to every process of its foreground group."""
    agent = loop.prepare({"run": waits()} | says("finished"))
    with loop.start() as running:
        running.wait_for("ready")
        os.killpg(running.pid, signal.SIGINT)
        wait_until(lambda: "Received signal" in running.err, "the signal was not heard")
        assert is_alive(agent.starts[0].pid)
        loop.repo.write("go", "")
        assert "finished" in running.end().out


@both_signals
def test_second_signal_stops_the_process_tree_now(loop, number):
    agent = loop.prepare(
        {"spawn": {"command": "echo $$ > pid; mv pid child; exec sleep 300", "setsid": True}} | hangs()
    )
    with loop.start() as running:
        running.wait_for("child")
        child = int(loop.repo.read("child"))
        running.send_and_hear(number)
        running.send(number)
        ended = running.end()
    assert ended.code == 130
    assert "stopped at once by a second signal" in ended.err
    assert not is_alive(agent.starts[0].pid)
    assert not is_alive(child)


def test_second_signal_stops_a_guardrail_now(loop):
    loop.prepare(done(), guardrails=[{"command": "echo $$ > pid; touch ready; sleep 300"}])
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear()
        running.send()
        assert running.end().code == 130
    assert not is_alive(int(loop.repo.read("pid")))


def test_what_was_stopped_can_be_resumed(loop):
    loop.prepare({"run": waits()} | says("one"), done())
    with loop.start() as running:
        running.wait_for("ready")
        running.send_and_hear()
        loop.repo.write("go", "")
        assert "ralph resume" in running.end().err
    assert loop.show()["status"] == "interrupted"
    assert loop.ralph("resume").code == 0
    assert [each["number"] for each in loop.show()["iterations"]] == [1, 2]


def test_the_attempt_that_a_second_signal_ended_stays_readable_and_is_made_again(loop):
    loop.prepare(says("first try") | hangs(), done())
    with loop.start() as running:
        running.wait_for_output("first try")
        running.send_and_hear()
        running.send()
        running.end()
    assert loop.ralph("resume").code == 0
    shown = [(each["number"], each["attempt"]) for each in loop.show()["iterations"]]
    assert shown == [(1, 1), (1, 2)]
    assert "first try" in loop.ralph("logs").out
