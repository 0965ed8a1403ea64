"""What proves a check: which trials are made, in which order, and what comes of them."""

import pytest
from msgspec.structs import replace

from playing import GO_ON, play, tried
from ralph.kernel.actions.checks import Rules
from ralph.kernel.actions.proof import (
    CanaryTrees,
    ComposeCanary,
    Composed,
    ComposeTrees,
    Excused,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    TryCheck,
)
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.going_on import Persistence
from ralph.kernel.proof import IN_YOUR_TREE_ONLY, Blocks, Claimed, ProofCheck, doubts, proved, with_findings
from ralph.kernel.stage_text import not_verified
from ralph.model.evidence import Evidence
from ralph.model.places import verification_place
from ralph.model.proof import Finding
from ralph.model.verdicts import TamperedWork
from ralph.model.verification import External

CLAIM = Claimed(2, "base", "commit", verification_place("T-1"), Rules())
UNTOUCHED = Composed("base", "commit", "commit", "base")
TOUCHED = Composed("base", "commit", "held", "alone", judges=("Makefile",))
CANARY = CanaryTrees("canary", must_fail=("t::test_a",))
GONE = Finding("inventory", "block", "test_a is gone")
DOUBT = Finding("base-tests", "warn", "behaviour changed", "a.py", 3)


def one(**fields):
    check = {name: fields.pop(name) for name in ("canary", "proof", "red", "baseline") if name in fields}
    return ProofCheck("make test", "make_test", External("make test", **check), **fields)


def ends(*failing, **more):
    return lambda action: tried(action, passed=action.trial not in failing, **more)


def played(check=None, claim=CLAIM, composed=TOUCHED, canary=CANARY, also=()):
    given = {ComposeTrees: composed, ComposeCanary: canary, **dict(also)}
    return play(proved(check or one(), claim), given)


def trials(actions):
    return [(action.trial, action.tree) for action in actions if isinstance(action, TryCheck)]


def test_work_that_touches_no_judge_needs_the_commit_the_base_and_the_canary():
    actions, seen = played(composed=UNTOUCHED)
    assert trials(actions) == [("commit", "commit"), ("base", "base"), ("canary", "canary")]
    assert (seen.passed, seen.proof) == (True, "checked")


def test_work_that_touches_a_judge_is_tried_with_the_base_judges_and_with_its_own_canary():
    actions, _ = played(canary=replace(CANARY, own="own"))
    assert trials(actions) == [
        ("commit", "commit"),
        ("base", "base"),
        ("base-judges", "held"),
        ("canary", "canary"),
        ("own-canary", "own"),
    ]


def test_all_trials_are_judged_together():
    actions, _ = played()
    [judged] = [action for action in actions if isinstance(action, JudgeTrials)]
    assert [ref.trial for ref in judged.trials] == ["commit", "base", "base-judges", "canary"]
    assert judged.canary == CANARY


def test_the_judges_of_the_change_are_tried_alone_where_it_fails_with_those_of_the_base():
    actions, _ = played(also=[(TryCheck, ends("base", "base-judges"))])
    more_looks = [("base", "base"), ("base", "base")]
    assert trials(actions)[2:] == [("base-judges", "held"), *more_looks, ("change-judges", "alone")]
    actions, _ = played(also=[(TryCheck, ends("base-judges"))])
    assert trials(actions)[2:] == [("base-judges", "held"), *more_looks], (
        "a base that passed has nothing to be made green"
    )


@pytest.mark.parametrize("finding", [GONE, DOUBT])
def test_what_was_found_decides(finding):
    _, seen = played(also=[(JudgeTrials, Judged((finding,)))])
    assert (seen.passed, seen.proof) == ((False, None) if finding is GONE else (True, "warned"))
    assert seen.findings == (finding,)
    assert finding is DOUBT or seen.reason == "test_a is gone"


def test_a_failure_is_looked_at_beside_the_base():
    actions, seen = played(also=[(TryCheck, ends("commit"))])
    assert trials(actions) == [("commit", "commit"), ("base", "base")]
    assert isinstance(actions[-1], ExcuseFailure)
    assert (seen.passed, seen.reason) == (False, "exit code 1, expected 0")


def test_a_test_that_may_be_flaky_is_looked_at_on_the_base_twice_more():
    excused = [Excused("test_a fails", is_suspect=True), Excused()]
    actions, seen = played(composed=UNTOUCHED, also=[(TryCheck, ends("commit")), (ExcuseFailure, excused)])
    looks = [action.number for action in actions if isinstance(action, TryCheck) and action.trial == "base"]
    assert looks == [1, 2, 3]
    assert seen.passed
    [judged] = [action for action in actions if isinstance(action, JudgeTrials)]
    assert len(judged.looks) == 3
    assert ("canary", "canary") in trials(actions), "what was excused is proven like all else"


def looks(actions):
    return [action.number for action in actions if isinstance(action, TryCheck) and action.trial == "base"]


def test_before_the_base_judges_count_as_failed_the_base_is_looked_at_twice_more():
    failing = (TryCheck, ends("base-judges"))
    actions, _ = played(also=[failing, (ExcuseFailure, Excused())])
    assert looks(actions) == [1, 2, 3]
    assert ("canary", "canary") in trials(actions), "only flaky tests failed, so the rest is tried"
    actions, _ = played(also=[failing, (ExcuseFailure, Excused("test_a fails"))])
    assert ("canary", "canary") not in trials(actions)


def test_tests_that_are_skipped_now_may_be_flaky_at_the_base():
    def one_more(action):
        return tried(action, passed=True, skipped=int(action.trial == "commit"))

    actions, _ = played(composed=UNTOUCHED, also=[(TryCheck, one_more)])
    assert looks(actions) == [1, 2, 3]
    assert ("canary", "canary") in trials(actions)


def test_work_that_is_only_right_when_it_is_tested_is_no_flaky_one():
    actions, _ = played(composed=replace(UNTOUCHED, unasked="unasked"), also=[(TryCheck, ends("unasked"))])
    assert looks(actions) == [1, 2, 3]


def test_more_looks_that_take_too_long_are_left_out_and_named():
    slow = (TryCheck, ends("base-judges", duration=10.0))
    actions, _ = played(claim=replace(CLAIM, rules=Rules(budget=35)), also=[slow, (ExcuseFailure, Excused("a fails"))])
    assert looks(actions) == [1]
    assert actions[-1].left_out == ("more looks at the base: they would take longer than proof.budget allows",)


def test_a_check_that_no_clean_checkout_can_pass_warns_in_the_users_tree_and_fails_elsewhere():
    fails = [(TryCheck, ends("commit", "base"))]
    _, seen = played(claim=replace(CLAIM, in_place=True), also=fails)
    assert (seen.passed, seen.proof) == (True, "warned")
    assert IN_YOUR_TREE_ONLY in seen.reason
    assert not played(also=fails)[1].passed
    ran = [(TryCheck, ends("commit", "base", tests=3))]
    assert not played(claim=replace(CLAIM, in_place=True), also=ran)[1].passed, "tests ran, so they can run there"


@pytest.mark.parametrize("rules", [Rules(tamper="off"), None])
def test_nothing_more_is_tried_where_that_was_said(rules):
    check = one() if rules else one(proof=False)
    actions, seen = played(check, replace(CLAIM, rules=rules or Rules()))
    assert trials(actions) == [("commit", "commit")]
    assert (seen.passed, seen.proof) == (True, "checked")


def test_work_that_asks_whether_it_is_tested_is_tried_without_an_answer():
    actions, _ = played(composed=replace(TOUCHED, unasked="unasked"))
    assert ("unasked", "unasked") in trials(actions)
    assert "unasked" in [ref.trial for ref in actions[-1].trials]


def test_a_canary_that_is_switched_off_is_recorded():
    actions, _ = played(one(canary=False))
    assert ("canary", "canary") not in trials(actions)
    assert actions[-1].left_out == ("the canary: switched off by canary: false",)


@pytest.mark.parametrize(
    ("budget", "made"),
    [
        (9, ["commit"]),
        (10, ["commit", "canary"]),
        (20, ["commit", "base", "canary"]),
        (30, ["commit", "base", "base-judges", "canary"]),
    ],
)
def test_what_takes_too_long_is_left_out_and_named_the_canary_last(budget, made):
    actions, _ = played(claim=replace(CLAIM, rules=Rules(budget=budget)), also=[(TryCheck, ends(duration=10.0))])
    tries = [trial for trial, _ in trials(actions)]
    assert tries == made
    left_out = {each.split(":")[0].removeprefix("the ") for each in actions[-1].left_out}
    assert left_out == {"base", "base-judges", "canary"} - set(tries)


def blocked(level="block"):
    return Evidence("make test", passed=False, reason="so", findings=(Finding("gone", level, "a test is gone"),))


def claims(seen, granted):
    def recipe():
        blocks = Blocks(Persistence())
        for number, each in enumerate(seen, start=1):
            verdict = yield from blocks.end(number, each)
            if verdict:
                return verdict
        return None

    return play(recipe(), {GiveUp: granted})[1]


def test_three_blocked_claims_in_a_row_end_the_run():
    failed = Evidence("make test", passed=False, reason="red")
    assert isinstance(claims([blocked()] * 3, Granted()), TamperedWork)
    assert claims([blocked(), blocked(), failed, blocked(), blocked()], Granted()) is None
    assert claims([blocked("warn")] * 5, Granted()) is None
    assert claims([blocked()] * 5, GO_ON) is None


PASSED = Evidence("make test", passed=True, reason="exit code 0", proof="checked")


def test_what_was_seen_at_the_commit_counts_like_what_the_checks_saw():
    hidden = Finding("deliver", "block", "impl.py was hidden")
    assert with_findings(PASSED, [], Rules()) == PASSED
    worse = with_findings(PASSED, [hidden], Rules())
    assert (worse.passed, worse.reason) == (False, "impl.py was hidden")
    warned = with_findings(PASSED, [hidden], Rules(tamper="warn"))
    assert (warned.passed, warned.proof, doubts(warned)) == (True, "warned", ("impl.py was hidden",))


WEAKER = Finding("changed-assertion", "warn", "an assertion was changed", "tests/test_a.py", 7, "  assert add(1, 2)")


def test_the_agent_is_told_the_lines_of_what_blocks_and_of_what_warns_besides():
    found = (GONE, replace(GONE, text="again", file="a.py", line=3, shown="  os._exit(0)"), WEAKER)
    text = not_verified(Evidence("make test", passed=False, reason="no", findings=found)).text
    assert text.count("a.py:3: again\n  os._exit(0)") == 1
    assert "- tests/test_a.py:7: an assertion was changed\n  assert add(1, 2)" in text
    only_warned = not_verified(Evidence("make test", passed=False, reason="no", findings=(WEAKER,))).text
    assert "an assertion was changed" not in only_warned


def test_what_has_a_place_is_told_first():
    placed = replace(GONE, text="exit", file="a.py", line=3)
    assert Judged((GONE, GONE, GONE, placed)).complaint.startswith("a.py:3: exit; ")


def test_doubts_name_their_place():
    assert doubts(replace(PASSED, findings=(DOUBT,), proof="warned")) == ("a.py:3: behaviour changed",)
    assert doubts(PASSED) == ()


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (Judged((GONE,)), "✗ make test: does not hold"),
        (Judged((DOUBT,)), "✓ make test: passes, with warnings"),
        (Judged(left_out=("the trial with the base's judges",)), "✓ make test: holds"),
    ],
)
def test_the_line_says_no_more_than_what_was_seen(seen, told):
    action = JudgeTrials(1, "make_test", "make test", TOUCHED, (), CANARY, Rules())
    assert action.ended(seen).text.splitlines()[0] == told
