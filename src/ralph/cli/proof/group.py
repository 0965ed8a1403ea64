"""`ralph proof`: the records of what was proven."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "show": ("ralph.cli.proof.show", "Show the record of a task, a commit or a run."),
    "verify": ("ralph.cli.proof.verify", "Check a record of a proof, and run its checks again."),
    "export": ("ralph.cli.proof.export", "Write the record of a proof into a file."),
}


@click.group("proof", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Show, verify and export the records of proofs.

    \b
    ralph proof show
    ralph proof verify TASK-001
    """  # noqa: D301 - click reads the backspace characters
