"""Changes during a run, for a command that cannot even load the changed settings."""

import sys

from ralph.model.errors import ConfigError, RalphError

STARTS = ("run", "supervise", "task", "chunk", "spec", "prd", "verify", "review", "proof")
"""The commands that start something."""


def named_changes(error: RalphError) -> str:
    """The changes that nobody has decided about; empty if there are none, or if the error itself names them.

    Settings that an agent has damaged or deleted are an error before anything could be compared.
    """
    if not isinstance(error, ConfigError) or not set(sys.argv[1:2]) & set(STARTS):
        return ""
    from ralph.app.trusted import ChangedDuringRun, refuse_changed
    from ralph.cli.here import here
    from ralph.store.open import open_store
    from ralph.store.projects import find_project

    if isinstance(error, ChangedDuringRun):
        return ""
    try:
        with open_store() as store:
            if known := find_project(store, here()):
                refuse_changed(store, known.id, here())
    except ChangedDuringRun as changed:
        return str(changed)
    except RalphError:
        pass  # The first error is the one to report.
    return ""
