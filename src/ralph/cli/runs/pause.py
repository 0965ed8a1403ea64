"""`ralph pause`: hold a run between two actions."""

import click

from ralph.cli.here import here


@click.command("pause")
@click.argument("run", metavar="[RUN|TASK]", required=False)
def command(run: str | None) -> None:
    """Pause RUN, the run of TASK, or the active run of this project, after its current action.

    The process stays alive and starts nothing new. Continue with: ralph resume RUN

    \b
    ralph pause
    ralph pause 3f2a
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.steering import pause
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        paused = pause(store, here(), run)
    click.echo(f"{paused.id} pauses after its current action. Continue: ralph resume {paused.id}")
