import pytest
from hypothesis import given
from hypothesis import strategies as st

from playing import CLAIMED, UNCLAIMED, WORKED, crashed, failed, kinds, passed, play, prompts
from ralph.kernel.actions import (
    CommitMessage,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    RunCommand,
    RunScmTask,
    StageChanges,
    Staged,
)
from ralph.kernel.recipes.prompt import COMMIT_PROMPT, Guardrail, PromptRun, Scm, prompt_loop
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, Verified

GIT = Scm("git", ("commit", "push"))


def loop(limit=5, **options):
    return prompt_loop(PromptRun(limit=limit, completion="DONE", prompt="base", **options))


def test_a_claim_without_guardrails_is_verified_in_the_first_iteration():
    actions, verdict = play(loop())
    assert actions == [RunAgent(1, "base"), ReadResponse(1, ".ralph/runs/r/iteration-1", "DONE")]
    assert verdict == Verified(1)


def test_it_goes_on_until_the_claim():
    actions, verdict = play(loop(), {ReadResponse: [UNCLAIMED, UNCLAIMED, CLAIMED]})
    assert prompts(actions) == ["base"] * 3
    assert verdict == Verified(3)


def test_a_claim_on_the_last_iteration_counts():
    assert play(loop(limit=2), {ReadResponse: [UNCLAIMED, CLAIMED]})[1] == Verified(2)


def test_the_limit_ends_it_and_says_what_was_missing():
    _, verdict = play(loop(limit=2), {ReadResponse: UNCLAIMED})
    assert verdict == MaxIterations(2, UNCLAIMED.reason)


def test_a_file_is_read_before_each_iteration():
    actions, _ = play(loop(file="p.md"), {ReadPrompt: ["one", "two"], ReadResponse: [UNCLAIMED, CLAIMED]})
    assert kinds(actions) == [ReadPrompt, RunAgent, ReadResponse] * 2
    assert prompts(actions) == ["one", "two"]


def test_all_guardrails_run_in_order_even_after_one_failed():
    rails = (Guardrail("make lint"), Guardrail("make test"))
    actions, _ = play(loop(limit=1, guardrails=rails), {RunCommand: [failed("make lint"), passed("make test")]})
    assert actions[1:] == [RunCommand(1, "make lint", "make_lint"), RunCommand(1, "make test", "make_test")]


def test_no_claim_is_read_while_a_guardrail_fails():
    actions, verdict = play(loop(limit=3, guardrails=(Guardrail("make test"),)), {RunCommand: failed()})
    assert ReadResponse not in kinds(actions)
    assert verdict == MaxIterations(3, 'guardrail "make test" failed: exit code 1')


def test_feedback_of_a_guardrail_lives_for_one_iteration():
    actions, _ = play(
        loop(guardrails=(Guardrail("make test"),)),
        {RunCommand: [failed(output="boom"), passed(), passed()], ReadResponse: [UNCLAIMED, CLAIMED]},
    )
    first, second, third = prompts(actions)
    assert first == third == "base"
    assert second.startswith("base\n\n")
    assert second.endswith("boom")


def test_several_failures_combine_in_their_places():
    rails = (Guardrail("a", "APPEND"), Guardrail("b", "PREPEND"), Guardrail("c", "REPLACE"), Guardrail("d", "APPEND"))
    outputs = [failed(name, output=f"out-{name}") for name in "abcd"]
    actions, _ = play(loop(guardrails=rails), {RunCommand: [*outputs, *map(passed, "abcd")]})
    prompt = prompts(actions)[1]
    assert "base" not in prompt
    assert [prompt.index(f"out-{name}") for name in "bcad"] == sorted(prompt.index(f"out-{name}") for name in "bcad")


def test_a_failed_agent_is_fed_back_and_its_guardrails_do_not_run():
    actions, verdict = play(loop(guardrails=(Guardrail("make test"),)), {RunAgent: [crashed(tail="Traceback"), WORKED]})
    assert kinds(actions) == [RunAgent, RunAgent, RunCommand, ReadResponse]
    assert prompts(actions)[1] == (
        "base\n\nThe previous iteration failed: it exited with code 1. Its changes to the files were kept."
        "\nThe end of its output:\nTraceback"
    )
    assert verdict == Verified(2)


def test_a_crash_does_not_lose_what_the_guardrails_said_before():
    actions, _ = play(
        loop(guardrails=(Guardrail("make test"),)),
        {RunAgent: [WORKED, crashed(), WORKED], RunCommand: [failed(output="boom"), passed()]},
    )
    third = prompts(actions)[2]
    assert "boom" in third
    assert third.endswith("Its changes to the files were kept.")


def test_three_silent_failures_in_a_row_end_it():
    _, verdict = play(loop(), {RunAgent: [crashed(silent=True)] * 3})
    assert isinstance(verdict, AgentFailed)
    assert "3 times in a row without any output" in verdict.reason


@pytest.mark.parametrize("between", [WORKED, crashed(silent=False)])
def test_anything_that_speaks_between_silent_failures_starts_the_count_again(between):
    silent = crashed(silent=True)
    reports = [silent, silent, between, silent, silent]
    _, verdict = play(loop(limit=5), {RunAgent: reports, ReadResponse: UNCLAIMED})
    assert isinstance(verdict, MaxIterations)


def test_failures_with_output_use_up_the_iterations():
    _, verdict = play(loop(limit=4), {RunAgent: crashed()})
    assert verdict == MaxIterations(4, "it exited with code 1")


def test_scm_tasks_come_after_the_guardrails_and_before_the_claim_is_read():
    actions, verdict = play(loop(scm=GIT, guardrails=(Guardrail("make test"),)))
    assert kinds(actions) == [
        RunAgent, RunCommand, StageChanges, RunAgent, ReadCommitMessage, RunScmTask, RunScmTask, ReadResponse,
    ]  # fmt: skip
    assert actions[3] == RunAgent(1, COMMIT_PROMPT, purpose="commit-message")
    assert actions[5:7] == [RunScmTask(1, "git", "commit", "Do it"), RunScmTask(1, "git", "push")]
    assert verdict == Verified(1)


def test_scm_tasks_do_not_run_while_a_guardrail_fails():
    actions, _ = play(loop(limit=2, scm=GIT, guardrails=(Guardrail("make test"),)), {RunCommand: failed()})
    assert kinds(actions) == [RunAgent, RunCommand] * 2


def test_nothing_to_commit_asks_for_no_message_and_goes_on_with_the_next_task():
    actions, verdict = play(loop(scm=GIT), {StageChanges: Staged(pending=False)})
    assert kinds(actions) == [RunAgent, StageChanges, RunScmTask, ReadResponse]
    assert verdict == Verified(1)


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ({StageChanges: Staged(pending=False, problem="git add: no space")}, "git add: no space"),
        ({ReadCommitMessage: CommitMessage("", problem="no message")}, "no message"),
        ({RunScmTask: failed("git push", code=128)}, "git push: exit code 128"),
    ],
)
def test_a_claim_with_a_failed_scm_task_is_failed_and_names_it(results, why):
    _, verdict = play(loop(scm=GIT), results)
    assert verdict == Failed(f"the work is done, but the SCM tasks failed: {why}")


def test_a_commit_message_that_the_agent_could_not_give_fails_the_tasks_not_the_iteration():
    actions, verdict = play(loop(scm=GIT), {RunAgent: [WORKED, crashed(silent=True)]})
    assert RunScmTask not in kinds(actions)
    assert verdict == Failed("the work is done, but the SCM tasks failed: no commit message: it exited with code 1")


def test_without_a_claim_a_failed_scm_task_does_not_end_the_loop():
    results = {RunScmTask: [failed("git commit"), passed(), passed()], ReadResponse: [UNCLAIMED, CLAIMED]}
    assert play(loop(scm=GIT), results)[1] == Verified(2)


iteration_ends = st.sampled_from(["silent", "crashed", "guardrail", "unclaimed", "claimed"])


@given(st.integers(1, 6), st.lists(iteration_ends, min_size=6, max_size=6))
def test_the_verdict_follows_from_how_the_iterations_end(limit, ends):
    agent = {"silent": crashed(silent=True), "crashed": crashed()}
    working = [end for end in ends if end not in agent]
    results = {
        RunAgent: [agent.get(end, WORKED) for end in ends],
        RunCommand: [failed() if end == "guardrail" else passed() for end in working],
        ReadResponse: [CLAIMED if end == "claimed" else UNCLAIMED for end in working if end != "guardrail"],
    }
    actions, verdict = play(loop(limit=limit, guardrails=(Guardrail("make test"),)), results)
    started, ends = len(prompts(actions)), ends[:limit]
    claimed = ends.index("claimed") + 1 if "claimed" in ends else None
    silent = next((i for i in range(3, limit + 1) if ends[i - 3 : i] == ["silent"] * 3), None)
    if silent and (claimed is None or silent < claimed):
        assert (started, type(verdict)) == (silent, AgentFailed)
    elif claimed:
        assert (started, verdict) == (claimed, Verified(claimed))
    else:
        assert (started, type(verdict)) == (limit, MaxIterations)
