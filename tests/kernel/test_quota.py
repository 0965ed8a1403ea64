"""A used-up quota is waiting, not failing."""

import pytest
from msgspec.structs import replace

from playing import SAID, UNCLAIMED, WORKED, judgement, kinds, play
from ralph.kernel.actions.agent import ReadResponse, RunAgent
from ralph.kernel.actions.checks import Answer, AskModel, Material, ReadChange, RecordEvidence, Rules
from ralph.kernel.actions.proof import TryCheck
from ralph.kernel.actions.waiting import ReadSpent, SpentSoFar, Wait, Waited
from ralph.kernel.budget import Budget, within
from ralph.kernel.prompt_options import PromptRun
from ralph.kernel.quota import Quota, patient
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.kernel.verification import verified
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import BudgetSpent, Failed, MaxIterations, Verified
from ralph.model.verification import External, MultiStage, Part, Semantic

LIMITED = AgentReport("failed", "rate limit", "d", problem=Problem("quota", "rate limit"))
RUN = PromptRun(limit=2, completion="DONE", prompt="p")


def waits(actions):
    return [action for action in actions if isinstance(action, Wait)]


def calls(actions):
    return [(action.iteration, action.retry, action.agent) for action in actions if isinstance(action, RunAgent)]


def test_a_refused_call_is_repeated_under_its_own_number():
    results = {RunAgent: [LIMITED, WORKED, WORKED], Wait: Waited(60)}
    actions, verdict = play(patient(Quota(), prompt_loop(RUN)), results)
    assert verdict == Verified(1)
    assert calls(actions) == [(1, 0, ""), (1, 1, "")]


def test_waiting_does_not_use_up_iterations():
    results = {RunAgent: [LIMITED] * 5 + [WORKED] * 2, Wait: Waited(1), ReadResponse: UNCLAIMED}
    actions, verdict = play(patient(Quota(), prompt_loop(RUN)), results)
    assert verdict == MaxIterations(2, UNCLAIMED.reason)
    assert [call[0] for call in calls(actions)] == [1] * 6 + [2]


def test_the_wait_doubles_up_to_the_ceiling():
    results = {RunAgent: [LIMITED] * 5 + [WORKED], Wait: Waited(1)}
    actions, _ = play(patient(Quota(initial_wait=60, max_wait=300), prompt_loop(RUN)), results)
    assert [wait.seconds for wait in waits(actions)] == [60, 120, 240, 300, 300]


def test_the_backoff_begins_anew_after_a_call_that_was_let_work():
    results = {RunAgent: [LIMITED, LIMITED, WORKED, LIMITED, WORKED], Wait: Waited(1), ReadResponse: UNCLAIMED}
    actions, _ = play(patient(Quota(initial_wait=60), prompt_loop(RUN)), results)
    assert [wait.seconds for wait in waits(actions)] == [60, 120, 60]


def test_a_named_reset_time_is_handed_on():
    limited = AgentReport("failed", "rate limit", "d", problem=Problem("quota", "rate limit", until=1_800_000_000.0))
    actions, _ = play(patient(Quota(), prompt_loop(RUN)), {RunAgent: [limited, WORKED], Wait: Waited(1)})
    assert waits(actions)[0].until_moment == 1_800_000_000.0


def test_a_fallback_agent_takes_over_at_once():
    quota = Quota(fallback_agent="codex")
    actions, verdict = play(patient(quota, prompt_loop(RUN)), {RunAgent: [LIMITED, WORKED]})
    assert verdict == Verified(1)
    assert calls(actions) == [(1, 0, ""), (1, 1, "codex")]
    assert waits(actions) == []


def test_a_fallback_agent_that_is_limited_too_leads_to_waiting_and_then_to_the_first_one():
    quota = Quota(fallback_agent="codex")
    actions, _ = play(patient(quota, prompt_loop(RUN)), {RunAgent: [LIMITED, LIMITED, WORKED], Wait: Waited(1)})
    assert calls(actions) == [(1, 0, ""), (1, 1, "codex"), (1, 2, "")]
    assert len(waits(actions)) == 1


def test_time_spent_waiting_counts_against_the_budget():
    spent = [SpentSoFar(), SpentSoFar(seconds=100)]
    results = {RunAgent: [LIMITED, WORKED], Wait: Waited(100), ReadSpent: spent}
    _, verdict = play(within(Budget(seconds=50), patient(Quota(), prompt_loop(RUN))), results)
    assert verdict == BudgetSpent("seconds", 100, 50)


def asking(question):
    """A recipe that asks a model one question."""
    answer = yield question
    return Failed(answer.reason) if answer.reason else Verified(1)


REFUSED = Answer(reason="429", problem=Problem("quota", "429"))
QUESTION = AskModel(1, "judge", "Is it so?", "judgement", slug="criteria")


def test_a_model_that_judges_is_waited_for_and_asked_the_same_again():
    waited = patient(Quota(initial_wait=1), asking(QUESTION))
    assert next(waited) == QUESTION
    assert waited.send(REFUSED) == Wait(1, seconds=1, until_moment=None, reason="429", number=1)
    assert waited.send(Waited(1)) == replace(QUESTION, retry=1)
    with pytest.raises(StopIteration) as end:
        waited.send(judgement("it is so"))
    assert end.value.value == Verified(1)


def test_a_fallback_agent_is_asked_for_a_judgement_at_once():
    waited = patient(Quota(fallback_agent="codex"), asking(QUESTION))
    next(waited)
    assert waited.send(REFUSED) == replace(QUESTION, agent="codex", retry=1)


def test_after_a_quota_only_the_question_is_asked_again():
    """The commands of the same verification have their evidence."""
    stages = (Part("unit", External("make")), Part("criteria", Semantic(("it is so",))))
    results = {AskModel: [REFUSED, judgement("it is so")], Wait: Waited(1)}
    about = Material(1, SAID, "c0ffee", "beef", rules=Rules(tamper="off"))
    actions, seen = play(patient(Quota(), verified(MultiStage(stages), about)), results)
    assert seen.passed
    assert kinds(actions) == [TryCheck, ReadChange, AskModel, Wait, AskModel, RecordEvidence]


@pytest.mark.parametrize("reason", ["it exited with code 3", "the answer cannot be used: no JSON"])
def test_a_model_that_gives_no_answer_for_another_reason_is_not_waited_for(reason):
    assert play(patient(Quota(), asking(QUESTION)), {AskModel: Answer(reason=reason)}) == ([QUESTION], Failed(reason))
