"""Changes of what a run trusted when it began, such as a settings file: found, and later accepted or undone."""

import time

from msgspec import Struct

from ralph.store.sql import Found, Sql, Store

_KEEP = """INSERT INTO trusted_changes (project_id, name, run_id, at, before, after, settled)
    VALUES (:project, :name, :run_id, :at, :before, :after, :settled)
    ON CONFLICT (project_id, name, run_id) DO UPDATE
    SET at = excluded.at, before = excluded.before, after = excluded.after, settled = excluded.settled"""
_FIND = """SELECT name, run_id, at, before, after, settled FROM trusted_changes WHERE project_id = :project
    ORDER BY at, name"""


class TrustedChange(Struct, frozen=True):
    name: str
    """The name of a settings file as messages show it, or `task ID`."""
    run_id: str
    """The run that was active."""
    before: bytes | None
    """The content when the run began; None if it did not exist."""
    after: bytes | None
    """The content when ralph last looked."""
    settled: str = ""
    """Why nobody needs to look at it any more: `accepted`, `restored`, or `person`. Empty for an open change."""
    at: float = 0.0


def trusted_changes(store: Store, project: str) -> list[TrustedChange]:
    """All changes of the project, the oldest first."""
    return [_change(row) for row in store.read(_FIND, project=project)]


def keeping_change(project: str, change: TrustedChange) -> Sql:
    """The statement that writes the change. It replaces an earlier one with the same run and name."""
    return Sql(
        _KEEP,
        {
            "project": project,
            "name": change.name,
            "run_id": change.run_id,
            "at": change.at or time.time(),
            "before": change.before,
            "after": change.after,
            "settled": change.settled,
        },
    )


def _change(row: Found) -> TrustedChange:
    before, after = (None if row[name] is None else bytes(row[name]) for name in ("before", "after"))
    return TrustedChange(row["name"], row["run_id"], before, after, row["settled"], row["at"])
