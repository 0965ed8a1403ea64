"""`ralph pause`, `ralph resume` and `ralph guide` beside a run that is under way: real processes on one database."""

import json
import os
import random
import signal
import time

import pytest

from loops import wait_until, waits
from ralph.store.journal import rows_of
from ralph.store.open import open_store
from ralph.testing import done
from task_crew import TaskCrew, promise

KILLS = 20
STILL = 1.0
"""Seconds in which a run that is not paused would begin something."""
WORD = "Mind the public API."
NOT_YET = {"final": "<response>NOT YET</response>"}


def at(repo, name):
    """The place of a file in the project, for agents that work elsewhere."""
    return repo.path / name


def held(repo, number, **step):
    """A step that says that it has begun, and ends when it is told to."""
    return {"run": waits(at(repo, f"ready{number}"), at(repo, f"go{number}")), **step}


def let(repo, number):
    at(repo, f"go{number}").touch()


def the_run(shell):
    """The id of the run that a person started."""
    [top] = [run for run in json.loads(shell.ralph("runs", "--all", "--json").out) if "." not in run["id"]]
    return top["id"]


def status(shell, run_id):
    return json.loads(shell.ralph("show", run_id, "--json").out)["status"]


def rows(repo, run_id):
    with open_store({"RALPH_HOME": str(repo.home / ".ralph")}) as store:
        return rows_of(store, run_id, verified=True)


def whats(repo, run_id, what):
    return [row.key for row in rows(repo, run_id) if row.what == what]


def told(repo, run_id, word):
    """The calls of the agent in whose prompt it stands. Attempts at one call have the same."""
    begun = [row for row in rows(repo, run_id) if row.what == "begun" and row.name.kind == "run-agent"]
    return sorted({row.key for row in begun if word in json.loads(row.body)["prompt"]})


@pytest.fixture
def crew(tmp_path):
    return TaskCrew(tmp_path)


@pytest.mark.e2e
def test_a_paused_run_begins_nothing_and_goes_on_in_its_own_process(loop):
    loop.prepare(held(loop.repo, 1, **NOT_YET), done())
    with loop.start() as running:
        running.wait_for("ready1")
        run = the_run(loop)
        paused = loop.ralph("pause")
        assert (paused.code, paused.err) == (0, "")
        assert paused.out == f"{run} pauses after its current action. Continue: ralph resume {run}\n"
        assert status(loop, run) == "running"
        let(loop.repo, 1)
        wait_until(lambda: status(loop, run) == "paused", "it was not paused")
        before = rows(loop.repo, run)
        assert before[-1].key == "run-agent/1"
        time.sleep(STILL)
        assert rows(loop.repo, run) == before
        assert "paused" in loop.ralph("status").out
        resumed = loop.ralph("resume")
        assert (resumed.code, resumed.err) == (0, "")
        assert resumed.out == f"{run} continues. Watch it: ralph logs -f {run}\n"
        ended = running.end()
    assert ended.code == 0
    assert len(loop.agent.starts) == 2
    # No second process has taken it.
    assert len(whats(loop.repo, run, "taken")) == 1


@pytest.mark.e2e
def test_a_paused_run_gets_the_limit_that_it_is_resumed_with(loop):
    loop.prepare(held(loop.repo, 1, **NOT_YET), NOT_YET, done(), maximumIterations=1)
    with loop.start() as running:
        running.wait_for("ready1")
        run = the_run(loop)
        loop.ralph("pause")
        let(loop.repo, 1)
        wait_until(lambda: status(loop, run) == "paused", "it was not paused")
        assert loop.ralph("resume", "-m", "1").code == 2
        assert loop.ralph("resume", "-m", "3").code == 0
        assert running.end().code == 0
    assert len(loop.agent.starts) == 3


@pytest.mark.e2e
def test_a_paused_run_can_be_cancelled_and_interrupted(loop):
    loop.prepare(held(loop.repo, 1, **NOT_YET), done())
    with loop.start() as running:
        running.wait_for("ready1")
        run = the_run(loop)
        loop.ralph("pause", run)
        let(loop.repo, 1)
        wait_until(lambda: status(loop, run) == "paused", "it was not paused")
        running.send(signal.SIGINT)
        assert running.end().code == 130
    assert len(loop.agent.starts) == 1
    # Whoever goes on with it takes back the pause, too.
    assert loop.ralph("resume").code == 0
    assert len(loop.agent.starts) == 2


@pytest.mark.e2e
def test_a_pause_of_a_task_holds_the_stage_that_works(crew):
    crew.task()
    work = promise("MADE", {"work.txt": "good\n"})
    crew.hire(coder=[held(crew.repo, 1, **work)], reviewer=[])
    with crew.start() as running:
        running.wait_for("ready1")
        task = the_run(crew)
        coder = f"{task}.coder"
        assert crew.ralph("pause", task).code == 0
        let(crew.repo, 1)
        wait_until(lambda: status(crew, coder) == "paused", "the stage was not paused")
        before = rows(crew.repo, coder), rows(crew.repo, task)
        time.sleep(STILL)
        assert (rows(crew.repo, coder), rows(crew.repo, task)) == before
        assert before[0][-1].key == "run-agent/1"
        assert crew.ralph("resume", task).code == 0
        assert running.end().code == 0
    for run in (task, coder, f"{task}.reviewer"):
        assert len(whats(crew.repo, run, "taken")) == 1
    assert crew.on_branch("work.txt") == "good\n"


def test_guidance_stands_in_the_next_prompt_and_in_no_later_one(loop):
    loop.prepare(held(loop.repo, 1, **NOT_YET), NOT_YET, NOT_YET, done())
    with loop.start() as running:
        running.wait_for("ready1")
        run = the_run(loop)
        said = loop.ralph("guide", WORD)
        assert (said.code, said.out, said.err) == (0, f"{run} gets it in its next prompt.\n", "")
        let(loop.repo, 1)
        ended = running.end()
    assert ended.code == 0
    assert [WORD in prompt for prompt in ended.prompts] == [False, True, False, False]
    assert f"guided: {WORD}" in ended.out + ended.err
    assert WORD in loop.ralph("show", run).out + loop.ralph("logs", run).out


@pytest.mark.e2e
def test_guidance_stands_in_the_next_prompt_of_each_part_of_a_task(crew):
    crew.task()
    work = promise("MADE", {"work.txt": "good\n"})
    crew.hire(coder=[held(crew.repo, 1), work], reviewer=[{"final": "No promise yet."}, promise("REVIEWED")])
    with crew.start() as running:
        running.wait_for("ready1")
        task = the_run(crew)
        assert crew.ralph("guide", task[:6], WORD).code == 0
        let(crew.repo, 1)
        assert running.end().code == 0
    assert [WORD in prompt for prompt in crew.prompts("coder")] == [False, True]
    assert [WORD in prompt for prompt in crew.prompts("reviewer")] == [True, False]


@pytest.mark.e2e
def test_guidance_for_a_part_is_for_that_part_alone(crew):
    crew.task()
    work = promise("MADE", {"work.txt": "good\n"})
    crew.hire(coder=[held(crew.repo, 1), work], reviewer=[])
    with crew.start() as running:
        running.wait_for("ready1")
        assert crew.ralph("guide", f"{the_run(crew)}.coder", WORD).code == 0
        let(crew.repo, 1)
        assert running.end().code == 0
    assert [WORD in prompt for prompt in crew.prompts("coder")] == [False, True]
    assert [WORD in prompt for prompt in crew.prompts("reviewer")] == [False]


@pytest.mark.e2e
def test_guidance_survives_a_kill_of_the_agent_that_was_told(loop):
    loop.prepare(held(loop.repo, 1, **NOT_YET), held(loop.repo, 2, **NOT_YET), NOT_YET, done())
    with loop.start() as running:
        running.wait_for("ready1")
        run = the_run(loop)
        loop.ralph("guide", WORD)
        let(loop.repo, 1)
        running.wait_for("ready2")
        os.kill(running.pid, signal.SIGKILL)
    let(loop.repo, 2)
    ended = loop.ralph("resume")
    assert ended.code == 0
    assert told(loop.repo, run, WORD) == ["run-agent/2"]
    # Once to the agent that was killed, and once to the one that did its work again.
    assert [WORD in prompt for prompt in ended.prompts] == [False, True, True, False]


@pytest.mark.parametrize("command", [("pause",), ("guide", WORD)])
def test_where_nothing_runs_there_is_nobody_to_tell(loop, command):
    ended = loop.ralph(*command)
    assert ended.code == 2
    assert "nothing runs in this project. See what ran: ralph runs" in ended.err


@pytest.mark.parametrize("command", ["pause", "guide"])
def test_a_run_that_has_ended_is_told_nothing(loop, command):
    loop(done())
    run = the_run(loop)
    ended = loop.ralph(command, run, *([WORD] if command == "guide" else []))
    assert ended.code == 2
    assert f"run {run} is not active: verified. Start it again: ralph retry {run}" in ended.err
    assert loop.ralph("retry", run).code == 0


def test_guidance_without_a_word_is_refused(loop):
    ended = loop.ralph("guide", "  ")
    assert ended.code == 2
    assert "the guidance is empty" in ended.err


def test_a_text_without_quotes_is_not_taken_for_a_run(loop):
    ended = loop.ralph("guide", "Mind", "the", "API.")
    assert ended.code == 2
    assert "Put the text in quotes" in ended.err


@pytest.mark.e2e
def test_guidance_arrives_once_in_each_part_whatever_is_killed(crew):
    chance = random.Random(20)  # noqa: S311 - to be repeated, not to be secret
    flag = at(crew.repo, "enough")
    criteria = {"promise": "MADE", "verification_config": {"command": f"test -e {flag}"}, "max_iterations": 900}
    crew.task(coder=criteria)
    work = {"run": "sleep 0.1", **promise("MADE", {"work.txt": "good\n"})}
    # The same work again and again is what this agent does.
    crew.hire({"stall": {"after": 1000}}, coder=[work], reviewer=[])
    words = [f"Word {number} of a person." for number in range(KILLS)]
    args = ("task", "run", "T-1")
    for word in words:
        starts = len(crew.agents["coder"].starts)
        with crew.start(*args) as running:
            wait_until(lambda n=starts: len(crew.agents["coder"].starts) > n, "the agent was not started")
            task = the_run(crew)
            said = crew.ralph("guide", task, word)
            assert said.code == 0, said.err
            time.sleep(chance.uniform(0, 0.5))
            os.kill(running.pid, signal.SIGKILL)
        args = ("resume", task)
    with crew.start("resume", task) as running:
        # An iteration that was killed is done again with the words that it had.
        wait_until(lambda: told(crew.repo, f"{task}.coder", words[-1]), "the last word did not arrive")
        flag.touch()
        ended = running.end()
    assert ended.code == 0, ended.err
    for word in words:
        assert len(told(crew.repo, f"{task}.coder", word)) == 1
    assert {tuple(told(crew.repo, f"{task}.reviewer", word)) for word in words} == {("run-agent/1",)}
