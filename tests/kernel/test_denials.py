"""A denied permission: told to the agent, never done by the agent's word alone, and not for ever."""

import pytest
from msgspec.structs import replace

from playing import CLAIMED, GO_ON, WORKED, failed, fed_back, given_up, passed, play, prompts
from ralph.kernel.actions.agent import Claim, ReadClaim, ReadResponse, RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.tasks import Saved, SaveWork, Worktree
from ralph.kernel.actions.waiting import GiveUp
from ralph.kernel.prompt_options import Guardrail, PromptRun
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.kernel.recipes.stage import StageRun, stage_loop
from ralph.kernel.stage_text import Stage, TaskText
from ralph.model.events import Problem
from ralph.model.verdicts import AgentFailed, MaxIterations, Verified
from ralph.model.verification import Semantic, StringMatch


def denied(command="git push", flag="--yolo"):
    message = f"it was denied a permission: Bash({command})"
    return replace(WORKED, problem=Problem("permission", message, allowed_by=flag))


DENIED = denied().denial
GUARDRAIL = Guardrail("make test", proof=False)


def loop(*guardrails, limit=9):
    return prompt_loop(PromptRun(limit, "DONE", "base", guardrails=guardrails))


def stage(check, limit=9):
    worktree = Worktree("w", "w", "b", "c0ffee", "ralph/s")
    return stage_loop(StageRun("s", TaskText("T-1", "Make it"), Stage("coder", "MADE", check, limit), worktree))


PROMISED = {ReadClaim: Claim("MADE"), SaveWork: Saved("deed", "tree", changed=True)}


def test_without_a_guardrail_it_is_never_done():
    actions, verdict = play(loop(limit=1), {RunAgent: denied(), ReadResponse: CLAIMED})
    assert verdict == MaxIterations(1, f"{DENIED}, and no guardrail shows that the work is done anyway")
    assert DENIED in fed_back(actions)[0]


def test_with_a_guardrail_that_passes_it_is_done():
    _, verdict = play(loop(GUARDRAIL), {RunAgent: denied(), RunCommand: passed()})
    assert isinstance(verdict, Verified)


def test_the_guardrails_run_and_the_agent_is_told_both():
    actions, _ = play(loop(GUARDRAIL), {RunAgent: [denied(), WORKED], RunCommand: [failed(output="red"), passed()]})
    [told] = fed_back(actions)
    assert DENIED in told
    assert "red" in told
    assert told in prompts(actions)[1]


def test_it_is_told_once():
    actions, _ = play(
        loop(), {RunAgent: [denied(), WORKED, WORKED], ReadResponse: [replace(CLAIMED, passed=False)] * 2 + [CLAIMED]}
    )
    assert [DENIED in prompt for prompt in prompts(actions)] == [False, True, False]


def test_three_times_the_same_ends_it_and_names_the_flag():
    actions, verdict = play(loop(), {RunAgent: denied()})
    assert verdict == AgentFailed(f"in 3 iterations in a row {DENIED}. Allow it (agent.flags: --yolo), then run again")
    assert len(prompts(actions)) == 3
    assert given_up(actions) == [verdict.reason]


def test_an_agent_without_such_a_flag_is_told_of_none():
    _, verdict = play(loop(), {RunAgent: denied(flag="")})
    assert verdict.reason.endswith("Allow it, then: ralph resume")


@pytest.mark.parametrize("between", [WORKED, denied("make install")])
def test_another_end_between_them_begins_the_count_again(between):
    reports = [denied(), denied(), between, denied(), denied(), WORKED]
    claims = [replace(CLAIMED, passed=False)] * 5 + [CLAIMED]
    _, verdict = play(loop(), {RunAgent: reports, ReadResponse: claims})
    assert isinstance(verdict, Verified)


def test_whoever_goes_on_gets_three_more():
    actions, verdict = play(loop(), {RunAgent: denied(), GiveUp: [GO_ON, *[replace(GO_ON, go_on=False)] * 9]})
    assert isinstance(verdict, AgentFailed)
    assert len(prompts(actions)) == 6


def test_the_third_time_counts_if_the_guardrails_pass():
    results = {RunAgent: denied(), RunCommand: [failed(), failed(), passed()]}
    assert isinstance(play(loop(GUARDRAIL), results)[1], Verified)


def test_a_stage_that_only_promises_is_not_done():
    actions, verdict = play(stage(StringMatch(), limit=1), {RunAgent: denied(), **PROMISED})
    assert isinstance(verdict, MaxIterations)
    assert DENIED in verdict.last
    assert DENIED in fed_back(actions)[0]


def test_a_stage_whose_work_is_judged_may_be_done():
    _, verdict = play(stage(Semantic(("A",))), {RunAgent: denied(), **PROMISED})
    assert (verdict.kind, verdict.proof) == ("verified", "judged")


def test_a_stage_ends_after_three_denials_too():
    _, verdict = play(stage(StringMatch()), {RunAgent: denied(), **PROMISED})
    assert isinstance(verdict, AgentFailed)
