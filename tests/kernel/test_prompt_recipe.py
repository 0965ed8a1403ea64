from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playing import (
    CLAIMED,
    FINAL,
    GO_ON,
    UNCLAIMED,
    WORKED,
    crashed,
    failed,
    fed_back,
    given_up,
    kinds,
    passed,
    play,
    prompts,
    tried,
)
from ralph.kernel.actions.agent import (
    CommitMessage,
    FeedBack,
    Prompt,
    ReadCommitMessage,
    ReadPrompt,
    ReadResponse,
    RunAgent,
    Said,
)
from ralph.kernel.actions.checks import Answer, AskModel, RecordEvidence
from ralph.kernel.actions.commands import NoteUserChanges, RunCommand, RunScmTask, StageChanges, Staged, UserChanges
from ralph.kernel.actions.proof import Excused, ExcuseFailure, Snapshot, TakeSnapshot, TryCheck, WriteProof
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.prompt_options import Guardrail, PromptRun, ScmTasks
from ralph.kernel.recipes.prompt import COMMIT_PROMPT, prompt_loop
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.model.projects import Located
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, Verified

GIT = ScmTasks("git", ("commit", "push"))


def loop(limit=5, **options):
    return prompt_loop(PromptRun(limit=limit, completion="DONE", prompt="base", **options))


def test_a_claim_without_guardrails_is_verified_in_the_first_iteration():
    actions, verdict = play(loop())
    assert actions[:2] == [RunAgent(1, "base"), ReadResponse(1, Said(FINAL, "base"), "DONE")]
    assert verdict == Verified(1)


def test_it_goes_on_until_the_claim():
    actions, verdict = play(loop(), {ReadResponse: [UNCLAIMED, UNCLAIMED, CLAIMED]})
    assert prompts(actions) == ["base"] * 3
    assert verdict == Verified(3)


def test_a_claim_on_the_last_iteration_counts():
    assert play(loop(limit=2), {ReadResponse: [UNCLAIMED, CLAIMED]})[1] == Verified(2)


def test_the_limit_ends_it_and_says_what_was_missing():
    actions, verdict = play(loop(limit=2), {ReadResponse: UNCLAIMED})
    assert verdict == MaxIterations(2, UNCLAIMED.reason)
    assert given_up(actions) == [verdict.reason]


def test_a_file_is_read_before_each_iteration():
    actions, _ = play(
        loop(file=Located("p.md")), {ReadPrompt: [Prompt("one"), Prompt("two")], ReadResponse: [UNCLAIMED, CLAIMED]}
    )
    assert kinds(actions) == [ReadPrompt, RunAgent, ReadResponse] * 2
    assert prompts(actions) == ["one", "two"]


def test_all_guardrails_run_in_order_even_after_one_failed():
    rails = (Guardrail("make lint"), Guardrail("make test"))
    actions, _ = play(loop(limit=1, guardrails=rails), {RunCommand: [failed("make lint"), passed("make test")]})
    assert actions[1:3] == [RunCommand(1, "make lint", "make_lint"), RunCommand(1, "make test", "make_test")]


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
    assert kinds(actions) == [RunAgent, FeedBack, RunAgent, RunCommand, ReadResponse]
    assert prompts(actions)[1] == (
        "base\n\nThe previous iteration failed: it exited with code 1. Its changes to the files were kept."
        "\nThe end of its output:\nTraceback"
    )
    assert verdict == Verified(2, "checked")


def test_what_the_next_iteration_is_told_is_an_action_of_this_one():
    rails = (Guardrail("make lint"), Guardrail("make test", "PREPEND"))
    lint, test = failed("make lint", output="E501"), failed("make test", output="boom")
    actions, _ = play(loop(guardrails=rails), {RunCommand: [lint, test, passed(), passed()]})
    (told,) = fed_back(actions)
    assert told.index("E501") < told.index("boom")
    assert [action.iteration for action in actions if isinstance(action, FeedBack)] == [1]


@pytest.mark.parametrize("plain", [False, True])
def test_the_claim_is_read_in_the_final_message_without_what_it_repeats_of_the_prompt(plain):
    actions, _ = play(loop(), {RunAgent: replace(WORKED, plain=plain)})
    assert ReadResponse(1, Said(FINAL, "base"), "DONE") in actions


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
    assert "3 times in a row without standard output" in verdict.reason


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
        NoteUserChanges,
        RunAgent, RunCommand, StageChanges, AskModel, ReadCommitMessage, RunScmTask, RunScmTask, ReadResponse,
    ]  # fmt: skip
    assert actions[4] == AskModel(1, "commit-message", COMMIT_PROMPT)
    assert actions[6:8] == [
        RunScmTask(1, "git", "commit", "Do it", "commit", hooks={}),
        RunScmTask(1, "git", "push", slug="push", hooks={}),
    ]
    assert verdict == Verified(1, "checked")


def test_scm_tasks_do_not_run_while_a_guardrail_fails():
    actions, _ = play(loop(limit=2, scm=GIT, guardrails=(Guardrail("make test"),)), {RunCommand: failed()})
    assert kinds(actions) == [NoteUserChanges, *[RunAgent, RunCommand, FeedBack] * 2, GiveUp]


def test_what_the_user_had_before_the_run_decides_what_is_staged_and_which_hooks_run():
    before = UserChanges("head", "tree", ("a",), 1, {"pre-commit": "x"})
    results = {NoteUserChanges: before, StageChanges: Staged(pending=True, paths=("b",))}
    actions, _ = play(loop(scm=GIT), results)
    assert StageChanges(1, "git", "", "head", "tree") in actions
    assert RunScmTask(1, "git", "commit", "Do it", "commit", ("b",), {"pre-commit": "x"}) in actions
    assert RunScmTask(1, "git", "push", slug="push", hooks={"pre-commit": "x"}) in actions
    actions, _ = play(loop(scm=ScmTasks("git", ("push",), hooks=False)), results)
    assert RunScmTask(1, "git", "push", slug="push") in actions


def test_nothing_to_commit_asks_for_no_message_and_goes_on_with_the_next_task():
    actions, verdict = play(loop(scm=GIT), {StageChanges: Staged(pending=False)})
    assert kinds(actions) == [NoteUserChanges, RunAgent, StageChanges, RunScmTask, ReadResponse]
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
    actions, verdict = play(loop(scm=GIT), results)
    assert verdict == Failed(f"the work is done, but the SCM tasks failed: {why}")
    assert given_up(actions) == [verdict.reason]


def test_a_commit_message_that_the_agent_could_not_give_fails_the_tasks_not_the_iteration():
    actions, verdict = play(loop(scm=GIT), {AskModel: Answer(reason="it exited with code 1")})
    assert RunScmTask not in kinds(actions)
    assert verdict == Failed("the work is done, but the SCM tasks failed: no commit message: it exited with code 1")


def test_a_commit_message_in_plain_output_is_read_without_an_echo_of_the_question():
    actions, _ = play(loop(scm=GIT), {AskModel: Answer(text="Do it", plain=True)})
    assert ReadCommitMessage(1, Said("Do it", COMMIT_PROMPT)) in actions


def test_without_a_claim_a_failed_scm_task_does_not_end_the_loop():
    results = {RunScmTask: [failed("git commit"), passed(), passed()], ReadResponse: [UNCLAIMED, CLAIMED]}
    assert play(loop(scm=GIT), results)[1] == Verified(2)


def test_a_limit_that_is_raised_goes_on_where_it_was():
    granted = [Granted(go_on=True, iterations=4, seen=7), Granted(seen=7)]
    actions, verdict = play(loop(limit=2), {ReadResponse: UNCLAIMED, GiveUp: granted})
    assert verdict == MaxIterations(4, UNCLAIMED.reason)
    asked = [action for action in actions if isinstance(action, GiveUp)]
    assert [(action.iteration, action.limit, action.seen, action.again) for action in asked] == [
        (2, "iterations", 0, 0),
        (4, "iterations", 7, 1),
    ]
    assert [action.iteration for action in actions if isinstance(action, RunAgent)] == [1, 2, 3, 4]


def test_a_total_that_is_used_up_already_allows_no_more():
    granted = [Granted(go_on=True, iterations=2, seen=7), Granted(seen=7)]
    actions, verdict = play(loop(limit=2), {ReadResponse: UNCLAIMED, GiveUp: granted})
    assert len(prompts(actions)) == 2
    assert verdict == MaxIterations(2, UNCLAIMED.reason)


def test_a_total_that_was_granted_after_another_end_holds_too():
    granted = [Granted(go_on=True, iterations=5, seen=7), Granted(seen=7)]
    results = {RunAgent: [*[crashed(silent=True)] * 3, *[WORKED] * 4], ReadResponse: UNCLAIMED, GiveUp: granted}
    actions, verdict = play(loop(limit=4), results)
    assert verdict == MaxIterations(5, UNCLAIMED.reason)
    assert [action.limit for action in actions if isinstance(action, GiveUp)] == ["", "iterations"]


def test_the_raised_limit_stands_in_the_prompt():
    granted = [Granted(go_on=True, iterations=5)]
    results = {ReadResponse: [UNCLAIMED, CLAIMED], GiveUp: granted}
    actions, _ = play(loop(limit=1, count=True), results)
    assert [prompt.splitlines()[0] for prompt in prompts(actions)] == [
        "Iteration 1 of 1, 0 remaining.",
        "Iteration 2 of 5, 3 remaining.",
    ]


def test_an_agent_that_is_logged_in_again_makes_the_same_call_once_more():
    refused = AgentReport("failed", "not logged in", "d", problem=Problem("auth", "not logged in"))
    actions, verdict = play(loop(), {RunAgent: [refused, refused, WORKED], GiveUp: GO_ON})
    assert verdict == Verified(1)
    calls = [action for action in actions if isinstance(action, RunAgent)]
    assert [(call.iteration, call.prompt, call.again) for call in calls] == [(1, "base", n) for n in range(3)]


def test_scm_tasks_that_failed_on_the_last_iteration_are_tried_again_in_one_more():
    results = {RunScmTask: [failed("git push"), passed(), passed()], GiveUp: GO_ON}
    actions, verdict = play(loop(limit=1, scm=GIT), results)
    assert verdict == Verified(2)
    assert len(prompts(actions)) == 2


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
        assert (started, verdict) == (claimed, Verified(claimed, "checked"))
    else:
        assert (started, type(verdict)) == (limit, MaxIterations)


RELATIVE = Guardrail("make test", baseline="relative")
IN_GIT = {TakeSnapshot: Snapshot("tree")}


def fails_on(*trees):
    """The check fails in the user's tree, and on clean checkouts of these."""
    tries = {TryCheck: lambda action: tried(action, passed=action.tree not in trees)}
    return IN_GIT | tries | {RunCommand: failed("make test")}


def test_failures_that_were_there_before_do_not_hold_a_claim_back():
    excused = fails_on("tree") | {ExcuseFailure: Excused()}
    actions, verdict = play(loop(guardrails=(RELATIVE,), scm=GIT), excused)
    assert isinstance(verdict, Verified)
    assert kinds(actions)[:4] == [NoteUserChanges, RunAgent, RunCommand, ReadResponse]
    assert RunScmTask in kinds(actions)


def test_the_evidence_of_a_claim_names_the_message_that_claimed_it():
    actions, _ = play(loop(guardrails=(Guardrail("make test"),)), IN_GIT)
    [recorded] = [action for action in actions if isinstance(action, RecordEvidence)]
    assert recorded.evidence.claim == sha256(FINAL.encode()).hexdigest()


@pytest.mark.parametrize("proof", [True, False])
def test_a_guardrail_that_is_to_be_red_is_tried_before_the_agent_works(proof):
    actions, verdict = play(loop(guardrails=(Guardrail("make test", red=True, proof=proof),)), IN_GIT)
    before = kinds(actions)[: kinds(actions).index(RunAgent)]
    assert (TryCheck in before) == proof
    assert isinstance(verdict, Verified)


def test_new_failures_hold_a_claim_back_and_are_told():
    known = fails_on("tree") | {ExcuseFailure: Excused("exit code 1: t::test_new")}
    actions, verdict = play(loop(limit=1, guardrails=(RELATIVE,)), known)
    assert verdict == MaxIterations(1, "not proven: exit code 1: t::test_new")
    assert [excuse.commit.trial for excuse in actions if isinstance(excuse, ExcuseFailure)] == ["commit"]
    assert "t::test_new" in fed_back(actions)[0]


def test_what_fails_in_the_users_tree_alone_is_not_proven():
    actions, verdict = play(loop(limit=1, guardrails=(RELATIVE,)), fails_on())
    assert verdict == MaxIterations(
        1, "not proven: it fails in your tree, and passes on a clean checkout of the same files"
    )
    assert WriteProof not in kinds(actions)


def test_each_guardrail_is_judged_by_what_itself_did_in_the_users_tree():
    """One that passes there and on no clean checkout needs what git does not hold; one that fails there does not."""
    both = (Guardrail("make build"), RELATIVE)
    fails = {RunCommand: lambda action: passed("x") if action.command == "make build" else failed("x")}
    actions, verdict = play(loop(guardrails=both), fails_on("tree") | {ExcuseFailure: Excused()} | fails)
    assert isinstance(verdict, Verified)
    assert verdict.proof == "warned"
    assert [each.label for each in actions if isinstance(each, ExcuseFailure)] == ["make test"]


@pytest.mark.parametrize(
    ("guardrail", "more", "read"),
    [
        (RELATIVE, IN_GIT | {ReadResponse: UNCLAIMED}, True),
        (RELATIVE, {}, False),
        (replace(RELATIVE, proof=False), IN_GIT, False),
        (Guardrail("make test"), IN_GIT, False),
    ],
    ids=["no claim", "no git", "no trials", "strict"],
)
def test_otherwise_what_fails_in_place_is_fed_back(guardrail, more, read):
    actions, verdict = play(loop(limit=1, guardrails=(guardrail,), scm=GIT), more | {RunCommand: failed("make test")})
    assert isinstance(verdict, MaxIterations)
    assert (ReadResponse in kinds(actions)) is read
    assert RunScmTask not in kinds(actions)
    assert "make test" in fed_back(actions)[0]
