"""The folders of a run's attempts: each call of an agent has a directory of its own."""

import re
from collections.abc import Iterable
from pathlib import Path

from ralph.model.rows import parse_key
from ralph.store.state_dir import StateDir

AGENT, ASKED = "run-agent", ("ask-model", "run-reviewer")
SETUP = "setup"
MOST_DIGITS = 6
"""The most digits of a number; an agent may have made up a longer one."""


class AttemptFolders:
    """The folders below `runs/<run>/`: `iteration-3`, after a kill `iteration-3.2`. Questions to models are in their
    iteration.
    """

    def __init__(self, state: StateDir, home: str) -> None:
        self.home = home
        """The path relative to `.ralph/`."""
        self._state = state
        self._folder = f"{state.root}/{home}"
        self._last: tuple[tuple[str, int], Path] | None = None
        """The last answer, kept because the same one is asked for several times in a row."""

    def of(self, key: str, attempt: int = 1) -> Path:
        """The directory of one attempt at an action. It is not created."""
        if self._last is None or self._last[0] != (key, attempt):
            self._last = (key, attempt), self._found(key, attempt)
        return self._last[1]

    def _found(self, key: str, attempt: int) -> Path:
        kind, iteration, name = parse_key(key)
        again = f".{attempt}" if attempt > 1 else ""
        if kind in ASKED and name:
            return self._path(f"{self._shared(iteration)}/{name}{again}")
        return self._path(f"{self._own(iteration)}{f'-{name}' if name else ''}{again}")

    def log(self, iteration: int, part: str = "") -> Path:
        """The directory for the output of commands; outside of any iteration for what comes before the first one."""
        own = self._shared(iteration) if iteration else self._setup
        return self.made(self._path(f"{own}/{part}" if part else own))

    def made(self, path: Path) -> Path:
        return self._state.make(path)

    @property
    def _setup(self) -> str:
        return SETUP

    def _own(self, iteration: int) -> str:
        """The folder of the agent's call."""
        return f"iteration-{iteration}"

    def _shared(self, iteration: int) -> str:
        """The folder of everything else in the same iteration."""
        return self._own(iteration)

    def _path(self, name: str) -> Path:
        return Path(f"{self._folder}/{name}")


class TaskFolders(AttemptFolders):
    """The folders of one run among those of all runs that work on the same thing and share one numbering.

    `known` are the directories that this run had when another process drove it, by the keys of their actions.
    """

    def __init__(
        self, state: StateDir, home: str, run_id: str, unit: str, earlier: int, known: Iterable[tuple[str, str]]
    ) -> None:
        super().__init__(state, home)
        self._run_id = run_id
        self._unit = unit
        self._earlier = earlier
        self._numbers: dict[int, int] = {}
        self._latest: dict[int, str] = {}
        for key, folder in known:
            iteration = parse_key(key).iteration
            name = Path(folder).name
            if number := number_in(name, self._unit):
                self._numbers[iteration] = number
                self._latest[iteration] = name

    def _found(self, key: str, attempt: int) -> Path:
        path = super()._found(key, attempt)
        kind, iteration, _ = parse_key(key)
        if kind == AGENT:
            self._latest[iteration] = path.name
        return path

    @property
    def _setup(self) -> str:
        return f"{SETUP}-{self._run_id}"

    def _own(self, iteration: int) -> str:
        if not iteration:
            # What comes before the first iteration takes no number.
            return self._setup
        if iteration not in self._numbers:
            self._numbers[iteration] = self._highest() + 1
        return f"{self._unit}-{self._numbers[iteration]}"

    def _shared(self, iteration: int) -> str:
        return self._latest.get(iteration) or self._own(iteration)

    def _highest(self) -> int:
        """The highest number used by other runs, here or on another machine, and by this one."""
        folder = self._state.root / self.home
        there = [number_in(path.name, self._unit) for path in folder.iterdir()] if folder.is_dir() else []
        return max(self._earlier, 0, *there, *self._numbers.values())


def number_in(name: str, unit: str) -> int:
    """The number of a folder such as `iteration-3.2`; 0 if it has none."""
    found = re.match(rf"{unit}-(\d{{1,{MOST_DIGITS}}})(?!\d)", name)
    return int(found[1]) if found else 0
