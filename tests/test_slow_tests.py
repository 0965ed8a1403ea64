"""The list of tests that `make test` leaves to `make e2e` names only tests that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTED = ROOT.joinpath("tests/slow_tests.txt").read_text(encoding="utf-8").splitlines()


def test_every_slow_test_exists():
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in {name.partition("::")[0] for name in LISTED}}
    missing = []
    for name in LISTED:
        file, first, *_ = name.split("::")
        # A function, a class, or a class that Hypothesis makes of a machine.
        if not re.search(rf"^(?:async def |def |class )?{re.escape(first)}\b", texts[file], re.MULTILINE):
            missing.append(name)
    assert missing == []


def test_the_list_is_sorted_and_has_nothing_twice():
    assert sorted(set(LISTED)) == LISTED
