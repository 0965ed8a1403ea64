"""The interface between ralph and its database: statements, and the store that runs them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol, Self

from msgspec import Struct, field

from ralph.model.errors import StateError

Values = Mapping[str, Any]
Found = dict[str, Any]


class Sql(Struct, frozen=True):
    """One statement with its values, which the text names as `:name`."""

    text: str
    values: Values = field(default_factory=dict[str, Any])
    must: int | None = None
    """How many rows must change; otherwise nothing of the whole list is written and `Lost` is raised."""
    rows: Sequence[Values] = ()
    """The values of several rows. The statement, which ends with `VALUES (:name, ...)`, inserts all of them."""


class Lost(StateError):
    """Another process has the run now, or was faster."""


class Writer(Protocol):
    """Anything that takes statements."""

    def write(self, *statements: Sql, sync: bool = False) -> None: ...


class Gathered:
    """Collects the statements of several writes, to make them one write."""

    def __init__(self) -> None:
        self.statements: list[Sql] = []

    def write(self, *statements: Sql, sync: bool = False) -> None:  # noqa: ARG002 - as the one write will be
        self.statements += statements


class Store(Writer, Protocol):
    """The database, opened once by a face and passed down. There are two dialects.

    It is synchronous, so that no task runs between two statements and a command that only reads needs no event loop.
    Only waiting is async.
    """

    def read(self, text: str, **values: Any) -> list[Found]:
        """All rows. An open cursor would keep the database from cleaning up."""
        ...

    def tuples(self, text: str, **values: Any) -> list[tuple[Any, ...]]:
        """The same without names, for thousands of rows."""
        ...

    def write(self, *statements: Sql, sync: bool = False) -> None:
        """Write all statements or none, then notify all listeners. With `sync` the write also survives a power loss."""
        ...

    def version(self) -> int:
        """A number that changes with each commit of another process. It is cheap to read."""
        ...

    def rings(self, at_most: float = 1.0, at_least: float = 0.0) -> AsyncIterator[None]:
        """Yield at once, then after each commit, also of this process; at the latest after `at_most` seconds, never
        twice within `at_least`.
        """
        ...

    def wait(self, at_most: float) -> None:
        """Wait until there is a commit since the last call, at most this many seconds. The first call begins to listen
        and returns at once, so that the caller looks again. It is for commands without an event loop.
        """
        ...

    def reopen(self) -> None:
        """Open the database at its place again, as the next command will: nothing that this process still has of it
        counts. It raises a StateError if there is none.
        """
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
