"""The table of what a trial gets and of where its tests are read from.

| runner | how it reports | what keeps it from reporting |
|---|---|---|
| pytest | a plugin on PYTHONPATH, or JUnit XML by PYTEST_ADDOPTS | `env -i`, PYTHONPATH and `--junitxml` of its own |
| unittest, Django | a `sitecustomize` on PYTHONPATH | PYTHONPATH of its own, `python -I`, `-E`, `-S` |
| node:test | a reporter by NODE_OPTIONS | NODE_OPTIONS of its own |
| jest, vitest, mocha | a hook by NODE_OPTIONS | the same; vitest started by another program than its own |
| go | `-test.v` by GOFLAGS, and the output | GOFLAGS of its own, an output that goes elsewhere |
| cargo | the output | `--quiet`, an output that goes elsewhere |
| junit | reports in the tree that are newer than the trial | |
| any other | the number in its last lines | |
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from ralph.checks.proof.inventory.cargo import cargo_report
from ralph.checks.proof.inventory.go import GO, go_report, go_variables
from ralph.checks.proof.inventory.journals import journals
from ralph.checks.proof.inventory.node import node_variables
from ralph.checks.proof.inventory.output import Output
from ralph.checks.proof.inventory.pytest_xml import PYTEST_XML, pytest_report, pytest_variables
from ralph.checks.proof.inventory.python import python_variables
from ralph.checks.proof.inventory.reported import Reported


class Places(Struct, frozen=True):
    """Where the programs of a trial are, and where they write."""

    folder: Path

    @classmethod
    def of_reports(cls, reports: str) -> "Places | None":
        return cls(Path(reports).parent) if reports else None

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    @property
    def reports(self) -> Path:
        return self.folder / "reports"

    @property
    def stamp(self) -> Path:
        """A file that is as old as the trial."""
        return self.folder / "began"


def variables_of(env: Mapping[str, str], places: Places, without: Collection[str]) -> dict[str, str]:
    """The variables that a trial gets, except for those that are left out because they broke the command."""
    return {
        **python_variables(env, places.programs),
        **({} if PYTEST_XML in without else pytest_variables(env, places.reports)),
        **node_variables(env, places.programs, without),
        **({} if GO in without else go_variables(env)),
    }


def reports_of(places: Places, output: Output, worktree: Path) -> Iterator[Reported]:
    yield from journals(places.reports, worktree)
    yield from pytest_report(places.reports)
    yield from go_report(output)
    yield from cargo_report(output)
