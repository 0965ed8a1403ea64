"""The ready set of a graph: which tasks may begin, given the ones that are done."""

from collections.abc import Iterable, Mapping


class Schedule:
    """Tasks with dependencies first. The ready ones are returned in the same order."""

    def __init__(self, dependencies: Mapping[str, Iterable[str]]) -> None:
        self._needs = {name: tuple(needs) for name, needs in dependencies.items()}
        self._open = dict.fromkeys(self._needs)
        self.done: dict[str, None] = {}
        self.failed: dict[str, str] = {}
        """Why each task was not done, by name: its own reason, or the missing task before it."""

    @property
    def is_over(self) -> bool:
        return not self._open

    def ready(self, room: int) -> list[str]:
        """At most `room` tasks that may begin now. They then count as begun."""
        found = [name for name in self._open if all(self._is_met(need) for need in self._needs[name])][: max(0, room)]
        for name in found:
            del self._open[name]
        return found

    def finish(self, name: str) -> None:
        self.done[name] = None

    def fail(self, name: str, why: str) -> None:
        """Mark a task as failed. The tasks that depend on it cannot begin any more."""
        self.failed[name] = why
        for other in tuple(self._open):
            # It may already be removed, as a dependent of another dependent of this one.
            if other in self._open and name in self._needs[other]:
                del self._open[other]
                self.fail(other, f"it depends on {name}")

    def try_again(self) -> None:
        """Open the failed tasks again."""
        self._open = {name: None for name in self._needs if name in self._open or name in self.failed}
        self.failed = {}

    def _is_met(self, need: str) -> bool:
        # A dependency that is not in the graph was done before.
        return need in self.done or need not in self._needs
