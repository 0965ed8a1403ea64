"""The canary: a check that passes with tests that must fail proves nothing.

`canary` changes the base's own tests so that they must fail, or, if a check runs no tests, the scripts that it runs.
The check then runs once with these changes, and `complaint` says what is wrong if it does not fail as it must. An
honest project must never fail by accident, so everything that could pass for an honest reason is left alone.
"""

from ralph.checks.proof.canary.making import canary
from ralph.checks.proof.canary.outcome import Canary, complaint, unproven

__all__ = ["Canary", "canary", "complaint", "unproven"]
