"""The journals of a run and its parts, for readers that did not see the run."""

from typing import Any, Literal

import msgspec

from ralph.model.rows import Row, What
from ralph.store.owner import read_owner, status_now
from ralph.store.sql import Store

Wanted = Literal["all", "lines", "streams"]
_FROM = "FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest"
_COLUMNS = "journal.id, run_id, n, what, key, attempt, at, line, mark, spent"
"""The columns in the order of a row's fields, up to the body."""
_WHOLE = "coalesce(body, data) AS body"
_ALL = f"SELECT {_COLUMNS}, {_WHOLE}, hash {_FROM}"
# Nothing after the body of a row is read: that costs as much as reading the body.
_BODY_IF_NEEDED = """CASE
    WHEN mark = 'head' OR what IN ('noted', 'closed') OR what = 'begun' AND key LIKE 'ask-model/%/plan%'
    THEN coalesce(body, (SELECT data FROM blobs WHERE blobs.digest = journal.digest)) END"""
_STREAMS = f"SELECT journal.id, run_id, n, what, key, attempt, at, line, mark, '', {_BODY_IF_NEEDED}, NULL FROM journal"  # noqa: S608 - no value in it
_LINES = f"SELECT run_id, n, what, key, attempt, line, mark, {_BODY_IF_NEEDED} FROM journal"  # noqa: S608 - no value in it
_PARTS = """WHERE run_id IN (
    SELECT id FROM runs WHERE id = :run OR id > :run || '.' AND id < :run || '/' AND is_part = 1)"""
# Rows that matter only while an action runs. Usually the next row is the action's end and says everything. The rows
# about who drives a run matter only while it may still be driven. A verdict matters only for its doubts, and its line
# names them after a second colon.
_NOT_BUSY = """AND what <> 'noted' AND NOT (mark = 'busy' AND (what = 'ended' OR what = 'begun' AND EXISTS (
    SELECT 1 FROM journal AS next WHERE next.run_id = journal.run_id AND next.n = journal.n + 1
        AND next.key = journal.key)))
    AND NOT (what = 'closed' AND line NOT LIKE '%: %: %')
    AND NOT (what = 'taken' AND run_id NOT IN (SELECT id FROM runs WHERE status IN ('running', 'waiting', 'paused')))"""
_OF_PARTS = f"{_PARTS} AND what <> 'opened'"
# This is one range of the index, for which no run is read.
_BELOW = (
    "WHERE run_id >= :run AND run_id < :run || '/' AND (run_id = :run OR run_id > :run || '.') AND what <> 'opened'"
)


def rows_of_parts(store: Store, run_id: str, wanted: Wanted = "all") -> list[Row]:
    """The rows of a run and of the parts below it, run by run, each in order.

    Only the wanted columns of thousands of results are loaded. For `lines` these are the lines and the verdicts, and
    the body where an agent begins, because it says where the stream is. They come without ids and times, and with the
    rows of runs that agents started: to tell these apart costs more. `streams` has ids and times, and says how
    long each stream was at which time.
    """
    if wanted == "lines":
        found = store.tuples(f"{_LINES} {_BELOW} {_NOT_BUSY} ORDER BY run_id, n", run=run_id)
        return [
            Row(0, run, n, what, key, attempt, 0.0, line, mark, "", body or b"", b"")
            for run, n, what, key, attempt, line, mark, body in found
        ]
    chosen = _ALL if wanted == "all" else _STREAMS
    return _own(store, run_id, _rows(store.tuples(f"{chosen} {_OF_PARTS} ORDER BY run_id, n", run=run_id)))


def reviews_of_parts(store: Store, run_id: str) -> list[Row]:
    """The rows that record the reviews of a run and its parts, the oldest first."""
    named = "what = 'ended' AND key > 'review/' AND key < 'review0'"
    text = f"{_ALL} {_PARTS} AND {named} ORDER BY journal.id"
    return _own(store, run_id, _rows(store.tuples(text, run=run_id)))


def options_of_parts(store: Store, run_id: str) -> dict[str, bytes]:
    """The stored options of a run and of the parts below it."""
    text = "SELECT id, options FROM runs WHERE id = :run OR id > :run || '.' AND id < :run || '/' AND is_part = 1"
    return {row["id"]: bytes(row["options"]) for row in store.read(text, run=run_id)}


def rows_with_ids(store: Store, ids: list[int]) -> list[Row]:
    """These rows, in their order. Rows that were removed meanwhile are left out."""
    names = {f"id{place}": each for place, each in enumerate(ids)}
    wanted = ", ".join(f":{name}" for name in names)
    text = f"{_ALL} WHERE journal.id IN ({wanted}) ORDER BY journal.id"
    return _rows(store.tuples(text, **names)) if ids else []


def last_row(store: Store, run_id: str, kind: str, what: What) -> Row | None:
    """The latest row of this kind of action in a run's journal, if there is one."""
    text = f"{_ALL} WHERE run_id = :run AND what = :what AND key LIKE :key"
    found = store.tuples(f"{text} ORDER BY n DESC LIMIT 1", run=run_id, what=what, key=f"{kind}/%")
    return _rows(found)[0] if found else None


def delivered_nothing(store: Store, run_id: str) -> bool:
    """Whether the run and its parts tried to deliver their work, and there was none."""
    text = f"{_ALL} {_PARTS} AND what = 'ended' AND key LIKE 'deliver-work/%'"
    rows = _own(store, run_id, _rows(store.tuples(text, run=run_id)))
    commits = [msgspec.json.decode(row.body).get("commit") for row in rows]
    return bool(commits) and not any(commits)


def folders_of(store: Store, run_id: str) -> list[tuple[str, str]]:
    """The directories of the agents' calls in a run, relative to the project, by the keys of their actions."""
    text = f"SELECT key, {_WHOLE} {_FROM} WHERE run_id = :run AND what = 'begun' AND mark = 'head' ORDER BY n"
    found: list[tuple[str, str]] = []
    for row in store.read(text, run=run_id):
        about = msgspec.json.decode(row["body"] or b"{}").get("stream")
        if about:
            found.append((row["key"], about["path"].rpartition("/")[0]))
    return found


def status_of(store: Store, run_id: str) -> str:
    """The status of a run; empty if it was removed. It is cheap enough for frequent calls."""
    rows = store.read("SELECT status, owner, until FROM runs WHERE id = :id", id=run_id)
    return status_now(rows[0]["status"], read_owner(rows[0]["owner"]), rows[0]["until"]) if rows else ""


def _own(store: Store, run_id: str, rows: list[Row]) -> list[Row]:
    """The rows without those of parts of runs that an agent started: they say nothing about this run's work."""
    text = "SELECT id FROM runs WHERE id > :run || '.' AND id < :run || '/' AND is_part = 0"
    foreign = tuple(f"{found}." for (found,) in store.tuples(text, run=run_id))
    return [row for row in rows if not row.run_id.startswith(foreign)] if foreign else rows


def _rows(found: list[tuple[Any, ...]]) -> list[Row]:
    # Each value has a name here, because there are thousands of rows and this is the fastest way.
    return [
        Row(id_, run, n, what, key, attempt, at, line, mark, spent, body or b"", chain or b"")
        for id_, run, n, what, key, attempt, at, line, mark, spent, body, chain in found
    ]
