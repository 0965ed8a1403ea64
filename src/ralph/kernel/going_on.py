"""Continuing a run: before a verdict that is not good, the recipe asks whether to give up. A person may say: go on."""

from collections.abc import Generator
from typing import Any

from ralph.kernel.actions.base import Step
from ralph.kernel.actions.waiting import GiveUp, Granted, Limit
from ralph.model.verdicts import MaxIterations, Verdict


class Persistence:
    """How many times this run was continued, and the last control word that it read. Each generator has one."""

    def __init__(self) -> None:
        self.again = 0
        self.iterations = 0
        """The largest total of iterations that was granted, whatever the run had ended by."""
        self._seen = 0

    def go_on(self) -> None:
        """Count that the run is continued."""
        self.again += 1

    def give_up(self, iteration: int, verdict: Verdict, limit: Limit = "") -> Generator[Step, Any, Granted | None]:
        """What was granted; None means that the verdict stands."""
        granted: Granted = yield GiveUp(iteration, verdict.reason, limit, self._seen, self.again)
        if not granted.go_on:
            return None
        self._seen = granted.seen
        self.iterations = max(self.iterations, granted.iterations or 0)
        self.go_on()
        return granted


class Rounds:
    """The iterations of a run, counted up to a limit that a person may raise."""

    def __init__(self, limit: int, persistence: Persistence, *, done: int = 0, unit: str = "iteration") -> None:
        self.now = done
        self._limit = limit
        self._persistence = persistence
        self._unit = unit

    @property
    def limit(self) -> int:
        return max(self._limit, self._persistence.iterations)

    def allow_one_more(self) -> None:
        """Allow one more iteration than the limit, because a person asked for it."""
        self._limit = max(self.limit, self.now + 1)

    @property
    def are_over(self) -> bool:
        return self.now >= self.limit

    def begin(self, missing: str) -> Generator[Step, Any, MaxIterations | None]:
        """Begin the next iteration; if none is left, return the verdict that says what was missing in the last one."""
        if over := (yield from self.end(missing)):
            return over
        self.now += 1
        return None

    def end(self, missing: str) -> Generator[Step, Any, MaxIterations | None]:
        while self.are_over:
            verdict = MaxIterations(self.limit, missing, self._unit)
            # A total that is used up already, such as one that was granted twice, helps nobody.
            if (yield from self._persistence.give_up(self.now, verdict, "iterations")) is None:
                return verdict
        return None
