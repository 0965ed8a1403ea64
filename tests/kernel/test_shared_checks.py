"""What is run for every task, before what verifies a stage."""

import pytest
from msgspec.structs import replace

from playing import SAID, judgement, play, tried
from ralph.kernel.actions.checks import AskModel, Material, Rules
from ralph.kernel.actions.proof import Composed, ComposeTrees, TryCheck
from ralph.kernel.shared_checks import after_shared, criteria_checks, only_shared
from ralph.kernel.verification import verified
from ralph.model.places import task_place, verification_place
from ralph.model.tasks import Criterion, TaskCompletionSpec
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch

ABOUT = Material(2, SAID, "c0ffee", "the-commit", task_place("T-1"), verification_place("T-1"), Rules(tamper="off"))
ALONE = {ComposeTrees: Composed("base", "commit", "commit", "base", hides_files=True)}
CRITERIA = (
    Criterion("judge", "it works"),
    Criterion("check", "it  builds", command="make"),
    Criterion("person", "it looks right"),
    Criterion("time", "before the fair"),
    Criterion("check", "make test", command="make test"),
)


def step(name, command="true", **more):
    return Part(name, External(command), **more)


def ends(action):
    """`exit 3` fails on the commit."""
    if action.trial == "commit" and action.check.command.startswith("exit"):
        return replace(tried(action, passed=False), reason="it failed")
    return tried(action, passed=True)


def seen(check):
    _, evidence = play(verified(check, ABOUT), {TryCheck: ends, AskModel: judgement("it works"), **ALONE}, min)
    return evidence.passed, {part.check: part.passed for part in evidence.parts}


def test_commands_among_the_criteria_must_pass_and_cover_their_own():
    assert criteria_checks(TaskCompletionSpec("o", CRITERIA), 60.0) == (
        Part("it builds", External("make", timeout=60.0, covers=(2,))),
        Part("make test", External("make test", timeout=60.0, covers=(5,))),
    )
    assert criteria_checks(None, 60.0) == ()


@pytest.mark.parametrize(
    ("check", "name"),
    [
        (StringMatch(), "promise"),
        (Semantic(("it works",)), "acceptance"),
        (External("make   all"), "make all"),
    ],
)
def test_own_check_of_a_stage_comes_after_the_shared_ones(check, name):
    assert after_shared([step("lint")], check) == MultiStage((step("lint"), Part(name, check)), shared=1)


@pytest.mark.parametrize("check", [StringMatch(), MultiStage((step("unit"),), require_all=False)])
def test_without_shared_checks_a_stage_is_verified_as_ever(check):
    assert after_shared([], check) == check
    assert only_shared([]) is None


def test_own_stages_keep_their_names_and_shared_ones_give_way():
    own = MultiStage((step("unit"), step("late", depends_on=("unit",))))
    both = after_shared([step("unit"), step("unit")], own)
    assert [part.name for part in both.stages] == ["unit (2)", "unit (3)", "unit", "late"]
    assert both.stages[2:] == own.stages


def test_first_required_step_that_fails_ends_it_whatever_the_stage_says():
    own = MultiStage((step("unit", "exit 1"), step("late")), require_all=False)
    steps = [step("style", "exit 1", required=False), step("types", "exit 2"), step("lint")]
    assert seen(after_shared(steps, own)) == (False, {"style": False, "types": False})
    passing = [step("style", "exit 1", required=False), step("types")]
    assert seen(after_shared(passing, own)) == (False, {"style": False, "types": True, "unit": False, "late": True})


def test_step_that_is_not_required_never_blocks():
    assert seen(only_shared([step("style", "exit 1", required=False)])) == (True, {"style": False})
    optional = after_shared([step("style", "exit 1", required=False)], Semantic(("it works",)))
    assert seen(optional) == (True, {"style": False, "acceptance": True})


def test_neighbours_run_side_by_side_but_never_a_step_beside_a_stage():
    both = after_shared([step("a", parallel=True), step("b", parallel=True)], MultiStage((step("c", parallel=True),)))
    recipe = verified(both, ABOUT)
    first = next(recipe)
    assert [action.label for action in first] == ["a", "b"]
