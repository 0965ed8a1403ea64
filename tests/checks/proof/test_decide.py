"""The decision over what was seen: facts in, findings out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.checks.proof.decide import COLLECTION, Facts, decide, flaky_tests, only_fails_as_before
from ralph.model.proof import Change, Finding, Inventory, Trial

ADD, SUB = "tests/test_calc.py::test_add", "tests/test_calc.py::test_sub"
TOUCHED = Change(tests=("tests/test_calc.py",))


def ran(*, passed=None, ended=True, void="", runners=("pytest",), count=None, **outcomes):
    """A trial; without a word it passes if no test failed."""
    tests = {{"add": ADD, "sub": SUB, "collection": COLLECTION}[name]: outcome for name, outcome in outcomes.items()}
    good = "failed" not in tests.values() if passed is None else passed
    return Trial(good, inventory=Inventory(runners, tests, ended=ended, void=void, count=count))


def silent(*, passed=True, count=None):
    return ran(passed=passed, runners=(), count=count)


GREEN = ran(add="passed", sub="passed")
RED = ran(add="failed", sub="passed")


def levels(change=TOUCHED, more=None, **trials):
    named = {name.replace("_", "-"): trial for name, trial in trials.items()}
    found = decide(Facts(change, named, **(more or {})))
    return {(each.rule, each.level) for each in found}


def test_a_test_that_was_red_and_is_green_with_all_else_as_it_was_is_fine():
    assert levels(Change(), commit=GREEN, base=RED) == set()


@pytest.mark.parametrize(
    ("trials", "rule"),
    [
        ({"commit": silent(), "base": RED}, "inventory"),
        ({"commit": ran(ended=False, add="passed"), "base": RED}, "inventory"),
        ({"commit": ran(passed=True, add="skipped", sub="skipped"), "base": RED}, "inventory"),
        ({"commit": ran(sub="passed"), "base": RED}, "inventory"),
        ({"commit": ran(add="skipped", sub="passed"), "base": RED}, "inventory"),
        ({"commit": ran(add="xfailed", sub="passed"), "base": RED}, "inventory"),
        ({"commit": ran(passed=True, add="passed", void="no reporter"), "base": RED}, "inventory"),
        ({"commit": GREEN, "base": RED, "base_judges": ran(sub="passed")}, "inventory"),
        ({"commit": silent(count=2), "base": silent(passed=False, count=3)}, "inventory"),
        ({"commit": silent(), "base": silent(passed=False, count=3)}, "inventory"),
        ({"commit": ran(passed=True, add="failed", sub="passed"), "base": RED}, "inventory"),
        ({"commit": GREEN, "base": RED, "base_judges": RED}, "base-tests"),
        ({"commit": silent(), "base": silent(passed=False), "base_judges": silent(passed=False)}, "base-tests"),
        ({"commit": GREEN, "base": RED, "base_judges": RED, "change_judges": GREEN}, "judges"),
    ],
)
def test_what_makes_a_pass_worthless_blocks(trials, rule):
    assert (rule, "block") in levels(**trials)


def test_a_void_inventory_blocks_only_where_the_base_tests_do_not_pass():
    void = ran(passed=True, add="passed", void="no reporter")
    assert levels(commit=void, base=RED, base_judges=GREEN) == set()


def test_what_the_base_did_already_is_the_user_s_own_way():
    unfinished = ran(ended=False, add="passed", sub="passed")
    assert levels(Change(), commit=unfinished, base=unfinished) == set()
    void = ran(passed=True, add="passed", void="no reporter")
    assert levels(Change(), commit=void, base=void) == set()
    lenient = ran(passed=True, add="failed", sub="passed")
    assert levels(Change(), commit=lenient, base=lenient) == set()


def test_the_first_tests_of_a_project_need_no_tests_before_them():
    first = Change(tests=("tests/test_calc.py",), only_adds_tests=True)
    nothing = ran(passed=False)
    trials = {"commit": GREEN, "base": nothing, "base_judges": nothing, "change_judges": GREEN}
    assert levels(first, **trials) == set()
    assert levels(replace(first, judges=("pytest.ini",), only_adds_tests=False), **trials) != set()


SKIP = Finding("skip", "block", "pytest.mark.skip skips", "tests/test_calc.py", 6, "@pytest.mark.skip", "test_add")
SKIP_FILE = Finding("skip", "block", "pytestmark skips the whole file", "tests/test_calc.py", 1, "pytestmark = skip")
GONE = Finding("gone", "block", "test_add is gone", "tests/test_calc.py", 5, "def test_add():", "test_add")
WEAKER = Finding("changed-assertion", "warn", "was changed", "tests/test_calc.py", 7, "assert add(1, 2)", "test_add")
LEFT = Finding("exit", "warn", "os._exit ends the process", "calc.py", 3, "os._exit(0)")
LOST = {"commit": ran(sub="passed"), "base": RED}
SKIPPED = {"commit": ran(add="skipped", sub="passed"), "base": RED}
STILL_RED = {"commit": GREEN, "base": RED, "base_judges": RED}


@pytest.mark.parametrize(
    ("trials", "diff", "place"),
    [
        (LOST, GONE, ("tests/test_calc.py", 5, "def test_add():")),
        (LOST, LEFT, ("calc.py", 3, "os._exit(0)")),
        (SKIPPED, SKIP, ("tests/test_calc.py", 6, "@pytest.mark.skip")),
        (SKIPPED, SKIP_FILE, ("tests/test_calc.py", 1, "pytestmark = skip")),
        (SKIPPED, replace(SKIP, file="tests/base.py"), ("tests/base.py", 6, "@pytest.mark.skip")),
        (STILL_RED, WEAKER, ("tests/test_calc.py", 7, "assert add(1, 2)")),
        ({"commit": silent(), "base": RED}, LEFT, ("calc.py", 3, "os._exit(0)")),
        # About another test, or about another file, it explains nothing.
        (SKIPPED, replace(SKIP, test="test_sub"), ("", 0, "")),
        (SKIPPED, replace(SKIP_FILE, file="tests/test_other.py"), ("", 0, "")),
        (LOST, WEAKER, ("", 0, "")),
    ],
)
def test_a_finding_of_the_trials_has_the_line_that_explains_it(trials, diff, place):
    named = {name.replace("_", "-"): trial for name, trial in trials.items()}
    first = decide(Facts(Change(tests=("tests/test_calc.py",), findings=(diff,)), named))[0]
    assert first.rule in ("inventory", "base-tests")
    assert (first.file, first.line, first.shown) == place


def test_of_very_many_lost_tests_the_rest_is_counted():
    before = Inventory(("pytest",), {f"tests/test_calc.py::test_{number}": "passed" for number in range(20_000)})
    now = Inventory(("pytest",), {"tests/test_calc.py::test_7": "passed"})
    found = decide(
        Facts(TOUCHED, {"commit": Trial(passed=True, inventory=now), "base": Trial(passed=True, inventory=before)})
    )
    assert len(found) == 21
    assert found[-1].text == "19979 more tests: each is no longer collected"


def test_behaviour_that_changed_warns():
    changed = ran(add="passed", sub="failed")
    assert levels(commit=GREEN, base=RED, base_judges=changed) == {("base-tests", "warn")}


def test_a_check_that_fails_with_the_old_judges_though_no_test_does_warns():
    assert levels(commit=GREEN, base=RED, base_judges=ran(passed=False, add="passed", sub="passed")) == {
        ("base-tests", "warn")
    }


@pytest.mark.parametrize("place", ["canary", "own_canary"])
def test_a_canary_that_lives_blocks(place):
    assert levels(Change(), {place: "the check passes with a test that must fail"}, commit=GREEN, base=RED) == {
        ("canary", "block")
    }


def test_a_test_in_a_file_that_may_change_may_go():
    gone = {"commit": ran(sub="passed"), "base": RED}
    assert levels(TOUCHED, {"is_allowed": lambda path: path == "tests/test_calc.py"}, **gone) == set()


def test_a_runner_may_be_replaced_where_its_tests_may_change_or_run_on():
    other = ran(runners=("unittest",), add="passed", sub="passed")
    half = ran(runners=("unittest",), add="passed")
    gone = ("inventory", "block")
    assert levels(commit=other, base=RED) == set()
    assert gone in levels(commit=half, base=RED)
    allowed = {"is_allowed": lambda path: path == "tests/test_calc.py"}
    assert levels(more=allowed, commit=half, base=RED) == set()
    assert gone in levels(more=allowed, commit=silent(), base=RED)
    assert gone in levels(more=allowed, commit=other, base=ran(collection="failed"))


def test_a_test_with_a_new_name_is_not_gone():
    renamed = Trial(passed=True, inventory=Inventory(("pytest",), {"tests/test_calc.py::test_plus": "passed"}))
    before = Trial(passed=False, inventory=Inventory(("pytest",), {ADD: "failed"}))
    change = Change(tests=("tests/test_calc.py",), renamed={"test_add": "test_plus"})
    assert levels(change, commit=renamed, base=before) == set()


BY_CHANCE = {"flaky": {SUB: frozenset({"passed", "failed"})}}


def test_a_flaky_test_decides_nothing():
    held = ran(add="passed", sub="failed")
    assert levels(TOUCHED, BY_CHANCE, commit=GREEN, base=RED, base_judges=held) == set()
    assert ("base-tests", "warn") in levels(TOUCHED, commit=GREEN, base=RED, base_judges=held)


def test_beside_a_flaky_test_the_others_decide():
    held = ran(add="failed", sub="failed")
    assert ("base-tests", "block") in levels(TOUCHED, BY_CHANCE, commit=GREEN, base=RED, base_judges=held)
    unfinished = ran(ended=False, sub="failed")
    assert levels(TOUCHED, BY_CHANCE, commit=GREEN, base=RED, base_judges=unfinished)


def test_a_base_that_only_failed_by_chance_is_not_made_green_by_the_changed_judges():
    by_chance = ran(add="passed", sub="failed")
    trials = {"commit": GREEN, "base": by_chance, "base_judges": RED, "change_judges": GREEN}
    assert ("judges", "block") in levels(**trials)
    assert ("judges", "block") not in levels(TOUCHED, BY_CHANCE, **trials)


def test_a_flaky_test_may_be_skipped_only_if_the_base_skips_it_at_times():
    now = ran(add="passed", sub="skipped")
    assert levels(Change(), BY_CHANCE, commit=now, base=GREEN) == {("inventory", "block")}
    at_times = {"flaky": {SUB: frozenset({"passed", "skipped"})}}
    assert levels(Change(), at_times, commit=now, base=GREEN) == set()


def test_a_flaky_test_may_not_be_taken_away():
    assert levels(Change(), BY_CHANCE, commit=ran(add="passed"), base=GREEN) == {("inventory", "block")}


def test_a_product_that_asks_is_not_blamed_for_a_flaky_test():
    asks = Change(findings=(Finding("runner", "block", "the product asks"),))
    unasked = ran(add="passed", sub="failed")
    assert levels(asks, BY_CHANCE, commit=GREEN, base=RED, unasked=unasked) == set()
    assert levels(asks, commit=GREEN, base=RED, unasked=unasked) == {("runner", "block")}


def test_what_failed_before_may_fail_still_where_that_was_said():
    held = ran(add="failed", sub="passed")
    assert levels(TOUCHED, {"relative": True}, commit=RED, base=RED, base_judges=held) == set()


def test_a_check_that_had_to_be_red_and_was_not_warns():
    assert levels(Change(), {"red": True}, commit=GREEN, base=GREEN) == {("red", "warn")}


def test_nothing_changed_warns():
    assert levels(Change(is_empty=True), commit=GREEN, base=GREEN) == {("deliver", "warn")}


@pytest.mark.parametrize(
    ("rule", "trials", "level"),
    [
        ("hook", {"commit": GREEN, "base": RED}, "block"),
        ("hook", {"commit": GREEN, "base": RED, "base_judges": GREEN, "own_canary": RED}, "warn"),
        ("skip", {"commit": GREEN, "base": RED}, None),
        ("skip", {"commit": silent(), "base": silent(passed=False)}, "block"),
        ("gone", {"commit": GREEN, "base": RED}, None),
        ("emptied", {"commit": GREEN, "base": RED}, "block"),
        ("exit", {"commit": GREEN, "base": RED}, "block"),
    ],
)
def test_what_the_diff_shows_counts_by_its_effect_where_that_was_seen(rule, trials, level):
    change = Change(findings=(Finding(rule, "block", "so"),))
    assert levels(change, **trials) == ({(rule, level)} if level else set())


def test_a_product_that_asks_whether_it_is_tested_counts_by_the_effect():
    asks = Change(findings=(Finding("runner", "block", "the product asks"), Finding("runner", "warn", "it imports")))
    assert levels(asks, commit=GREEN, base=RED) == {("runner", "block"), ("runner", "warn")}
    assert levels(asks, commit=GREEN, base=RED, unasked=RED) == {("runner", "block"), ("runner", "warn")}
    assert levels(asks, commit=GREEN, base=RED, unasked=GREEN) == {("runner", "warn")}


def test_a_changed_assertion_is_silent_if_the_base_tests_pass():
    change = Change(tests=("t",), findings=(Finding("changed-assertion", "warn", "so"),))
    assert levels(change, commit=GREEN, base=RED, base_judges=GREEN) == set()
    assert levels(change, commit=GREEN, base=RED) == {("changed-assertion", "warn")}


def test_without_a_trial_of_the_base_the_diff_alone_speaks():
    change = Change(findings=(Finding("exit", "block", "so"),))
    assert levels(change, commit=GREEN) == {("exit", "block")}


def test_tests_that_end_differently_on_the_same_tree_are_flaky():
    looks = [GREEN.inventory, RED.inventory]
    assert flaky_tests(looks) == {ADD: {"passed", "failed"}}
    assert flaky_tests(looks[:1]) == {}


def test_only_what_failed_before_fails():
    assert only_fails_as_before(RED.inventory, RED.inventory)
    assert not only_fails_as_before(ran(add="passed", sub="failed").inventory, RED.inventory)
    assert not only_fails_as_before(ran(add="failed", ended=False).inventory, RED.inventory)
    assert not only_fails_as_before(ran(collection="failed").inventory, RED.inventory)


OUTCOMES = st.sampled_from(["passed", "failed", "skipped", "xfailed"])
INVENTORIES = st.builds(
    Inventory,
    st.sampled_from([(), ("pytest",)]),
    st.dictionaries(st.sampled_from([ADD, SUB, COLLECTION]), OUTCOMES),
    ended=st.booleans(),
)
TRIALS = st.builds(Trial, st.booleans(), inventory=INVENTORIES)


@given(st.dictionaries(st.sampled_from(["base", "base-judges", "change-judges", "own-canary"]), TRIALS), TRIALS)
def test_whatever_was_seen_is_decided(trials, commit):
    assert {each.level for each in decide(Facts(TOUCHED, {**trials, "commit": commit}))} <= {"block", "warn", "note"}


@given(st.dictionaries(st.sampled_from(["base-judges", "change-judges"]), TRIALS), OUTCOMES)
def test_no_other_trial_makes_up_for_a_test_that_is_gone(trials, outcome):
    facts = Facts(
        TOUCHED,
        {**trials, "commit": ran(passed=True, sub="passed"), "base": ran(passed=False, add=outcome, sub="passed")},
    )
    assert any(each.level == "block" and ADD in each.text for each in decide(facts))


def test_a_test_that_the_check_rewrites_warns_unless_it_did_so_before():
    rewrites = replace(GREEN, rewrote=("tests/test_calc.py",))
    assert levels(Change(), commit=rewrites, base=RED) == {("rewritten", "warn")}
    assert levels(Change(), commit=GREEN, base=RED, base_judges=rewrites) == {("rewritten", "warn")}
    assert levels(Change(), commit=rewrites, base=replace(RED, rewrote=rewrites.rewrote)) == set()
    assert (
        levels(Change(), {"is_allowed": lambda path: path == "tests/test_calc.py"}, commit=rewrites, base=RED) == set()
    )
