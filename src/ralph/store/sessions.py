"""Sessions of agents that other programs run: how each began, and how many times in a row its end was refused."""

import time
from typing import Any

import msgspec
from msgspec import Struct

from ralph.store.sql import Found, Sql, Store

KEPT = 90 * 86_400.0
"""How many seconds a session is kept. An older one is removed when the next one begins."""
_ADD = """INSERT INTO sessions (id, project_id, at, head, start, settings, blocks)
    VALUES (:id, :project, :at, :head, :start, :settings, 0) ON CONFLICT (id) DO NOTHING"""
_FIND = "SELECT id, project_id, head, start, settings, blocks FROM sessions WHERE id = :id"


class Session(Struct, frozen=True):
    id: str
    """The id that the agent uses."""
    project: str
    head: str
    """The commit at which the session's work began."""
    start: bytes
    """What was recorded at the beginning, as JSON."""
    settings: dict[str, Any]
    """All settings at the beginning, by the keys of the files."""
    blocks: int = 0
    """How many times in a row the agent was not allowed to end."""


def begin_session(store: Store, session: Session) -> None:
    """Store a session. One that has begun stays as it is, even if its agent is started again."""
    now = time.time()
    values = {
        "id": session.id,
        "project": session.project,
        "at": now,
        "head": session.head,
        "start": session.start,
        "settings": msgspec.json.encode(session.settings),
    }
    store.write(Sql("DELETE FROM sessions WHERE at < :before", {"before": now - KEPT}), Sql(_ADD, values))


def find_session(store: Store, session_id: str) -> Session | None:
    rows = store.read(_FIND, id=session_id)
    return _session(rows[0]) if rows else None


def count_blocks(store: Store, session_id: str, blocks: int) -> None:
    store.write(Sql("UPDATE sessions SET blocks = :blocks WHERE id = :id", {"blocks": blocks, "id": session_id}))


def accept_settings(store: Store, project: str, settings: dict[str, Any]) -> int:
    """Let the project's sessions that began with other settings use these. Returns how many there were."""
    new = msgspec.json.encode(settings)
    rows = store.read("SELECT id, settings FROM sessions WHERE project_id = :project", project=project)
    others = [row["id"] for row in rows if bytes(row["settings"]) != new]
    if others:
        text = "UPDATE sessions SET settings = :new WHERE id = :id"
        store.write(*(Sql(text, {"new": new, "id": each}) for each in others))
    return len(others)


def _session(row: Found) -> Session:
    settings = msgspec.json.decode(row["settings"])
    return Session(row["id"], row["project_id"], row["head"], bytes(row["start"]), settings, row["blocks"])
