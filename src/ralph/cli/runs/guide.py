"""`ralph guide`: give guidance to the agents of an active run."""

import click

from ralph.cli.here import here


@click.command("guide")
@click.argument("words", nargs=-1, required=True, metavar="[RUN|TASK] TEXT")
def command(words: tuple[str, ...]) -> None:
    """Add TEXT to the next prompt of RUN, and of each of its parts.

    RUN may also be a TASK; without it ralph uses the active run of this project.

    \b
    ralph guide "Do not touch the public API."
    ralph guide 3f2a "Use the existing helper in util.py."
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.steering import guide
    from ralph.cli.stores import opened_store

    if len(words) > 2:  # noqa: PLR2004 - a run and a text
        raise click.UsageError("Put the text in quotes: ralph guide [RUN] TEXT")
    named = words[0] if len(words) > 1 else None
    with opened_store() as store:
        run = guide(store, here(), named, words[-1] if words else "")
    click.echo(f"{run.id} gets it in its next prompt.")
