"""`ralph resume`: continue a killed, stopped or ended run."""

import sys
from typing import TYPE_CHECKING

import click

from ralph.cli.durations import DurationType
from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.runs.starting import GoingOn
    from ralph.cli.display.screen import Screen
    from ralph.store.sql import Store


@click.command("resume")
@click.argument("run", metavar="[RUN|TASK]", required=False)
@click.option("-m", "--maximum-iterations", type=click.IntRange(min=1), help="The new total of iterations.")
@click.option("--budget-usd", type=click.FloatRange(min=0, min_open=True), help="The new total of dollars.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="The new total of tokens.")
@click.option("--budget-seconds", type=DurationType(above=0), help="The new total of time, such as 2h.")
@click.option("-V", "--verbose", is_flag=True, help="Print more details.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
@click.option("--timestamps", is_flag=True, help="Put the time before each line.")
def command(
    run: str | None,
    maximum_iterations: int | None,
    budget_usd: float | None,
    budget_tokens: int | None,
    budget_seconds: float | None,
    verbose: bool,
    quiet: bool,
    timestamps: bool,
) -> int:
    """Continue RUN, the run of TASK, or the latest run here that can continue, with its counters, cost and feedback.

    Every run can continue except a verified or cancelled one. To raise the limit that ended a run, give a new total.

    \b
    ralph resume
    ralph resume 3f2a -m 20
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.starting import Raised, go_on
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.going_on import drive_on
    from ralph.cli.stores import opened_store

    raised = Raised(maximum_iterations, budget_usd, budget_tokens, budget_seconds)
    with opened_store() as store:
        found = go_on(store, here(), run, raised)
        if found.is_alive:
            click.echo(f"{found.run.id} continues. Watch it: ralph logs -f {found.run.id}")
            return 0
        if found.plan.kind.asks_people and sys.stdin and sys.stdin.isatty():
            screen = make_screen(found.plan.settings, verbose=verbose, quiet=quiet, timestamps=timestamps)
            return _asked(store, found, screen)
        return drive_on(store, found, verbose=verbose, quiet=quiet, timestamps=timestamps)


def _asked(store: "Store", found: "GoingOn", screen: "Screen") -> int:
    """Ask the questions of a run, if somebody is there to answer, and continue it."""
    from ralph.app.planning.talk import Planning
    from ralph.cli.planning.driving import plan_with
    from ralph.cli.planning.person import AtTerminal
    from ralph.cli.planning.specs import show_end
    from ralph.store.projects import folder_of

    planning = Planning(found.run.id, found.plan, found.has_ended, is_resumed=True)
    code = plan_with(store, planning, AtTerminal(), screen, is_locked=False)
    if code == 0 and found.run.recipe == "spec-plan":
        show_end(store, folder_of(store, found.run.project), found.plan.loop)
    return code
