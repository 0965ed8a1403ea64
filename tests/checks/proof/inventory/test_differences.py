import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.proof.inventory import Differences, compare, identity
from ralph.model.proof import Inventory


def compared(base, head, **renamed):
    """Compare tests given by their ids, all passed, or by their outcomes."""
    inventories = [
        Inventory(("pytest",), each if isinstance(each, dict) else dict.fromkeys(each, "passed"))
        for each in (base, head)
    ]
    return compare(*inventories, renamed=renamed)


CASES = [f"a.py::test_cases[{number}]" for number in range(5)]


@pytest.mark.parametrize(
    ("test_id", "name"),
    [
        ("tests/test_a.py::test_b", "test_b"),
        ("tests/test_a.py::TestC::test_b[1-a::b]", "test_b"),
        ("tests/test_a.py::test_b[[x]]", "test_b"),
        ("tests/test_a.py::test_b[a\nb]", "test_b"),
        ("app/[id]/page.test.ts::shows [brackets] in titles", "shows [brackets] in titles"),
        ("a.test.js::suite::a/b works", "a/b works"),
        ("example.com/thing::TestTable/x/y", "TestTable"),
        ("example.com/thing::ExampleAdd", "ExampleAdd"),
        ("thing::doc::src/lib.rs - add[2]", "src/lib.rs - add"),
        ("x.ATest::adds(int)[1]", "adds(int)"),
        ("a.test.js::[api] answers", "[api] answers"),
        ("#collect", "#collect"),
        ("", ""),
    ],
)
def test_the_identity_of_a_test_is_its_last_name(test_id, name):
    assert identity(test_id) == name


def test_the_same_tests_have_no_differences():
    assert compared(["a.py::test_a", *CASES], ["a.py::test_a", *CASES]) == Differences()


def test_a_test_that_is_not_there_is_gone():
    assert compared(["a.py::test_a", "a.py::test_b"], ["a.py::test_a"]) == Differences(gone=("a.py::test_b",))


def test_a_new_test_is_added():
    assert compared(["a.py::test_a"], ["a.py::test_a", "b.py::test_b"]) == Differences(added=("b.py::test_b",))


def test_one_case_less_is_fewer_and_not_gone():
    assert compared(CASES, CASES[1:]) == Differences(fewer=("a.py::test_cases: 5 → 4",))


def test_cases_may_have_other_parameters():
    others = [f"a.py::test_cases[new-{number}]" for number in range(5)]
    assert compared(CASES, others) == Differences()
    assert compared(CASES, [*others, "a.py::test_cases[sixth]"]) == Differences(added=("a.py::test_cases[sixth]",))


def test_cases_with_other_parameters_that_are_skipped_are_seen():
    others = {f"a.py::test_cases[new-{number}]": "skipped" for number in range(5)}
    assert compared(CASES, others).newly_skipped == tuple(others)


def test_a_test_that_gets_parameters_is_still_there():
    assert compared(["a.py::test_a"], ["a.py::test_a[1]", "a.py::test_a[2]"]) == Differences(added=("a.py::test_a[2]",))


def test_all_cases_of_a_test_that_is_not_there_are_gone():
    assert compared([*CASES, "a.py::test_a"], ["a.py::test_a"]).gone == tuple(CASES)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (["a.py::test_a", "a.py::test_b"], ["moved/b.py::test_a", "moved/b.py::test_b"]),
        (["a.py::TestOld::test_a"], ["a.py::TestNew::test_a"]),
        (["a.py::test_a"], ["a.py::TestNew::test_a"]),
        (["a.py::TestA::test_x", "a.py::TestB::test_x"], ["b.py::TestA::test_x", "c.py::TestC::test_x"]),
    ],
)
def test_a_test_that_moved_is_the_same(base, head):
    assert compared(base, head) == Differences()


def test_one_test_does_not_stand_for_two_that_had_its_name():
    """Nor does one that was there before, in another file."""
    differences = compared(["a.py::test_x", "b.py::test_x"], ["c.py::test_x"])
    assert len(differences.gone) == 1
    assert compared(["a.py::test_x", "b.py::test_x"], ["b.py::test_x"]).gone == ("a.py::test_x",)


def test_a_moved_test_has_its_outcomes_compared():
    base = {"a.py::test_x": "passed", "b.py::test_x": "failed"}
    head = {"new_b.py::test_x": "passed", "new_a.py::test_x": "skipped"}
    differences = compared(base, head, **{"a.py": "new_a.py", "b.py": "new_b.py"})
    assert differences == Differences(newly_skipped=("new_a.py::test_x",), newly_passing=("new_b.py::test_x",))


def test_a_test_that_was_renamed_is_the_same():
    assert compared(["a.py::test_old"], ["a.py::test_new"], test_old="test_new") == Differences()
    assert compared(["a.py::test_old[1]"], {"b.py::test_new[1]": "skipped"}, test_old="test_new") == Differences(
        newly_skipped=("b.py::test_new[1]",)
    )


def test_a_rename_that_did_not_happen_hides_nothing():
    assert compared(["a.py::test_old"], [], test_old="test_new").gone == ("a.py::test_old",)


@pytest.mark.parametrize(
    ("before", "now", "field"),
    [
        ("passed", "passed", None),
        ("passed", "failed", "newly_failing"),
        ("passed", "skipped", "newly_skipped"),
        ("passed", "xfailed", "newly_xfailed"),
        ("failed", "passed", "newly_passing"),
        ("failed", "failed", "still_failing"),
        ("failed", "skipped", "newly_skipped"),
        ("failed", "xfailed", "newly_xfailed"),
        ("skipped", "passed", "newly_passing"),
        ("skipped", "failed", "newly_failing"),
        ("skipped", "skipped", None),
        ("skipped", "xfailed", None),
        ("xfailed", "passed", "newly_passing"),
        ("xfailed", "failed", "newly_failing"),
        ("xfailed", "skipped", "newly_skipped"),
        ("xfailed", "xfailed", None),
    ],
)
def test_each_pair_of_outcomes_has_its_meaning(before, now, field):
    test = "a.py::test_a"
    expected = Differences(**{field: (test,)}) if field else Differences()
    assert compared({test: before}, {test: now}) == expected


def test_a_failed_collection_is_no_test():
    failed = {"#collect": "failed"}
    assert compared(failed, {}) == Differences()
    assert compared({}, failed) == Differences(newly_failing=("#collect",))
    assert compared(failed, failed) == Differences(still_failing=("#collect",))


def test_cases_of_a_table_in_go_are_cases_of_one_test():
    base = ["m::TestA", "m::TestA/one", "m::TestA/two"]
    assert compared(base, base[:2]) == Differences(fewer=("m::TestA: 3 → 2",))


IDS = st.builds(
    "{}::{}{}".format, st.sampled_from("abc"), st.sampled_from(["x", "y", "z"]), st.sampled_from(["", "[1]", "[2]"])
)
TESTS = st.dictionaries(IDS, st.sampled_from(["passed", "failed", "skipped", "xfailed"]))


@given(TESTS, TESTS)
def test_every_test_is_accounted_for(base, head):
    differences = compared(base, head)
    assert set(differences.gone) <= set(base)
    told = {
        name
        for field in differences.__struct_fields__
        if field not in {"gone", "fewer"}
        for name in getattr(differences, field)
    }
    assert told <= set(head)
    # What is neither gone nor fewer has a counterpart.
    if not differences.gone and not differences.fewer:
        assert len(head) == len(base) + len(differences.added)


@given(TESTS)
def test_nothing_differs_from_itself(tests):
    failing = tuple(name for name, outcome in tests.items() if outcome == "failed")
    assert set(compared(tests, tests).still_failing) == set(failing)
    assert compared(tests, tests).gone == ()


def test_twenty_thousand_tests_are_compared_at_once():
    import time

    base = [f"tests/a.py::test_{number}" for number in range(20_000)]
    head = [f"moved/a.py::test_{number}" for number in range(20_000)]
    same_name = [f"tests/{number}.py::test_x" for number in range(2_000)]
    began = time.process_time()
    assert compared(base, head, **{"tests/a.py": "moved/a.py"}) == Differences()
    assert len(compared(same_name, [f"new/{name}" for name in same_name]).gone) == 0
    assert time.process_time() - began < 2
