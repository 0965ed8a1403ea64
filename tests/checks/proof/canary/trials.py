"""Run a check on a tree with its canary, with the real runner and the real inventory."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from checks.proof.memory_tree import MemoryTree
from ralph.checks.proof.canary import Canary, canary, complaint, unproven
from ralph.checks.proof.inventory import collected, prepared
from ralph.checks.proof.scripts import named_files
from ralph.model.proof import Inventory

WORD = "5f3a9c01"
SECONDS = 300

Files = Mapping[str, str]

_bases: "dict[tuple[str, str], Inventory]" = {}
"""What ran at a base: many changes are tried on the same one."""


class Run(NamedTuple):
    passed: bool
    inventory: Inventory
    output: str


class Tried(NamedTuple):
    canary: Canary
    run: Run

    @property
    def complaint(self) -> str:
        return complaint(self.canary, passed=self.run.passed, tests=self.run.inventory.tests)

    @property
    def outcomes(self) -> dict[str, str]:
        """How the tests that must fail ended, by their ids without parameters."""
        wanted = set(self.canary.must_fail)
        return {
            each: outcome
            for each, outcome in self.run.inventory.tests.items()
            if each in wanted or each.partition("[")[0] in wanted
        }


class Project:
    """A check and the trees that it is tried on."""

    def __init__(self, folder: Path, command: str, *, links: "Mapping[str, Path] | None" = None):
        self._folder = folder
        self._command = command
        self._links = links or {}
        self._runs = 0

    def run(self, files: Files) -> Run:
        self._runs += 1
        place = self._folder / f"run-{self._runs}"
        worktree, reports, log = place / "tree", place / "inventory", place / "log"
        _write(worktree, files)
        for name, target in self._links.items():
            (worktree / name).symlink_to(target)
        reports.mkdir()
        path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))  # noqa: PTH120 - the venv's own
        env = prepared(_plain_environment() | {"PATH": path}, reports, worktree=worktree)
        with log.open("wb") as output:
            done = subprocess.run(
                ["sh", "-c", self._command],
                cwd=worktree, env=env, stdout=output, stderr=output, timeout=SECONDS, check=False,
            )  # fmt: skip
        return Run(done.returncode == 0, collected(reports, log, worktree), log.read_text(errors="replace"))

    def tried(self, base: Files, changed: "Files | None" = None) -> Tried:
        """The canary of the base, run with the changed files."""
        before = self._at_base(base)
        files = {**base, **(changed or {})}
        red = [each for each, outcome in before.items() if outcome == "failed"]
        made = self._canary(files, red, before)
        assert not made.left_out, made.left_out
        contents = {path: file.content.decode() for path, file in made.changes.items()}
        return Tried(made, self.run(files | contents))

    def tried_with_own_judges(self, base: Files, judges: Files) -> Tried:
        """The same canary in the tree of a change that has its own judges."""
        made = self._canary(base, [], self._at_base(base))
        contents = {path: file.content.decode() for path, file in made.changes.items()}
        return Tried(made, self.run({**base, **judges, **contents}))

    def _at_base(self, files: Files) -> "Mapping[str, str]":
        key = self._command, repr(sorted(files.items()))
        if key not in _bases:
            _bases[key] = self.run(files).inventory
        return _bases[key].tests

    def _canary(self, files: Files, red: Sequence[str], seen: Mapping[str, str]) -> Canary:
        tree = MemoryTree({path: dedent(content) for path, content in files.items()})
        tests = [path for path in files if "test" in path]
        return asyncio.run(self._made(tree, red, seen, tests))

    async def _made(
        self, tree: MemoryTree, red: Sequence[str], seen: Mapping[str, str], tests: Sequence[str]
    ) -> Canary:
        scripts = (await named_files(self._command, tree)).scripts
        return await canary(tree, red=red, seen=seen, tests=tests, scripts=scripts, word=WORD, command=self._command)


def check_honest(tried: Tried, *, seen: int) -> None:
    """Every test that must fail was run and failed, and so did the check."""
    assert tried.complaint == "", tried.run.output
    assert not tried.run.passed, tried.run.output
    assert unproven(tried.canary, passed=tried.run.passed, tests=tried.run.inventory.tests) == ""
    assert set(tried.outcomes.values()) == {"failed"}, tried.run.output
    assert {each.partition("[")[0] for each in tried.outcomes} == set(tried.canary.must_fail), tried.run.output
    assert len(tried.canary.must_fail) == seen, tried.canary.must_fail


def _write(folder: Path, files: Files) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(content))


def _plain_environment() -> dict[str, str]:
    """Without what the runner of these tests tells the runners that it starts, but for their temporary folder."""
    own = ("PYTEST", "NODE_", "RALPH")
    return {
        name: value for name, value in os.environ.items() if name == "PYTEST_DEBUG_TEMPROOT" or not name.startswith(own)
    }
