"""What each story cost, according to the journals of its loops."""

import msgspec
from msgspec import Struct

from ralph.model.evidence import NOTHING, Spent
from ralph.store.sql import Store

_LOOPS = """SELECT run_id, coalesce(body, data) AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    WHERE what = 'ended' AND key = 'open-stories/0' AND run_id IN (
        SELECT id FROM runs WHERE project_id = :project AND recipe = 'stories' AND label = :branch)
    ORDER BY at DESC"""
_CALLS = """SELECT key, spent, CASE WHEN key LIKE 'begin-story/%' THEN coalesce(body, data) END AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    WHERE run_id = :run AND what = 'ended' AND (key LIKE 'begin-story/%' OR key LIKE 'run-agent/%') ORDER BY n"""


class _Opened(Struct):
    base: str


class _Begun(Struct):
    story: str


def story_costs(store: Store, project: str, branch: str) -> dict[str, Spent]:
    """The cost by the story's id; what was spent when all stories were done is under an empty id.

    It covers all loops of the feature that is on the branch now: they began at one commit.
    """
    loops = store.read(_LOOPS, project=project, branch=branch)
    bases = [msgspec.json.decode(row["body"], type=_Opened).base for row in loops]
    found: dict[str, Spent] = {}
    for row, base in zip(loops, bases, strict=True):
        if base == bases[0]:
            _add(found, store, row["run_id"])
    return found


def _add(found: dict[str, Spent], store: Store, run_id: str) -> None:
    story = ""
    for row in store.read(_CALLS, run=run_id):
        if row["body"] is not None:
            story = msgspec.json.decode(row["body"], type=_Begun).story
        elif row["spent"]:
            found[story] = found.get(story, NOTHING) + msgspec.json.decode(row["spent"], type=Spent)
