"""The test inventory: which tests ran in a trial and how they ended, taken through environment variables only."""

from ralph.checks.proof.inventory.breakage import breaks
from ralph.checks.proof.inventory.collected import collected
from ralph.checks.proof.inventory.differences import Differences, compare
from ralph.checks.proof.inventory.ids import file_of, identity
from ralph.checks.proof.inventory.prepared import prepared

__all__ = ["Differences", "breaks", "collected", "compare", "file_of", "identity", "prepared"]
