"""What may be said at the end of a run: only what the database at its place holds."""

import msgspec

from ralph.loop.run import Driven
from ralph.model.errors import RalphError, StateError
from ralph.model.verdicts import AnyVerdict, Stopped, from_error
from ralph.store.sql import Store

_CLOSED = """SELECT coalesce(body, data) AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    WHERE run_id = :run_id AND hash = :head AND what = 'closed'"""


def as_recorded(store: Store, run_id: str, driven: Driven) -> AnyVerdict:
    """The verdict as the next command will read it, or an error if the end of the run is not recorded.

    The database may be taken away, replaced or damaged at any moment, so it is opened again: what this process wrote
    may be in a file that nobody will find. An end that could not be confirmed when it was written may be there after
    all.
    """
    try:
        store.reopen()
        found = store.read(_CLOSED, run_id=run_id, head=driven.head)
        if found:
            return msgspec.json.decode(found[0]["body"], type=AnyVerdict)
        problem: RalphError = StateError(
            f"the database was replaced or damaged while run {run_id} ended, so its end is not recorded.",
            f"Restore it, then: ralph resume {run_id}",
        )
    except RalphError as error:
        problem = error
    # A run that an error stopped has no end that must be recorded.
    return driven.verdict if isinstance(driven.verdict, Stopped) else from_error(problem)
