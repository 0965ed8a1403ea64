"""The rows of the speed table about proof: what it costs to check on a clean checkout and not in the user's tree."""

import json

from measure import median
from rows import Row
from store_rows import program
from workshop import Workshop

CLAIM, CHECKOUT, SAME = 1.3, 1.5, 1.0


def claim(shop: Workshop) -> list[Row]:
    """A check of a second on a clean checkout of the work, 10,000 files of which ten were changed."""
    samples = _verifying(shop, "claim")
    check, ralph = (median(samples[name]) for name in ("check", "ralph"))
    return [_compared("a check of 1 s where only ralph works, 10,000 files", ralph, check, CLAIM, samples)]


def checkout(shop: Workshop) -> list[Row]:
    """The checkout itself, 50,000 files: made, and had once more. What disturbs it only adds to it."""
    samples = _verifying(shop, "checkout")
    git, ralph, again = (min(samples[name]) for name in ("git", "ralph", "again"))
    what = "a checkout for checks, 50,000 files"
    return [
        _compared(f"{what}: made", ralph, git, CHECKOUT, samples),
        _compared(f"{what}: the same again", again, git, SAME, {}),
    ]


def _compared(what: str, ralph: float, other: float, limit: float, samples: dict[str, list[float]]) -> Row:
    return Row(what, f"{ralph:.2f} s", f"{other:.2f} s", ralph / other, limit, "x", samples)


def _verifying(shop: Workshop, what: str) -> dict[str, list[float]]:
    return json.loads(program("verifying.py", what, str(shop.root / what)))


CLAIMING = (claim,)
CHECKING_OUT = (checkout,)
"""This writes many files, as they are written where people work."""
