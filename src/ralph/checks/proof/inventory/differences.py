"""What happened to the base's tests in the change."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from ralph.checks.proof.inventory.ids import file_of, function_of, identity
from ralph.checks.proof.inventory.reported import COLLECTION
from ralph.model.proof import Inventory, Outcome

Cases = dict[str, Outcome]
"""The cases of one test function, by their ids, in the order in which they ran."""


class Differences(Struct, frozen=True, omit_defaults=True):
    """Ids of tests: for `gone` and `fewer` those of the base, for the others those of the change."""

    gone: tuple[str, ...] = ()
    fewer: tuple[str, ...] = ()
    """Tests with fewer cases: `tests/test_a.py::test_b: 5 → 4`."""
    newly_skipped: tuple[str, ...] = ()
    newly_xfailed: tuple[str, ...] = ()
    newly_failing: tuple[str, ...] = ()
    newly_passing: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def compare(base: Inventory, head: Inventory, *, renamed: Mapping[str, str]) -> Differences:
    """Compare two inventories. `renamed` has the new name of a test or the new path of a file, by the old one.

    A test is the same if its id is, or if it has the same name and moved: there is a new one of that name for it. The
    cases of a test may have other parameters, but not become fewer.
    """
    functions, moved = _functions(base), _functions(head)
    matched = dict(_matched(functions, moved, renamed))
    found = _Found()
    for name, cases in functions.items():
        if name in matched:
            found.compare(name, cases, moved[matched[name]])
        elif name != COLLECTION:
            found.gone += cases
    known = set(matched.values())
    for name, cases in moved.items():
        if name == COLLECTION and name not in known:
            found.newly_failing.append(name)
        elif name not in known:
            found.added += cases
    return found.differences()


def _functions(inventory: Inventory) -> dict[str, Cases]:
    functions: dict[str, Cases] = {}
    for test_id, outcome in inventory.tests.items():
        functions.setdefault(function_of(test_id), {})[test_id] = outcome
    return functions


def _matched(
    base: Mapping[str, Cases], head: Mapping[str, Cases], renamed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Each function of the base with its counterpart in the change. None is used twice."""
    yield from ((name, name) for name in base if name in head)
    missing = [name for name in base if name not in head]
    free = [name for name in head if name not in base]
    for likeness in LIKENESSES:
        places: dict[str, list[str]] = {}
        for name in reversed(free):
            places.setdefault(likeness(name), []).append(name)
        found = dict(_pairs(missing, places, renamed, likeness))
        yield from found.items()
        taken = set(found.values())
        missing = [name for name in missing if name not in found]
        free = [name for name in free if name not in taken]


def _pairs(
    missing: Iterable[str], places: Mapping[str, list[str]], renamed: Mapping[str, str], likeness: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for name in missing:
        for wanted in (_renamed(name, renamed), name):
            candidates = places.get(likeness(wanted))
            if candidates:
                yield name, candidates.pop()
                break


def _renamed(name: str, renamed: Mapping[str, str]) -> str:
    """The id that a function of the base would have in the change."""
    file, between, rest = name.partition("::")
    above, last_between, last = rest.rpartition("::")
    return f"{renamed.get(file, file)}{between}{above}{last_between}{renamed.get(last, last)}"


# From the strongest sign to the weakest: all of it, the file and the name, the class and the name, the name.
LIKENESSES: tuple[Callable[[str], str], ...] = (
    str,
    lambda name: f"{file_of(name)}::{identity(name)}",
    lambda name: name.partition("::")[2],
    identity,
)


class _Found:
    def __init__(self) -> None:
        self.gone: list[str] = []
        self.fewer: list[str] = []
        self.newly_skipped: list[str] = []
        self.newly_xfailed: list[str] = []
        self.newly_failing: list[str] = []
        self.newly_passing: list[str] = []
        self.still_failing: list[str] = []
        self.added: list[str] = []

    def compare(self, name: str, before: Cases, now: Cases) -> None:
        if len(now) < len(before):
            self.fewer.append(f"{name}: {len(before)} → {len(now)}")
        others = iter([each for each in now if each not in before])
        for test_id, outcome in before.items():
            same = test_id if test_id in now else next(others, None)
            if same is not None:
                self._compare_outcomes(same, outcome, now[same])
        self.added += others

    def _compare_outcomes(self, test_id: str, before: Outcome, now: Outcome) -> None:
        """Compare two outcomes. A test that was skipped before loses nothing if it is now expected to fail."""
        match before, now:
            case "failed", "failed":
                self.still_failing.append(test_id)
            case _, "failed":
                self.newly_failing.append(test_id)
            case "failed" | "skipped" | "xfailed", "passed":
                self.newly_passing.append(test_id)
            case "passed" | "failed" | "xfailed", "skipped":
                self.newly_skipped.append(test_id)
            case "passed" | "failed", "xfailed":
                self.newly_xfailed.append(test_id)
            case _:
                pass

    def differences(self) -> Differences:
        return Differences(**{name: _listed(ids) for name, ids in vars(self).items()})


def _listed(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(ids)
