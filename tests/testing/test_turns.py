"""Which step is played: in turn, under concurrent and killed starts, after the last one, out of turn."""

import json
import subprocess
from itertools import pairwise

import pytest

from ralph.testing import answers, done, says

# Bounded, so that a test that fails leaves nothing behind for long.
UNTIL_GO = "n=0; while [ ! -e go ] && [ $n -lt 6000 ]; do sleep 0.01; n=$((n + 1)); done"


def start(agent, work, prompt=""):
    return subprocess.run(
        [agent.command], cwd=work, input=prompt.encode(), capture_output=True, timeout=60, check=False
    )


def started(agent, work):
    return subprocess.Popen([agent.command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def final(done_):
    return json.loads(done_.stdout.splitlines()[-1])["result"]


def numbered(count):
    return [says(str(number)) for number in range(1, count + 1)]


def test_each_start_plays_the_next_step(scripted, work):
    agent = scripted(*numbered(3))
    assert [final(start(agent, work)) for _ in range(3)] == ["1", "2", "3"]


def test_after_the_last_step_it_is_repeated(scripted, work):
    agent = scripted(*numbered(2))
    assert [final(start(agent, work)) for _ in range(4)] == ["1", "2", "2", "2"]


def test_after_the_last_step_an_error_can_be_asked_for(scripted, work):
    agent = scripted(*numbered(1), after="error")
    start(agent, work)
    late = start(agent, work)
    assert (late.returncode, late.stdout) == (96, b"")
    assert b"no step is left to play" in late.stderr
    assert [seen.step for seen in agent.starts] == [1, 0]


def test_concurrent_starts_play_each_step_once(scripted, work):
    agent = scripted(*numbered(24), after="error")
    processes = [started(agent, work) for _ in range(24)]
    said = [json.loads(process.communicate()[0].splitlines()[-1])["result"] for process in processes]
    assert sorted(said, key=int) == [str(number) for number in range(1, 25)]
    assert sorted(seen.step for seen in agent.starts) == list(range(1, 25))


@pytest.mark.parametrize(("advance", "then"), [("start", "2"), ("end", "1")])
def test_a_kill_in_the_middle(scripted, work, advance, then):
    waiting = {"do": [{"say": "working"}, {"run": UNTIL_GO}], "final": "1"}
    agent = scripted(waiting, says("2"), advance=advance)
    process = started(agent, work)
    assert process.stdout.readline()
    process.kill()
    process.wait()
    (work / "go").touch()
    process.communicate()
    assert final(start(agent, work)) == then
    assert final(start(agent, work)) == "2"


def test_advance_end_counts_a_step_that_crashes_as_its_script_says(scripted, work):
    agent = scripted({"kill": "SIGKILL"}, {"exit": 3}, says("third"), advance="end")
    assert [start(agent, work).returncode for _ in range(3)] == [-9, 3, 0]


def test_advance_end_takes_concurrent_players_of_a_step_as_one(scripted, work):
    waiting = {"do": [{"say": "ready"}, {"run": UNTIL_GO}]}
    agent = scripted(waiting, says("2"), says("3"), advance="end")
    processes = [started(agent, work) for _ in range(3)]
    for process in processes:
        assert process.stdout.readline()
    (work / "go").touch()
    for process in processes:
        process.communicate()
    assert final(start(agent, work)) == "2"


def test_kills_at_any_moment_of_a_start_lose_and_repeat_nothing(scripted, work):
    agent = scripted(*numbered(60), after="error")
    for number in range(40):
        process = started(agent, work)
        try:
            process.wait(number * 0.001)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
    start(agent, work)
    steps = [seen.step for seen in agent.starts]
    assert steps[0] == 1
    assert all(0 <= after - before <= 1 for before, after in pairwise(steps))
    counter = agent.script.with_name(f"{agent.script.name}.state")
    assert int(counter.read_text()) == steps[-1]


def test_a_start_that_was_killed_while_it_was_recorded_spoils_no_other_record(scripted, work):
    agent = scripted(*numbered(2))
    start(agent, work, "one")
    with agent.script.with_name(f"{agent.script.name}.log").open("a") as log:
        log.write('{"step": 2, "prompt": "half a rec')
    start(agent, work, "two")
    assert agent.prompts == ["one", "two"]


def test_a_step_with_when_answers_its_prompt_out_of_turn(scripted, work):
    agent = scripted(says("1"), answers("commit message", "Add it"), done())
    prompts = ["work", "write a commit message", "work", "write a commit message"]
    assert [final(start(agent, work, prompt)) for prompt in prompts] == [
        "1",
        "Add it",
        "<response>DONE</response>",
        "Add it",
    ]
    assert [seen.step for seen in agent.starts] == [1, 2, 3, 2]


def test_with_no_step_in_turn_another_prompt_finds_none(scripted, work):
    agent = scripted(answers("commit message", "Add it"))
    assert start(agent, work, "work").returncode == 96


def test_every_start_is_recorded(scripted, work):
    agent = scripted(says("x"))
    subprocess.run(
        [agent.command, "-p", "--model", "opus"],
        cwd=work,
        input="ä prompt".encode(),
        env={"RALPH_RUN_ID": "r1", "OTHER": "no"},
        capture_output=True,
        check=True,
    )
    (seen,) = agent.starts
    assert (seen.step, seen.prompt, seen.argv) == (1, "ä prompt", ["-p", "--model", "opus"])
    assert (seen.cwd, seen.env) == (str(work), {"RALPH_RUN_ID": "r1"})
    assert seen.pid > 0


@pytest.mark.parametrize("question", [["--version"], ["exec", "--help"]])
def test_a_question_about_itself_takes_no_turn(scripted, work, question):
    agent = scripted(*numbered(2))
    asked = subprocess.run([agent.command, *question], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert asked.stdout == b"0.0.0 (scripted claude)\n"
    assert agent.starts == []
    assert final(start(agent, work)) == "1"
