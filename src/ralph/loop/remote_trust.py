"""Whether somebody told git during a run to reach remotes in another way, which nobody has accepted yet."""

from pathlib import Path

from ralph.git.remote_settings import FILE, differences, undoing
from ralph.loop.trust import look, open_changes
from ralph.model.errors import ConfigError
from ralph.store.sql import Store

SHOWN = 3


def changed_remotes(store: Store, project_id: str, project: Path) -> ConfigError | None:
    """The error that names what was changed, and how to remove it; None if nothing was. Code that pushes or fetches
    must call this first.
    """
    found = next((each for each in open_changes(store, project_id, project) if each.name == FILE), None)
    if found is None:
        return None
    now = look(store, project_id, project, [FILE])[FILE].data
    changed = differences(found.before, now)
    more = "; ..." if len(changed) > SHOWN else ""
    first = next(iter(changed))
    return ConfigError(
        f"{FILE} was changed during run {found.run_id}, and git would use it now: "
        f"{'; '.join([*changed.values()][:SHOWN])}{more}.",
        f"If it was not you: {undoing(first, found.before)}. If it was: ralph config accept",
    )
