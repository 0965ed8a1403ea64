"""A planning run from the command line: driven as far as it goes, then the person is asked, and it continues."""

import click

from ralph.app.planning.talk import Planning
from ralph.cli.display.screen import Screen
from ralph.cli.planning.person import Person, how_to_go_on, stopped
from ralph.cli.runs.driving import driven, end
from ralph.loop.people import WaitsForPerson
from ralph.model.errors import Cancelled
from ralph.store.sql import Store


def plan_with(store: Store, planning: Planning, person: Person, screen: Screen, *, is_locked: bool = True) -> int:
    """Drive the run until it has ended, and return the exit code."""
    run_id, plan, has_ended = planning.run_id, planning.plan, planning.has_ended
    while True:
        done = driven(store, run_id, plan, screen, go_on=has_ended, is_locked=is_locked)
        screen.hand_over()
        if isinstance(done.error, Cancelled):
            raise stopped(how_to_go_on(planning))
        if not isinstance(done.error, WaitsForPerson):
            return end(store, run_id, plan, screen, done)
        person.answers(store, planning, done.error)
        has_ended = False


def say_resumed(planning: Planning) -> None:
    if planning.is_resumed:
        run_id = planning.run_id
        click.echo(f"ralph: continuing the planning {run_id}. To start again: ralph cancel {run_id}", err=True)
