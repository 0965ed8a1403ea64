"""New rows of the journals, from any process: each row once, in order."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from ralph.model.rows import Row
from ralph.store.sql import Store

PAGE = 500
_NEWS = """SELECT journal.id, run_id, n, what, key, attempt, at, line, mark, spent, coalesce(body, data) AS body, hash
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest WHERE journal.id > :after"""
_BODY = 10
"""The position of the body among these columns, which are in the order of a row's fields."""
# The query uses the id alone: through the index of runs, each look would read the whole journal of the run.
_OF_TREE = " AND (run_id || '' = :run OR run_id || '' > :run || '.' AND run_id || '' < :run || '/')"


def news(store: Store, after: int, run_id: str | None = None) -> list[Row]:
    """The rows after this id, of a run with all below it or of all runs; at most one page."""
    text = _NEWS + (_OF_TREE if run_id else "") + f" ORDER BY journal.id LIMIT {PAGE}"
    values = {"run": run_id} if run_id else {}
    found = store.tuples(text, after=after, **values)
    return [Row(*(row if row[_BODY] is not None else _without_body(row))) for row in found]


def _without_body(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row whose large body was removed meanwhile."""
    return (*row[:_BODY], b"", *row[_BODY + 1 :])


class Follower:
    """A position in the journals of a run with all below it, or of all runs. Each look moves it forward."""

    def __init__(self, store: Store, after: int = 0, run_id: str | None = None) -> None:
        self.store = store
        self.after = after
        self._run_id = run_id

    def pages(self) -> Iterator[list[Row]]:
        """The rows after the position."""
        while rows := news(self.store, self.after, self._run_id):
            self.after = rows[-1].id
            yield rows
            if len(rows) < PAGE:
                return


async def follow(following: Follower, at_least: float = 0.0) -> AsyncIterator[list[Row]]:
    """The rows that exist, then new ones, without an end. `at_least` is the minimum of seconds between two looks."""
    async for _ in following.store.rings(at_least=at_least):
        for rows in following.pages():
            yield rows


def watch(store: Store, after: int = 0, run_id: str | None = None, at_most: float = 1.0) -> Iterator[list[Row]]:
    """The same as `follow` without an event loop. It gives an empty list when nothing came for a while."""
    while True:
        rows = news(store, after, run_id)
        if rows:
            after = rows[-1].id
        yield rows
        if not rows:
            store.wait(at_most)


def last_id(store: Store) -> int:
    """The id of the last row at the moment."""
    [row] = store.read("SELECT coalesce(max(id), 0) AS last FROM journal")
    return row["last"]
