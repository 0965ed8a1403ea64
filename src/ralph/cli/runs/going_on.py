"""Driving a run that is continued, with what was to happen after its good end."""

from ralph.app.runs.starting import GoingOn
from ralph.cli.display.screen import make_screen
from ralph.cli.runs.driving import drive
from ralph.cli.specs.pr import open_after_run
from ralph.store.projects import folder_of
from ralph.store.sql import Store


def drive_on(store: Store, found: GoingOn, *, verbose: bool, quiet: bool, timestamps: bool = False) -> int:
    """Drive a run here that is continued, and open the pull request that it was started for."""
    screen = make_screen(found.plan.settings, verbose=verbose, quiet=quiet, timestamps=timestamps)
    code = drive(store, found.run.id, found.plan, screen, go_on=found.has_ended)
    return code or open_after_run(store, folder_of(store, found.run.project), found.plan, quiet=quiet)
