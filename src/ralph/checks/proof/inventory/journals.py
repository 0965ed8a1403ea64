"""The output of the programs in `injected/`: a file per process, one JSON list on a line.

`["begun", runner, root]`, then `["test", file, name, outcome]` and `["collect"]`, and `["ended"]` if the runner
reached its end. The tested code can write there, too: if something does not fit, the runner counts as not ended.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

import msgspec

from ralph.checks.proof.inventory.bounded_files import Unreadable, files_in, read_file
from ralph.checks.proof.inventory.ids import in_worktree, test_id
from ralph.checks.proof.inventory.reported import COLLECTION, Reported, with_outcome
from ralph.model.proof import Outcome

RUNNERS = frozenset({"pytest", "unittest", "node", "jest", "vitest", "mocha"})
OUTCOMES = frozenset(get_args(Outcome))
SUFFIX = ".jsonl"

_decoder = msgspec.json.Decoder(list[str])


def journals(reports: Path, worktree: Path) -> Iterator[Reported]:
    for path in files_in(reports):
        runner = path.name.partition("-")[0]
        if path.suffix == SUFFIX and runner in RUNNERS:
            yield _journal(path, runner, worktree)


def _journal(path: Path, runner: str, worktree: Path) -> Reported:
    reading = _Reading(runner, worktree)
    try:
        for line in read_file(path).splitlines():
            reading.take(_decoder.decode(line))
    except (Unreadable, msgspec.MsgspecError, _Malformed):
        return Reported(runner, reading.tests, ended=False)
    return Reported(runner, reading.tests, ended=not reading.is_open)


class _Malformed(Exception):
    pass


class _Reading:
    """The reading of one process, which may have several sessions, one after the other."""

    def __init__(self, runner: str, worktree: Path) -> None:
        self.tests: dict[str, Outcome] = {}
        self.is_open = False
        self._runner = runner
        self._root = ""
        self._worktree = worktree

    def take(self, line: list[str]) -> None:
        match line:
            case ["begun", self._runner, root] if not self.is_open:
                self.is_open, self._root = True, root
            case ["test", file, name, outcome] if self.is_open and outcome in OUTCOMES:
                place = in_worktree(file, self._root, self._worktree)
                with_outcome(self.tests, test_id(place, name), cast("Outcome", outcome))
            case ["collect"] if self.is_open:
                self.tests[COLLECTION] = "failed"
            case ["ended"] if self.is_open:
                self.is_open = False
            case _:
                raise _Malformed
