"""A canary, and what a run with it says about the check."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ralph.model.proof import NewFile


class Canary(Struct, frozen=True):
    """Tests that must fail, put into the base's own test files: a check that still passes cannot fail."""

    changes: dict[str, NewFile] = {}
    """The changes of the tree, by path."""
    must_fail: tuple[str, ...] = ()
    """The ids of the tests that must not pass, as in an inventory, without parameters. If no test could be changed, the
    scripts and targets that fail at their end."""
    exit_only: bool = False
    """Whether only the exit code counts, because no runner reports its tests."""
    left_out: str = ""
    """Why there is no canary. Then there is nothing to run."""
    word: str = ""
    """A part of the name of each added test."""


def complaint(canary: Canary, *, passed: bool, tests: Mapping[str, str]) -> str:
    """What is wrong with a check that ended like this, in one sentence; empty if it failed as it must."""
    if not canary.must_fail:
        return ""
    if passed:
        return _passes(canary)
    if canary.exit_only:
        return ""
    if accepted := next(_that_pass(canary, tests), ""):
        how = "although it must fail" if canary.word in accepted else "with another expected value"
        return f"{_name(accepted)} passes {how}"
    return "tests added to the base's files are not run" if _are_passed_over(canary, tests) else ""


def unproven(canary: Canary, *, passed: bool, tests: Mapping[str, str]) -> str:
    """Why a check that failed with the canary shows nothing; empty if it failed because of the canary.

    A linter that runs before the tests may reject the added ones, so this is no complaint; but hostile code that
    recognises a canary can cause it, too.
    """
    if not canary.must_fail or canary.exit_only or passed or _are_reached(canary, tests):
        return ""
    return "the check ended before it ran the tests that must fail"


def _passes(canary: Canary) -> str:
    if canary.exit_only and "::" not in canary.must_fail[0]:
        return f"the check passes with {canary.must_fail[0]} made to fail at its end"
    return "the check passes with a test that must fail"


def _that_pass(canary: Canary, tests: Mapping[str, str]) -> Iterator[str]:
    wanted = frozenset(canary.must_fail)
    return (each for each, result in tests.items() if result == "passed" and _is_wanted(canary.word, wanted, each))


def _are_reached(canary: Canary, tests: Mapping[str, str]) -> bool:
    wanted = frozenset(canary.must_fail)
    return any(_is_wanted(canary.word, wanted, each) for each in tests)


def _are_passed_over(canary: Canary, tests: Mapping[str, str]) -> bool:
    """Whether other tests of the same files ran, and no failure could have prevented these from running."""
    if _are_reached(canary, tests) or "failed" in tests.values():
        return False
    places = {each.partition("::")[0] for each in canary.must_fail}
    return any(each.partition("::")[0] in places for each in tests)


def _is_wanted(word: str, wanted: frozenset[str], test_id: str) -> bool:
    """Whether the test must fail. An added test is recognised by its word, whatever the runner makes of its file and
    class.
    """
    added = bool(word) and word in test_id
    return added or test_id in wanted or test_id.partition("[")[0] in wanted


def _name(test_id: str) -> str:
    return test_id.partition("[")[0].rpartition("::")[2] or test_id
