import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.proof.inventory.counts import count_of
from ralph.checks.proof.inventory.output import Output

# The last lines of each runner; of what was skipped nothing ran.
SUMMARIES = {
    "pytest": ("===== 2 failed, 12 passed, 1 skipped, 1 xfailed in 0.12s =====\n", 15),
    "pytest -q": ("12 passed, 3 warnings in 0.12s\n", 12),
    "pytest, only skipped": ("3 skipped in 0.01s\n", 0),
    "unittest": ("Ran 12 tests in 0.001s\n\nOK (skipped=2)\n", 10),
    "unittest, failed": ("Ran 1 test in 0.001s\n\nFAILED (failures=1)\n", 1),
    "jest": ("Tests:       1 failed, 1 skipped, 3 passed, 5 total\nTime: 1 s\n", 4),
    "vitest": ("      Tests  1 failed | 5 passed | 1 skipped (7)\n   Start at  10:00:00\n", 6),
    "mocha": ("\n  3 passing (5ms)\n  2 pending\n  1 failing\n", 4),
    "node": ("ℹ tests 5\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\n", 4),  # noqa: RUF001
    "node, TAP": ("# tests 5\n# suites 0\n# pass 3\n# fail 1\n# cancelled 0\n", 4),
    "cargo": ("test result: ok. 12 passed; 1 failed; 3 ignored; 0 measured; 0 filtered out\n", 13),
    "nextest": ("     Summary [   0.010s] 3 tests run: 3 passed, 1 skipped\n", 3),
    "phpunit": ("OK (12 tests, 15 assertions)\n", 12),
    "phpunit, failed": ("FAILURES!\nTests: 12, Assertions: 20, Failures: 1, Skipped: 2.\n", 10),
    "maven": ("[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 2\n", 10),
    "ctest": ("100% tests passed, 0 tests failed out of 12\n", 12),
    "rspec": ("12 examples, 1 failure, 2 pending\n", 10),
    "jasmine": ("12 specs, 0 failures\n", 12),
    "minitest": ("12 runs, 30 assertions, 0 failures, 0 errors, 1 skips\n", 11),
    "bats": ("12 tests, 0 failures\n", 12),
    "swift": ("Executed 12 tests, with 0 failures (0 unexpected) in 0.1 seconds\n", 12),
    "googletest": ("[  PASSED  ] 12 tests.\n", 12),
    "dotnet": ("Passed!  - Failed:     1, Passed:    12, Skipped:     3, Total:    16\n", 13),
    "prove": ("Files=1, Tests=12,  0 wallclock secs\nResult: PASS\n", 12),
    "deno": ("ok | 12 passed | 1 failed (10ms)\n", 13),
    "ava": ("\n  12 tests passed\n", 12),
    "plain": ("12 passed, 1 failed\n", 13),
}


def count(text):
    return count_of(Output(b"", text.encode()))


@pytest.mark.parametrize("runner", SUMMARIES)
def test_the_last_line_tells_the_number(runner):
    text, number = SUMMARIES[runner]
    assert count(text) == number
    assert count("noise before\n" + text + "and after\n") == number


def test_the_last_summary_counts():
    assert count("5 passed in 0.1s\n3 passed in 0.1s\n") == 3
    assert count("5 passed in 0.1s\nOK (12 tests, 15 assertions)\n") == 12


def test_all_programs_of_cargo_count():
    line = "running {0} tests\n\ntest result: ok. {0} passed; 1 failed; 0 ignored; 0 measured\n\n"
    assert count("".join(map(line.format, (3, 0, 2)))) == 8
    assert count(line.format(3) + "5 passed in 0.1s\n") == 5


@pytest.mark.parametrize("text", ["", "all is well\n", "passed\n", "took 12 s\n", "12 files changed\n"])
def test_other_words_tell_none(text):
    assert count(text) is None


def test_a_number_without_end_is_no_number():
    assert count("9" * 5_000 + " passed in 1s\n") is None


@given(st.text())
def test_any_text_has_a_number_or_none(text):
    number = count(text)
    assert number is None or isinstance(number, int)


def test_a_runner_without_an_inventory_has_its_count(project):
    project.write({"check.sh": "echo 'OK (12 tests, 15 assertions)'"})
    assert project.try_out("sh check.sh").inventory.count == 12


def test_a_runner_with_an_inventory_has_none(project):
    project.write({"test_a.py": "def test_a(): pass"})
    assert project.try_out("pytest").inventory.count is None
