"""Whether a command broke because of what ralph added to its environment, and what the next try leaves out."""

from collections.abc import Collection
from pathlib import Path

from ralph.checks.proof.inventory.go import GO
from ralph.checks.proof.inventory.node import NODE, NODE_DEFAULT, NODE_REPORTER
from ralph.checks.proof.inventory.output import read_output
from ralph.checks.proof.inventory.pytest_xml import PYTEST_XML

UNEVEN = b"must match the number of specified '--test-reporter-destination'"
OLD_NODE = b"--test-reporter= is not allowed in NODE_OPTIONS"
OLD_GO = b"parsing $GOFLAGS: unknown flag -test.v"
NO_XML = b"unrecognized arguments: --junitxml="


def breaks(log: Path, exit_code: int | None, *, without: Collection[str] = ()) -> frozenset[str]:
    """What `prepared` must leave out when the trial is repeated; empty if nothing that was added broke the command.

    Ask again after the next try. The tested code can print the same lines; its only gain is a void inventory, and then
    the base's tests decide.
    """
    if not exit_code:
        return frozenset()
    text, left_out = read_output(log).text, frozenset(without)
    more = [name for words, name in _signs(left_out) if words in text and name not in left_out]
    return left_out | {more[0]} if more else frozenset()


def _signs(left_out: Collection[str]) -> tuple[tuple[bytes, str], ...]:
    """The signs of breakage. Node prints the same error for one destination too few and for one too many: too few is
    tried first.
    """
    return (
        (UNEVEN, NODE if NODE_DEFAULT in left_out else NODE_DEFAULT),
        (OLD_NODE, NODE_REPORTER),
        (OLD_GO, GO),
        (NO_XML, PYTEST_XML),
    )
