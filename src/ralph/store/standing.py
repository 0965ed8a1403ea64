"""Whether the files of a database are still those that were opened. SQLite itself keeps writing to removed ones."""

import os
from pathlib import Path

from ralph.model.errors import StateError

DESCRIPTORS = Path("/proc/self/fd")
MAGIC = b"SQLite format 3\0"


class StandingFiles:
    """The database and its write-ahead log, as they were after the first write."""

    def __init__(self, path: Path) -> None:
        # As text: they are looked at in every iteration, and a Path costs as much as the look.
        self._path = str(path)
        self._log = f"{path}-wal"
        self._known = self._identities()
        self._descriptor: int | None = None

    def require(self) -> None:
        """Raise a StateError if one of them was removed, replaced or overwritten: further writes would be lost."""
        now = self._identities()
        if self._known[1] is None:
            # The log is made by the first write.
            self._known = self._known[0], now[1]
        if now != self._known:
            raise self._lost("removed or replaced")
        if self._begins() not in (MAGIC, b""):
            raise self._lost("damaged")

    def require_database(self) -> None:
        """Raise a StateError if there is no database at its place any more: opening it would make an empty one."""
        if _identity(self._path) is None:
            raise self._lost("removed")

    def _identities(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        return _identity(self._path), _identity(self._log)

    def _begins(self) -> bytes:
        """The first bytes of the database; empty if they cannot be read.

        They are read through a descriptor that SQLite itself holds: opening and closing the file again would drop
        the locks that this process has on it.
        """
        try:
            if self._descriptor is None or _identity(self._descriptor) != self._known[0]:
                self._descriptor = self._found()
            return b"" if self._descriptor is None else os.pread(self._descriptor, len(MAGIC), 0)
        except OSError:
            return b""

    def _found(self) -> int | None:
        numbers = (int(name) for name in os.listdir(DESCRIPTORS)) if DESCRIPTORS.is_dir() else ()  # noqa: PTH208 - names only
        return next((number for number in numbers if _identity(number) == self._known[0]), None)

    def _lost(self, how: str) -> StateError:
        return StateError(
            f"the database {self._path} was {how} while it was in use, so nothing is recorded.",
            "Restore it, then: ralph resume",
        )


def _identity(path: str | int) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - on the way of every iteration
    except OSError:
        return None
    return found.st_dev, found.st_ino
