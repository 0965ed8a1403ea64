"""What one source says about the tests of a trial, before the sources are combined."""

from collections.abc import Iterable

from msgspec import Struct

from ralph.model.proof import Outcome

COLLECTION = "#collect"
"""The id of a failure before any test: a file that could not be imported or compiled."""
LONGEST_ID = 2_000

_BEST_FIRST: tuple[Outcome, ...] = ("passed", "xfailed", "skipped", "failed")


class Reported(Struct, frozen=True):
    """The tests that one runner reported."""

    runner: str
    tests: dict[str, Outcome]
    ended: bool = True


def worse(one: Outcome, other: Outcome) -> Outcome:
    return one if _BEST_FIRST.index(one) >= _BEST_FIRST.index(other) else other


def with_outcome(tests: dict[str, Outcome], test_id: str, outcome: Outcome) -> None:
    """Add an outcome. A test that is reported twice has the worse outcome: one of them may be forged."""
    test_id = test_id[:LONGEST_ID]
    tests[test_id] = worse(tests.get(test_id, outcome), outcome)


def together(reports: Iterable[Reported]) -> dict[str, Outcome]:
    tests: dict[str, Outcome] = {}
    for report in reports:
        for test_id, outcome in report.tests.items():
            with_outcome(tests, test_id, outcome)
    return tests
