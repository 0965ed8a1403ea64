"""Cargo itself, and what it printed where it is not installed."""

import os
from pathlib import Path

import pytest

from checks.proof.inventory.javascript_runners import need
from ralph.checks.proof.inventory.cargo import cargo_report
from ralph.checks.proof.inventory.output import Output

LIBRARY = """
/// Adds.
///
/// ```
/// assert_eq!(thing::add(1, 2), 3);
/// ```
///
/// ```
/// assert_eq!(thing::add(1, 2), 4);
/// ```
///
/// ```no_run
/// loop {}
/// ```
pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    #[test] fn passes() {}
    #[test] fn prints() { print!("no end of line"); }
    #[test] fn says() { println!("a line"); }
    #[test] fn fails() { assert_eq!(super::add(1, 2), 4); }
    #[test] #[ignore] fn ignored() {}
    #[test] #[ignore = "slow"] fn ignored_with_reason() {}
    #[test] #[should_panic] fn panics() { panic!(); }
}
"""
FILES = {
    "Cargo.toml": '[package]\nname = "thing"\nversion = "0.1.0"\nedition = "2018"\n',
    "src/lib.rs": LIBRARY,
    "tests/whole.rs": "#[test] fn works() {}\n",
}
UNIT = {
    "thing::tests::passes": "passed",
    "thing::tests::prints": "passed",
    "thing::tests::says": "passed",
    "thing::tests::fails": "failed",
    "thing::tests::ignored": "skipped",
    "thing::tests::ignored_with_reason": "skipped",
    "thing::tests::panics": "passed",
}
OUTCOMES = UNIT | {
    "whole::works": "passed",
    "thing::doc::src/lib.rs - add": "passed",
    "thing::doc::src/lib.rs - add[2]": "failed",
    "thing::doc::src/lib.rs - add[3]": "passed",
}
# Of cargo 1.95.0, shortened by the traces of failures; documented examples end in any order.
RECORDED = b"""    Finished `test` profile [unoptimized + debuginfo] target(s) in 2.06s
     Running unittests src/lib.rs (target/debug/deps/thing-3413a480fe4235bf)

running 7 tests
test tests::ignored ... ignored
test tests::ignored_with_reason ... ignored, slow
test tests::fails ... FAILED
test tests::panics - should panic ... ok
test tests::passes ... ok
test tests::prints ... ok
test tests::says ... ok

failures:

failures:
    tests::fails

test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.26s

error: test failed, to rerun pass `--lib`
     Running tests/whole.rs (target/debug/deps/whole-1f53e721294d7bc1)

running 1 test
test works ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests thing

running 3 tests
test src/lib.rs - add (line 8) ... FAILED
test src/lib.rs - add (line 12) - compile ... ok
test src/lib.rs - add (line 4) ... ok

failures:

failures:
    src/lib.rs - add (line 8)

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.61s

error: doctest failed, to rerun pass `--doc`
"""
# With --nocapture --test-threads=1.
UNCAPTURED = b"""     Running unittests src/lib.rs (target/debug/deps/thing-3413a480fe4235bf)

running 7 tests
test tests::fails ... FAILED
test tests::ignored ... ignored
test tests::ignored_with_reason ... ignored, slow
test tests::panics - should panic ... ok
test tests::passes ... ok
test tests::prints ... no end of lineok
test tests::says ... a line
ok

failures:

failures:
    tests::fails

test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.37s
"""


@pytest.fixture
def cargo(project):
    need("cargo")
    home = Path.home()
    project.env |= {
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")),
        "CARGO_NET_OFFLINE": "true",
    }
    return project.write(FILES)


def reported(text):
    return list(cargo_report(Output(text, text)))


def test_what_cargo_printed_is_read():
    [report] = reported(RECORDED)
    assert (report.runner, report.tests, report.ended) == ("cargo", OUTCOMES, True)


def test_the_words_of_tests_do_not_hide_their_outcomes():
    [report] = reported(UNCAPTURED)
    assert (report.tests, report.ended) == (UNIT, True)


def test_a_program_that_left_has_not_ended():
    [report] = reported(RECORDED[: RECORDED.index(b"test tests::prints")])
    assert not report.ended


def test_tests_that_are_counted_and_not_named_are_no_inventory():
    assert reported(b"\nrunning 7 tests\nii....\ntest result: ok. 5 passed; 0 failed; 2 ignored; 0 measured\n") == []


def test_an_example_keeps_its_id_when_lines_are_added_above_it():
    moved = (
        RECORDED.replace(b"(line 12)", b"(line 112)")
        .replace(b"(line 8)", b"(line 108)")
        .replace(b"(line 4)", b"(line 9)")
    )
    assert reported(moved)[0].tests == OUTCOMES


def test_other_output_is_not_cargos():
    assert reported(b"Loading ... ok\nrunning 3 tests\nthis is a test result: ok.\n") == []


@pytest.mark.e2e
def test_cargo_reports(cargo):
    trial = cargo.try_out("cargo test --no-fail-fast")
    assert trial.exit_code == 101
    assert (trial.inventory.tests, trial.inventory.runners) == (OUTCOMES, ("cargo",)), trial.log
    assert trial.inventory.ended
    quiet = cargo.try_out("cargo test --lib --quiet").inventory
    assert (quiet.runners, quiet.count) == ((), 5)
    uncaptured = cargo.try_out("cargo test --lib -- --nocapture --test-threads=1").inventory
    assert uncaptured.tests == UNIT
    coloured = cargo.try_out("CARGO_TERM_COLOR=always cargo test --lib -- --color always").inventory
    assert coloured.tests == UNIT


@pytest.mark.e2e
def test_a_test_that_leaves_is_seen(cargo):
    cargo.write({"tests/whole.rs": "#[test] fn a() {}\n#[test] fn b() { std::process::exit(0) }\n"})
    trial = cargo.try_out("cargo test --test whole -- --test-threads=1")
    assert (trial.exit_code, trial.inventory.runners, trial.inventory.ended) == (0, ("cargo",), False)


@pytest.mark.e2e
def test_what_does_not_compile_is_a_failed_collection(cargo):
    cargo.write({"tests/whole.rs": "#[test] fn a( {}\n"})
    assert cargo.try_out("cargo test --test whole").inventory.tests == {"#collect": "failed"}
