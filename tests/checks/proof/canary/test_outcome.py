import pytest

from ralph.checks.proof.canary import Canary, complaint, unproven
from ralph.model.proof import NewFile

WORD = "5f3a9c01"
CHANGES = {"tests/test_calc.py": NewFile("100644", b"")}
MUST_FAIL = ("tests/test_calc.py::test_add", f"tests/test_calc.py::test_add_{WORD}")
CANARY = Canary(CHANGES, MUST_FAIL, word=WORD)
FAILED = {"tests/test_calc.py::test_add": "failed", f"tests/test_calc.py::test_add_{WORD}": "failed"}


@pytest.mark.parametrize(
    ("passed", "tests", "said"),
    [
        (False, FAILED, ""),
        (True, FAILED, "the check passes with a test that must fail"),
        (True, {}, "the check passes with a test that must fail"),
        (False, {**FAILED, MUST_FAIL[0]: "passed"}, "test_add passes with another expected value"),
        (False, {f"{MUST_FAIL[0]}[1-2]": "passed"}, "test_add passes with another expected value"),
        (False, {**FAILED, MUST_FAIL[1]: "passed"}, f"test_add_{WORD} passes although it must fail"),
        (False, {f"moved.{WORD}": "passed"}, f"moved.{WORD} passes although it must fail"),
        (False, {"tests/test_other.py::test_add": "passed", **FAILED}, ""),
        (False, {"tests/test_calc.py::TestIt::test_add": "passed", **FAILED}, ""),
        (False, {MUST_FAIL[0]: "skipped"}, ""),
        (False, {"tests/test_calc.py::test_mul": "passed"}, "tests added to the base's files are not run"),
        (False, {"tests/test_calc.py::test_mul": "failed"}, ""),
        (False, {"tests/test_calc.py::test_mul": "passed", "#collect": "failed"}, ""),
        (False, {"tests/test_other.py::test_a": "passed"}, ""),
        (False, {}, ""),
    ],
)
def test_what_a_run_with_the_canary_says(passed, tests, said):
    assert complaint(CANARY, passed=passed, tests=tests) == said


def test_without_a_canary_there_is_no_complaint():
    nothing = Canary(left_out="no test file")
    assert complaint(nothing, passed=True, tests={}) == ""
    assert unproven(nothing, passed=True, tests={}) == ""


def test_scripts_are_judged_by_the_exit_code_alone():
    scripts = Canary(CHANGES, ("scripts/verify.py",), exit_only=True)
    said = "the check passes with scripts/verify.py made to fail at its end"
    assert complaint(scripts, passed=True, tests={}) == said
    assert complaint(scripts, passed=False, tests={"tests/test_other.py::test_a": "passed"}) == ""
    assert unproven(scripts, passed=False, tests={}) == ""


def test_a_check_that_ends_before_its_tests_shows_nothing():
    said = "the check ended before it ran the tests that must fail"
    assert unproven(CANARY, passed=False, tests={}) == said
    assert unproven(CANARY, passed=False, tests={"#collect": "failed"}) == said
    assert unproven(CANARY, passed=False, tests=FAILED) == ""
    assert unproven(CANARY, passed=True, tests={}) == ""
