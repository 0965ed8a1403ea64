"""Stalled: the same files and the same failing checks in several iterations in a row, and nothing less."""

from msgspec.structs import replace

from playing import GO_ON, UNCLAIMED, WORKED, failed, passed, play, prompts
from ralph.kernel.actions.agent import ReadResponse, RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.proof import ReadTree, TreeSeen
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.prompt_options import Guardrail, PromptRun
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.kernel.stalling import fingerprint, stalling
from ralph.model.verdicts import MaxIterations, Stalled, exit_code

SAME = TreeSeen("tree")


def play_with(changed=None, after=3):
    rails = (Guardrail("make test", proof=False),)
    run = PromptRun(limit=8, completion="DONE", prompt="base <response>", guardrails=rails)
    given = {RunCommand: failed("make test", output="1 failed"), ReadTree: SAME, GiveUp: Granted(), **(changed or {})}
    return play(stalling(after, prompt_loop(run)), given)


def test_the_same_files_and_the_same_failure_in_a_row_end_the_run():
    actions, verdict = play_with()
    assert verdict == Stalled(3, ("make test",))
    assert exit_code(verdict) == 5
    assert len(prompts(actions)) == 3
    assert verdict.reason == (
        'no progress in 3 iterations in a row: the same files, and "make test" failed with the same output'
    )


def test_files_that_change_are_progress():
    trees = [TreeSeen(str(number // 2)) for number in range(8)]
    assert isinstance(play_with({ReadTree: trees})[1], MaxIterations)


def test_another_failure_is_progress():
    says = [failed("make test", output=f"{'abcd'[number // 2]} is broken") for number in range(8)]
    assert isinstance(play_with({RunCommand: says})[1], MaxIterations)


def test_times_paths_and_numbers_that_change_are_no_progress():
    outputs = [
        "FAILED /tmp/pytest-1/x.py:3 in 0.31s at 10:31:07, 4 failed (pid 4711, object at 0x7f00aa)",
        "FAILED /tmp/pytest-22/y.py:14 in 12.9s at 11:02:59, 5 failed (pid 99, object at 0x7f11bc)",
        "FAILED /var/run/z.py:1 in 3s at 23:59:59, 6 failed (pid 1, object at 0x1)",
    ]
    _, verdict = play_with({RunCommand: [failed("make test", output=text) for text in outputs]})
    assert verdict == Stalled(3, ("make test",))


def test_other_words_are_not_the_same_failure():
    one, other = failed("t", output="expected 3 apples"), failed("t", output="expected 3 pears")
    assert fingerprint(one) != fingerprint(other)


def test_without_a_failing_check_the_limit_decides():
    actions, verdict = play_with({RunCommand: passed("make test"), ReadResponse: UNCLAIMED})
    assert isinstance(verdict, MaxIterations)
    assert not [action for action in actions if isinstance(action, ReadTree)], "nothing is looked at either"


def test_without_a_known_tree_the_limit_decides():
    assert isinstance(play_with({ReadTree: TreeSeen()})[1], MaxIterations)


def test_an_iteration_whose_agent_failed_begins_the_count_anew():
    crashed = replace(WORKED, status="failed", reason="it exited with code 1", final="")
    says = [WORKED, WORKED, crashed, WORKED, WORKED, crashed, WORKED, WORKED]
    assert isinstance(play_with({RunAgent: says})[1], MaxIterations)


def test_a_person_may_say_that_it_goes_on():
    actions, verdict = play_with({GiveUp: [GO_ON, Granted()]})
    assert verdict == Stalled(3, ("make test",))
    assert len(prompts(actions)) == 6


def test_it_can_be_switched_off():
    assert isinstance(play_with(after=None)[1], MaxIterations)
