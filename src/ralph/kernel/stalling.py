"""Stagnation by evidence, for any recipe: the same files and the same failing checks, several iterations in a row."""

import re
from typing import Any

from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import RecordEvidence
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.proof import ReadTree, TakeSnapshot, TreeSeen
from ralph.kernel.actions.tasks import SaveWork
from ralph.kernel.going_on import Persistence
from ralph.model.evidence import Evidence
from ralph.model.git_rules import GitRules
from ralph.model.verdicts import Stalled

STALL = 2_000_000
"""The first number of this wrapper's questions: the recipe and its budget use smaller numbers."""
# What differs from one run of the same failing check to the next: paths, times, addresses, hashes and counts.
_CHANGES = re.compile(r"(?:/[\w.@+~-]+)+/?|0x[0-9a-fA-F]+|\b(?=\w*\d)[0-9a-fA-F]{7,}\b|\d+(?:[.,:]\d+)*")


def stalling(after: int | None, recipe: Recipe) -> Recipe:
    """Run the recipe until `after` iterations in a row ended with the same files and the same failing checks."""
    return recipe if after is None else _watched(after, recipe)


def fingerprint(seen: Evidence) -> tuple[str, int | None, str]:
    """What a failing check says, without the parts that change although nothing else does."""
    said = " ".join(_CHANGES.sub("#", f"{seen.reason}\n{seen.output}").split())
    return seen.check, seen.exit_code, said


class _Row:
    """The iterations in a row without progress."""

    def __init__(self) -> None:
        self.iteration = 0
        self.count = 0
        self.git: GitRules | None = None
        self._failing: dict[str, Evidence] = {}
        self._tree = ""
        self._last: tuple[Any, ...] = ()

    def note(self, step: Step, result: Any) -> None:
        match step:
            case TakeSnapshot(iteration=0):
                self.git = result.git
            case SaveWork():
                self._tree = result.tree
            case RunCommand() | RecordEvidence() if isinstance(result, Evidence):
                self._failing.pop(result.check, None)
                if not result.passed and result.required:
                    self._failing[result.check] = result
            case _:
                pass

    @property
    def needs_tree(self) -> bool:
        return bool(self._failing) and not self._tree

    def close(self, tree: str) -> None:
        """End an iteration. Without a failing check, or without a tree, nothing is known about it."""
        tree = self._tree or tree
        now = (tree, *map(fingerprint, self._failing.values())) if self._failing and tree else ()
        self.count = self.count + 1 if now and now == self._last else int(bool(now))
        self._last, self._tree, self._failing = now, "", {}

    @property
    def checks(self) -> tuple[str, ...]:
        return tuple(each[0] for each in self._last[1:])

    def forget(self) -> None:
        self.count, self._last = 0, ()


def _watched(after: int, recipe: Recipe) -> Recipe:
    result: Any = None
    persistence = Persistence()
    persistence.again = STALL
    row = _Row()
    while True:
        try:
            step = recipe.send(result)
        except StopIteration as end:
            return end.value
        if not isinstance(step, tuple) and step.begins_iteration and step.iteration > row.iteration:
            tree = ""
            if row.needs_tree:
                seen: TreeSeen = yield ReadTree(row.iteration, row.git)
                tree = seen.tree
            row.close(tree)
            if row.count >= after:
                verdict = Stalled(row.count, row.checks)
                if (yield from persistence.give_up(row.iteration, verdict)) is None:
                    recipe.close()
                    return verdict
                row.forget()
            row.iteration = step.iteration
        result = yield step
        row.note(step, result)
