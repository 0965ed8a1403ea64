"""`ralph state`: the state directory of a spec, written from the store and read back."""

import click

from ralph.cli.lazy import LazyGroup

COMMANDS = {
    "export": ("ralph.cli.state.export", "Write the state directory of a spec from the database."),
    "import": ("ralph.cli.state.importing", "Restore specs, tasks and their history from the state directory."),
}


@click.group("state", cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Export and import the state directory of specs, `.ralph/specs/`.

    \b
    ralph state export shop
    ralph state import
    """  # noqa: D301 - click reads the backspace characters
