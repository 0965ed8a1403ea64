"""What the recipe does about an agent that could not work."""

import pytest

from playing import WORKED, failed, kinds, play
from ralph.kernel.actions.agent import RunAgent
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.waiting import BackOff, GiveUp, Waited
from ralph.kernel.feedback import Note, shortened
from ralph.kernel.prompt_options import Guardrail, PromptRun
from ralph.kernel.recipes.prompt import prompt_loop
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.model.verdicts import AgentFailed, MaxIterations, Verified

TOO_LONG = AgentReport(
    "failed", "prompt is too long", "d", duration=2.0, problem=Problem("prompt_too_long", "prompt is too long")
)
RUN = PromptRun(limit=2, completion="DONE", prompt="p", guardrails=(Guardrail("make test"),))


def calls(actions):
    return [action for action in actions if isinstance(action, RunAgent)]


def test_a_prompt_that_is_too_long_is_tried_once_more_with_less_feedback():
    results = {RunAgent: [WORKED, TOO_LONG, WORKED], RunCommand: [failed(output="x" * 4000), *[failed()] * 9]}
    actions, _ = play(prompt_loop(RUN), results)
    first, long, short = calls(actions)
    assert (long.iteration, short.iteration) == (2, 2)
    assert short.shortened
    assert len(short.prompt) < 0.6 * len(long.prompt)
    assert first.prompt == "p"


def test_a_prompt_that_stays_too_long_is_a_failed_iteration():
    results = {RunAgent: [WORKED, TOO_LONG, TOO_LONG], RunCommand: failed(output="x" * 4000)}
    actions, verdict = play(prompt_loop(RUN), results)
    assert len(calls(actions)) == 3
    assert verdict == MaxIterations(2, "prompt is too long")


def test_a_prompt_without_feedback_cannot_be_made_shorter():
    actions, verdict = play(prompt_loop(RUN), {RunAgent: [TOO_LONG, WORKED]})
    assert verdict == Verified(2, "checked")
    assert [call.shortened for call in calls(actions)] == [False, False]


@pytest.mark.parametrize("kind", ["auth", "billing", "model"])
def test_what_no_iteration_can_mend_ends_the_run_at_once_with_what_to_do(kind):
    report = AgentReport("failed", "it cannot work", "d", problem=Problem(kind, "it cannot work"))
    actions, verdict = play(prompt_loop(RUN), {RunAgent: report})
    assert isinstance(verdict, AgentFailed)
    assert verdict.why.startswith("it cannot work. ")
    assert "then" in verdict.why
    assert kinds(actions) == [RunAgent, GiveUp]


def test_shortening_drops_the_oldest_notes_first():
    notes = (Note("APPEND", "old" * 100), Note("PREPEND", "middle" * 50), Note("APPEND", "new" * 10))
    kept = shortened(notes)
    assert kept[-1] == notes[-1]
    assert notes[0] not in kept
    assert sum(len(note.text) for note in kept) <= sum(len(note.text) for note in notes) // 2 + len("... [truncated]")


def test_shortening_cuts_a_single_note_in_half():
    (kept,) = shortened((Note("REPLACE", "a" * 100),))
    assert kept == Note("REPLACE", "a" * 50 + "... [truncated]")


def test_failures_that_take_under_a_second_back_off():
    quick, slow = (AgentReport("failed", "it exited with code 1", "d", duration=took) for took in (0.2, 2.0))
    reports = [*[quick] * 7, slow, quick, WORKED]
    run = PromptRun(limit=20, completion="DONE", prompt="p")
    actions, verdict = play(prompt_loop(run), {RunAgent: reports, BackOff: Waited(0.0)})
    pauses = {action.iteration: action.seconds for action in actions if isinstance(action, BackOff)}
    assert pauses == {2: 1, 3: 2, 4: 4, 5: 8, 6: 16, 7: 30, 8: 30, 10: 1}
    assert len({action.key for action in actions}) == len(actions)
    assert isinstance(verdict, Verified)
