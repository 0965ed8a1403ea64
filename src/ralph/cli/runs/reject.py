"""`ralph reject`: work that waits for a person goes back to its agent, with the reason."""

import click

from ralph.cli.here import here


@click.command("reject")
@click.argument("name", metavar="RUN|TASK")
@click.argument("why")
@click.option("-V", "--verbose", is_flag=True, help="Print more details.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(name: str, why: str, verbose: bool, quiet: bool) -> int:
    """Reject the work of RUN or TASK that waits for a person: its agent tries once more, with WHY in its prompt.

    \b
    ralph reject T-3 "The colours are wrong."
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.approval import reject
    from ralph.cli.runs.going_on import drive_on
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        return drive_on(store, reject(store, here(), name, why), verbose=verbose, quiet=quiet)
