"""Each method of verification, played against given results: which checks it asks for, and what it makes of them."""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from playing import SAID, judgement, kinds, play, tried
from ralph.kernel.actions.checks import AskModel, Change, Material, ReadChange, RecordEvidence, Rules
from ralph.kernel.actions.proof import Composed, ComposeTrees, ExcuseFailure, TryCheck
from ralph.kernel.verification import AT_ONCE, verified
from ralph.model.events import Tokens
from ralph.model.places import task_place, verification_place
from ralph.model.verification import External, Semantic, StringMatch, read_verification

# What proves a check beyond its own end is looked at in test_proof.py.
OFF = Rules(tamper="off")
ABOUT = Material(2, SAID, "c0ffee", "the-commit", task_place("T-1"), verification_place("T-1"), OFF)
# No check needs what another builds.
ALONE = {ComposeTrees: Composed("base", "commit", "commit", "base", hides_files=True)}
CRITERION = "it works"


def external(name, command="true", **more):
    config = {"command": command} | more.pop("config", {})
    return {"name": name, "method": "external", "config": config} | more


def semantic(name, **more):
    return {"name": name, "method": "semantic", "config": {"check_for": [CRITERION]}} | more


def exits(*failing):
    """The result of a command: `exit 3` fails with that code, as do those that are named."""

    def seen(action):
        word, _, code = action.check.command.partition(" ")
        if action.trial == "commit" and (word == "exit" or action.label in failing):
            return replace(tried(action, passed=False, output="red\n"), reason=f"exit code {code or 1}, expected 0")
        return tried(action, passed=True, duration=2.0)

    return seen


def stages(*parts, results=None, first=min, **config):
    check = read_verification("multi_stage", {"stages": list(parts)} | config)
    return play(verified(check, ABOUT), {TryCheck: exits(), **ALONE, **(results or {})}, first)


def checks(actions):
    """The checks themselves, without what proves or excuses them."""
    return [action for action in actions if isinstance(action, TryCheck) and action.trial == "commit"]


def labels(actions):
    return [action.label for action in checks(actions)]


def seen(evidence):
    return {part.check: part.passed for part in evidence.parts}


def test_a_promise_that_was_given_is_enough_for_string_match():
    actions, evidence = play(verified(StringMatch(), ABOUT))
    assert kinds(actions) == [RecordEvidence]
    assert (evidence.passed, evidence.reason) == (True, "the promise was given, and it is enough")


def test_a_command_is_tried_on_a_clean_checkout_of_the_commit_that_was_claimed():
    check = External("make   test\nlint")
    actions, evidence = play(verified(check, ABOUT))
    run, record = actions
    place = verification_place("T-1", "the-commit")
    assert run == TryCheck(2, "commit", "make test lint", "make_test_lint", check, "the-commit", place=place)
    assert record.evidence == evidence
    assert (evidence.passed, evidence.proof) == (True, "checked")


def test_a_check_that_fails_is_excused_or_its_reason_is_told():
    actions, evidence = play(verified(External("exit 3"), ABOUT), {TryCheck: exits(), **ALONE})
    assert kinds(actions) == [TryCheck, TryCheck, ExcuseFailure, RecordEvidence]
    assert (evidence.passed, evidence.reason, evidence.output) == (False, "exit code 3, expected 0", "red\n")


def test_the_change_is_looked_at_for_those_who_read_it_alone():
    assert ReadChange not in kinds(stages(external("a"), {"name": "b"})[0])
    assert kinds(stages(semantic("a"))[0]) == [ReadChange, AskModel, RecordEvidence]


def test_a_verification_that_is_made_again_in_the_same_iteration_has_other_keys():
    check = read_verification("multi_stage", {"stages": [external("unit"), semantic("criteria")]})
    first, _ = play(verified(check, ABOUT))
    again, _ = play(verified(check, replace(ABOUT, again=1)))
    assert kinds(first) == kinds(again)
    assert {action.key for action in first}.isdisjoint({action.key for action in again})


def test_all_stages_pass():
    actions, evidence = stages(external("unit"), {"name": "promise"}, semantic("criteria"), external("lint"))
    assert kinds(actions) == [TryCheck, ReadChange, AskModel, TryCheck, RecordEvidence]
    assert (evidence.check, evidence.passed) == ("multi_stage", True)
    assert evidence.reason == "all 4 verification stages passed"
    assert seen(evidence) == {"unit": True, "promise": True, "criteria": True, "lint": True}
    assert evidence.duration == 4.0


def test_the_first_required_failure_ends_it():
    actions, evidence = stages(external("unit", "exit 3"), semantic("criteria"), external("late"))
    assert not evidence.passed
    assert evidence.reason == "1 verification stage failed: unit: exit code 3, expected 0"
    assert seen(evidence) == {"unit": False}
    assert (evidence.parts[0].output, evidence.output) == ("red\n", "")
    assert labels(actions) == ["unit"]
    assert AskModel not in kinds(actions)


def test_without_require_all_every_stage_is_looked_at():
    _, evidence = stages(
        external("unit", "exit 3"),
        semantic("criteria"),
        external("lint"),
        external("types", "exit 4"),
        require_all=False,
        results={AskModel: judgement(CRITERION, met=False, reason="it does not")},
    )
    assert not evidence.passed
    assert evidence.reason == (
        "3 verification stages failed: unit: exit code 3, expected 0;"
        " criteria: not verified: it works (it does not); types: exit code 4, expected 0"
    )
    assert seen(evidence) == {"unit": False, "criteria": False, "lint": True, "types": False}


@pytest.mark.parametrize("require_all", [True, False])
def test_a_stage_that_is_not_required_only_warns(require_all):
    optional = external("coverage", "exit 2", required=False)
    late = external("late", depends_on=["unit"])
    actions, evidence = stages(external("unit"), optional, late, require_all=require_all)
    assert evidence.passed
    assert evidence.reason == "no required verification stage failed; warning: coverage: exit code 2, expected 0"
    assert [(part.check, part.passed, part.required) for part in evidence.parts] == [
        ("unit", True, True),
        ("coverage", False, False),
        ("late", True, True),
    ]
    assert labels(actions) == ["unit", "coverage", "late"]


def test_a_warning_is_told_beside_a_failure():
    _, evidence = stages(external("coverage", "exit 2", required=False), external("unit", "exit 3"))
    assert evidence.reason == (
        "1 verification stage failed: unit: exit code 3, expected 0; warning: coverage: exit code 2, expected 0"
    )


def groups(parts, **options):
    """The labels that are asked for in one breath, as long as nothing fails."""
    recipe = verified(read_verification("multi_stage", {"stages": parts} | options), ABOUT)
    found, answer = [], None
    while True:
        try:
            step = recipe.send(answer)
        except StopIteration:
            return found
        at_once = step if isinstance(step, tuple) else (step,)
        found.append([action.label if isinstance(action, TryCheck) else action.kind for action in at_once])
        result = exits()(at_once[0]) if isinstance(at_once[0], TryCheck) else Change(forbidden="")
        result = judgement(CRITERION) if isinstance(at_once[0], AskModel) else result
        answer = (at_once[0], result) if isinstance(step, tuple) else getattr(step, "evidence", result)


def side_by_side(*names, **more):
    return [external(name, parallel=True, **more) for name in names]


def test_stages_run_one_after_another_unless_they_say_that_they_may_run_side_by_side():
    assert groups([external("a"), external("b")])[:2] == [["a"], ["b"]]
    assert groups(side_by_side("a", "b"))[:2] == [["a", "b"], ["b"]]


def test_only_neighbours_that_all_say_so_run_side_by_side():
    parts = [*side_by_side("a", "b"), external("alone"), *side_by_side("c", "d")]
    assert groups(parts)[:5] == [["a", "b"], ["b"], ["alone"], ["c", "d"], ["d"]]


def test_a_stage_waits_for_what_it_depends_on():
    parts = [*side_by_side("build", "lint"), *side_by_side("test", depends_on=["build"])]
    assert groups(parts)[:3] == [["build", "lint"], ["lint"], ["test"]]


def test_a_question_is_asked_alone_after_all_before_it_and_before_all_after_it():
    parts = [*side_by_side("a", "b"), semantic("criteria", parallel=True), *side_by_side("c", "d")]
    assert groups(parts)[:6] == [["a", "b"], ["b"], ["read-change"], ["ask-model"], ["c", "d"], ["d"]]


def test_a_stage_does_not_start_if_what_it_depends_on_fails():
    actions, evidence = stages(external("build", "exit 1"), external("test", depends_on=["build"]))
    assert seen(evidence) == {"build": False}
    assert labels(actions) == ["build"]


def test_no_more_than_four_run_at_once():
    found = groups(side_by_side(*map(str, range(9))))
    assert max(map(len, found)) == AT_ONCE
    # As soon as one has ended, the next is begun.
    assert found[:3] == [["0", "1", "2", "3"], ["1", "2", "3", "4"], ["2", "3", "4", "5"]]


@pytest.mark.parametrize("first", [min, max])
def test_all_of_a_group_have_their_result_when_one_fails_and_stand_in_their_order(first):
    parts = [
        external("a", "exit 1", parallel=True),
        external("b", "exit 2", parallel=True),
        *side_by_side("c"),
        external("late"),
    ]
    _, evidence = stages(*parts, first=first)
    assert list(seen(evidence).items()) == [("a", False), ("b", False), ("c", True)]
    assert evidence.reason.startswith("2 verification stages failed: a: exit code 1, expected 0; b: ")


def test_a_stage_that_fails_alone_is_tried_after_those_before_it_unless_the_change_hides_files():
    needs = {TryCheck: lambda action: tried(action, passed=action.label == "build" or bool(action.before))}
    parts = [external("build"), external("test")]
    touched = {ComposeTrees: Composed("base", "commit", "commit", "base")}
    actions, evidence = stages(*parts, results=needs | touched)
    assert evidence.passed
    assert [(action.label, len(action.before)) for action in checks(actions)] == [
        ("build", 0),
        ("test", 0),
        ("test", 1),
    ]
    _, hidden = stages(*parts, results=needs)
    assert not hidden.passed


def test_stages_that_are_spelt_almost_alike_have_keys_of_their_own():
    actions, _ = stages(external("unit tests"), external("unit-tests"), semantic("Unit tests"))
    assert [action.slug for action in checks(actions)] == ["unit_tests", "unit_tests_2"]


def test_what_a_question_costs_stands_in_its_own_row_and_not_in_the_evidence_too():
    answer = judgement(CRITERION, cost_usd=0.5, tokens=Tokens(input=7))
    _, evidence = stages(semantic("one"), results={AskModel: answer})
    assert answer.spent.usd == 0.5
    assert evidence.spent.usd is None


def test_how_much_is_proven_follows_from_what_was_run():
    assert stages(external("unit"), semantic("criteria"))[1].proof == "checked"
    assert stages(semantic("criteria"), {"name": "promise"})[1].proof == "judged"
    assert stages({"name": "promise"})[1].proof == "word"


def test_words_that_must_not_be_there_fail_without_a_question():
    found = Change(forbidden='found the negative pattern "todo" in a.py:2')
    actions, evidence = play(verified(Semantic((CRITERION,), ("todo",)), ABOUT), {ReadChange: found})
    assert (evidence.passed, evidence.reason) == (False, found.forbidden)
    assert AskModel not in kinds(actions)


@pytest.mark.parametrize("check", [StringMatch(), External("true"), Semantic((CRITERION,))])
def test_the_evidence_names_the_message_that_claimed_it(check):
    actions, evidence = play(verified(check, ABOUT), {TryCheck: exits(), AskModel: judgement(CRITERION)})
    assert evidence.claim == sha256(SAID.text.encode()).hexdigest()
    [recorded] = [action for action in actions if isinstance(action, RecordEvidence)]
    assert recorded.evidence.claim == evidence.claim
