"""The verify recipe: what is tried, what it comes to, and what going on with it means."""

import pytest

from playing import GO_ON, failed, passed, play, tried
from ralph.kernel.actions.checks import RecordEvidence, Rules, RunCheck
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.proof import (
    ComposeTrees,
    Excused,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    Snapshot,
    TakeSnapshot,
    TryCheck,
)
from ralph.kernel.actions.tasks import RecordStart, Start
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.recipes.verify import NO_BASE, VerifyRun, WantedCheck, verify_loop
from ralph.model.evidence import Evidence
from ralph.model.proof import Finding
from ralph.model.verdicts import Failed, TamperedWork, Verified, exit_code
from ralph.model.verification import External, NamedCheck

UNIT, LINT = WantedCheck("unit", External("make test")), WantedCheck("lint", External("make lint"))
BLOCK, WARN = Finding("rule", "block", "a test is gone", "t.py", 3), Finding("rule", "warn", "look here")


def run(*checks, base="b", **more):
    return VerifyRun("c" * 40, checks or (UNIT,), base, fresh="word", **more)


def failing(*labels):
    return {TryCheck: lambda action: tried(action, passed=action.label not in labels or action.tree != "c" * 40)}


def kinds(actions):
    return [type(action) for action in actions]


def test_each_check_is_tried_as_a_claim_is_and_recorded_together():
    actions, verdict = play(verify_loop(run(UNIT, LINT)))
    assert kinds(actions)[0] is RecordStart
    assert [action.label for action in actions if isinstance(action, JudgeTrials)] == ["unit", "lint"]
    assert [each.check for each in actions[-1].evidence.parts] == ["unit", "lint"]
    assert verdict == Verified(1, "checked", "cccccccc passes its checks", "look", "c" * 40)
    assert exit_code(verdict) == 0


def test_what_was_seen_before_does_not_count():
    actions, _ = play(verify_loop(run()))
    assert {action.fresh for action in actions if isinstance(action, TryCheck)} == {"word-1"}


def test_one_that_fails_ends_it_badly_after_all_were_tried():
    actions, verdict = play(verify_loop(run(UNIT, LINT)), failing("unit"))
    assert isinstance(verdict, Failed)
    assert verdict.why.startswith("unit: exit code 1")
    assert exit_code(verdict) == 9
    assert [each.passed for each in actions[-2].evidence.parts] == [False, True]


def test_one_that_is_not_required_warns():
    optional = WantedCheck("lint", External("make lint"), required=False)
    _, verdict = play(verify_loop(run(UNIT, optional)), failing("lint"))
    assert isinstance(verdict, Verified)
    assert verdict.proof == "warned"
    assert "lint: exit code 1" in verdict.doubts[0]


def test_a_change_that_touches_what_judges_it_is_tampered():
    _, verdict = play(verify_loop(run()), {JudgeTrials: Judged((BLOCK,))})
    assert verdict == TamperedWork("unit: t.py:3: a test is gone")
    assert exit_code(verdict) == 6


def test_a_warning_is_told():
    _, verdict = play(verify_loop(run()), {JudgeTrials: Judged((WARN,))})
    assert (verdict.proof, verdict.doubts) == ("warned", ("look here",))


def test_without_a_base_only_the_checks_themselves_are_tried():
    actions, verdict = play(verify_loop(run(base="")))
    assert ComposeTrees not in kinds(actions)
    assert [action.trial for action in actions if isinstance(action, TryCheck)] == ["commit"]
    assert (verdict.proof, verdict.doubts[0]) == ("warned", NO_BASE)


def test_a_check_of_the_table_runs_on_the_commit():
    named = WantedCheck("says hello", NamedCheck("contains", {"file": "a"}, "a says hello"))
    actions, verdict = play(verify_loop(run(named)))
    [check] = [action for action in actions if isinstance(action, RunCheck)]
    assert check.place.tree == "c" * 40
    assert verdict.proof == "checked"
    bad = {RunCheck: Evidence("contains", passed=False, reason="it does not")}
    assert exit_code(play(verify_loop(run(named)), bad)[1]) == 9


@pytest.mark.parametrize("times", [1, 2])
def test_gone_on_with_all_is_tried_once_more(times):
    ends = {GiveUp: [GO_ON] * times + [Granted()]}
    actions, verdict = play(verify_loop(run()), failing("unit") | ends)
    words = [action.fresh for action in actions if isinstance(action, TryCheck) and action.trial == "commit"]
    assert words == [f"word-{number}" for number in range(1, times + 2)]
    assert isinstance(verdict, Failed)
    assert sum(isinstance(action, RecordEvidence) for action in actions) == times + 1


START = Start({"make": "/usr/bin/make"})
SEEN = {TakeSnapshot: Snapshot("tree")}


def as_they_are(*checks, **more):
    return VerifyRun("", checks or (UNIT,), "b", start=START, **more)


def in_place(*labels):
    """Those of these commands fail in the user's own tree."""
    return {RunCommand: lambda action: (failed if action.command in labels else passed)(action.command)}


def test_files_as_they_are_are_checked_in_place_and_then_proven():
    actions, verdict = play(verify_loop(as_they_are(UNIT, LINT)), SEEN)
    assert kinds(actions)[:4] == [RunCommand, RunCommand, TakeSnapshot, TryCheck]
    assert actions[2].base == "b"
    assert {action.tree for action in actions if isinstance(action, TryCheck)} == {"tree", "b"}
    assert {action.fresh for action in actions if isinstance(action, TryCheck)} == {""}
    assert {tuple(action.programs) for action in actions if isinstance(action, ComposeTrees)} == {("make",)}
    assert (verdict.reason, verdict.commit) == ("the files pass their checks after 1 look", "")


def test_what_fails_in_place_is_not_tried_elsewhere():
    actions, verdict = play(verify_loop(as_they_are(UNIT, LINT)), SEEN | in_place("make test"))
    assert kinds(actions)[:3] == [RunCommand, RunCommand, RecordEvidence]
    assert [(each.check, each.passed) for each in actions[2].evidence.parts] == [("unit", False), ("lint", True)]
    assert verdict == Failed("unit: exit code 1")


def test_what_is_not_required_and_fails_in_place_warns():
    optional = WantedCheck("lint", External("make lint"), required=False)
    actions, verdict = play(verify_loop(as_they_are(UNIT, optional)), SEEN | in_place("make lint"))
    assert {action.label for action in actions if isinstance(action, TryCheck)} == {"unit"}
    assert (verdict.proof, verdict.doubts) == ("warned", ("lint: exit code 1",))


@pytest.mark.parametrize("more", [{"baseline": "relative"}, {"output_contains": "ok"}, {"working_dir": "app"}])
def test_a_check_of_more_than_its_exit_code_is_only_proven(more):
    actions, _ = play(verify_loop(as_they_are(WantedCheck("unit", External("make test", **more)))), SEEN)
    assert RunCommand not in kinds(actions)
    assert TryCheck in kinds(actions)


def test_what_passes_in_place_only_counts_if_the_start_could_not_pass_elsewhere_either():
    nowhere = {TryCheck: lambda action: tried(action, passed=False), ExcuseFailure: Excused(elsewhere=True)}
    _, verdict = play(verify_loop(as_they_are()), SEEN | nowhere)
    assert verdict.proof == "warned"
    assert "passed in your tree only" in verdict.doubts[0]


@pytest.mark.parametrize(("tamper", "ends"), [("block", TamperedWork), ("warn", Verified)])
def test_what_git_was_told_to_overlook_counts(tamper, ends):
    seen = {TakeSnapshot: Snapshot("tree", findings=(BLOCK,))}
    _, verdict = play(verify_loop(as_they_are(rules=Rules(tamper=tamper))), seen)
    assert isinstance(verdict, ends)
    assert "a test is gone" in verdict.reason
