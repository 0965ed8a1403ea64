"""A run that is killed again and again, at any moment, and resumed each time, ends as if nothing had happened."""

import json
import os
import random
import subprocess
import time
from collections import Counter

import pytest

from loops import PATIENCE, is_alive, wait_until
from ralph.testing.program import ralph_program

KILLS = 50
LAST = 60
"""The iteration in which the agent is done: more than can be reached before the last kill."""
SLOWLY = 0.15
"""Seconds of an iteration, so that at most two of them fit between two kills, however fast the machine is."""
COST = 0.25
NOT_YET_AT_WORK = 0.2
"""Of so many runs the kill comes before the agent has been started."""
STARTING, WORKING = 0.6, 0.2
"""Seconds within which the kill comes, after the start of ralph and after the start of the agent."""


class Killer:
    """Starts ralph, waits for a moment of chance, kills it."""

    def __init__(self, loop, seed):
        self._loop = loop
        self._chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret

    def kill(self, *args):
        """Whether it still ran at that moment."""
        starts = len(self._loop.agent.starts)
        process = subprocess.Popen(
            [ralph_program(), *args],
            cwd=self._loop.repo.path,
            env=self._loop.repo.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            if self._chance.random() < NOT_YET_AT_WORK:
                time.sleep(self._chance.uniform(0, STARTING))
            else:
                self._wait_for_work(process, starts)
                time.sleep(self._chance.uniform(0, WORKING))
            return process.poll() is None
        finally:
            process.kill()
            process.wait()

    def _wait_for_work(self, process, starts):
        until = time.monotonic() + PATIENCE
        while len(self._loop.agent.starts) == starts and process.poll() is None:
            assert time.monotonic() < until, "the agent was not started"
            time.sleep(0.002)


def finish(loop, run_id):
    ended = loop.ralph("resume", "--quiet", *run_id)
    assert (ended.code, ended.err) == (0, "")


@pytest.fixture
def seed():
    chosen = int(os.environ.get("RALPH_CHAOS_SEED") or random.SystemRandom().randrange(10**9))
    print(f"To repeat it: RALPH_CHAOS_SEED={chosen}")  # noqa: T201 - shown if the test fails
    return chosen


@pytest.fixture
def killed(loop, seed):
    """The run after all its kills and its end, as `ralph show --json` tells it."""
    loop.prepare(
        {"when": {"prompt_contains": f"Iteration {LAST} of"}, "final": "<response>DONE</response>", "cost": COST},
        {"append": {"work.txt": "one\n"}, "sleep": SLOWLY, "say": "working", "cost": COST},
        scripted={"advance": "end"},
        includeIterationCountInPrompt=True,
        maximumIterations=LAST + 10,
        guardrails=[{"command": "test -s work.txt", "failAction": "APPEND"}],
    )
    killer = Killer(loop, seed)
    run_id = []
    for kill in range(KILLS):
        begin = ("resume", "--quiet", *run_id) if run_id else ("run", "--quiet", "-p", "Do the work.")
        assert killer.kill(*begin), f"it had ended before kill {kill + 1}"
        run_id = run_id or [run["id"] for run in json.loads(loop.ralph("runs", "--json").out)]
    finish(loop, run_id)
    return loop.show(*run_id)


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_a_run_killed_at_fifty_random_moments_ends_as_if_nothing_had_happened(loop, killed):
    calls = [action for each in killed["iterations"] for action in each["actions"] if action["kind"] == "run-agent"]
    assert len(calls) > LAST  # there were killed attempts, or this is a test of nothing
    it_ended_where_it_would_have_ended_anyway(killed, calls)
    every_iteration_is_there_with_each_of_its_attempts(killed["iterations"])
    no_start_of_the_agent_is_missing(loop.agent.starts, calls)
    what_each_start_was_asked_and_said_can_be_read(loop, killed["id"], calls)
    assert LAST - 1 <= loop.repo.read("work.txt").count("one\n") <= len(loop.agent.starts)
    wait_until(lambda: not any(is_alive(start.pid) for start in loop.agent.starts), "an agent lives on")


def it_ended_where_it_would_have_ended_anyway(run, calls):
    assert (run["status"], run["verdict"]) == ("ended", "verified")
    assert run["reason"] == f"proven done after {LAST} iterations"
    assert run["costUsd"] == COST * LAST
    assert len([call for call in calls if call["result"]]) == LAST


def every_iteration_is_there_with_each_of_its_attempts(iterations):
    attempts = Counter(each["number"] for each in iterations)
    assert list(attempts) == list(range(1, LAST + 1))
    numbers = [(each["number"], each["attempt"]) for each in iterations]
    assert numbers == [(number, again) for number, count in attempts.items() for again in range(1, count + 1)]
    for each in iterations:
        came_to_an_end = any(action["kind"] == "run-agent" and action["result"] for action in each["actions"])
        assert came_to_an_end == (each["attempt"] == attempts[each["number"]])


def no_start_of_the_agent_is_missing(starts, calls):
    # A kill between the journal's line and the start leaves an attempt without a start, never the other way round.
    assert LAST <= len(starts) <= len(calls)
    assert len({start.env["RALPH_ATTEMPT_ID"] for start in starts}) == len(starts)


def what_each_start_was_asked_and_said_can_be_read(loop, run_id, calls):
    assert not Counter(loop.agent.prompts) - Counter(call["action"]["prompt"] for call in calls)
    said = [call["result"]["final"] for call in calls if call["result"]]
    assert said == ["working"] * (LAST - 1) + ["<response>DONE</response>"]
    streams = list((loop.repo.path / ".ralph/runs" / run_id).glob("iteration-*/stream.ndjson"))
    for stream in streams:
        for line in stream.read_bytes().splitlines(keepends=True):
            assert not line.endswith(b"\n") or json.loads(line)
    shown = loop.ralph("logs", run_id)
    assert (shown.code, shown.err, shown.out.count("── iteration ")) == (0, "", len(streams))
