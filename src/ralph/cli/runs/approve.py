"""`ralph approve`: a person confirms what only a person can judge, and the run continues to its end."""

import click

from ralph.cli.here import here


@click.command("approve")
@click.argument("name", metavar="RUN|TASK")
@click.option("--criterion", type=click.IntRange(min=1), metavar="N", help="Only the criterion with this number.")
@click.option("-V", "--verbose", is_flag=True, help="Print more details.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(name: str, criterion: int | None, verbose: bool, quiet: bool) -> int:
    """Approve what RUN or TASK waits for, and deliver its work. ralph records your name and the time as evidence.

    \b
    ralph approve T-3
    ralph approve T-3 --criterion 2
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.approval import approve
    from ralph.cli.runs.going_on import drive_on
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        return drive_on(store, approve(store, here(), name, criterion), verbose=verbose, quiet=quiet)
