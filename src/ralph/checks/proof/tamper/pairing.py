"""Which test of the change is which test of the base: by its place, body, name or assertions, or by its shape."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable

from ralph.checks.proof.tamper.tokens import shape_of
from ralph.checks.proof.tamper.versions import Place


class Pairing:
    """Pairs of tests, and the tests of the base that the change does not have."""

    def __init__(self, base: Iterable[Place], head: Iterable[Place]) -> None:
        self.pairs: list[tuple[Place, Place]] = []
        self._waiting = list(base)
        self._free = list(head)
        self._pair(lambda place: place.key)
        self._set_helpers_aside()
        # If several have the same body, those with the same name belong together.
        self._pair(lambda place: (place.case.name, place.case.tokens) if place.case.tokens else None)
        self._pair(lambda place: place.case.tokens or None)
        self._pair(lambda place: (place.versions.change.path, place.case.name))
        self._pair(lambda place: place.case.name)
        self._pair_by_assertions()
        self._pair(
            lambda place: (place.versions.change.path, shape_of(place.case.tokens)) if place.case.tokens else None
        )
        self.gone = self._waiting
        self.new = self._free

    def _pair(self, key: "Callable[[Place], Hashable | None]") -> None:
        """Pair the tests with the same key, in the order of the text."""
        free: dict[Hashable, list[Place]] = {}
        for place in sorted(self._free, key=lambda place: not place.is_collected) if self._waiting else ():
            if (value := key(place)) is not None:
                free.setdefault(value, []).append(place)
        waiting: list[Place] = []
        for place in self._waiting:
            found = free.get(value) if (value := key(place)) is not None else None
            if found:
                self.pairs.append((place, found.pop(0)))
            else:
                waiting.append(place)
        self._keep(waiting)

    def _set_helpers_aside(self) -> None:
        """Remove helpers: a missing helper is no loss by itself, but a new one may be a test that lost its name."""
        self._waiting = [place for place in self._waiting if place.case.is_collected]

    def _pair_by_assertions(self) -> None:
        """Pair tests with different names if the new one still checks everything that the old one did."""
        waiting: list[Place] = []
        for place in self._waiting:
            wanted = Counter(check.key for check in place.case.live_checks)
            found = next((each for each in self._free if wanted and _has(each, wanted)), None)
            if found:
                self.pairs.append((place, found))
                self._free.remove(found)
            else:
                waiting.append(place)
        self._keep(waiting)

    def _keep(self, waiting: list[Place]) -> None:
        taken = {id(place) for _, place in self.pairs}
        self._waiting = waiting
        self._free = [place for place in self._free if id(place) not in taken]


def _has(place: Place, wanted: "Counter[bytes]") -> bool:
    return place.is_collected and wanted <= Counter(check.key for check in place.case.live_checks)
