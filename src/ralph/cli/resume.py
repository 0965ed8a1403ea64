"""`ralph resume`: go on where a killed or stopped run was."""

from functools import partial
from pathlib import Path

import click


@click.command("resume")
@click.argument("run", required=False)
@click.option("-V", "--verbose", is_flag=True, help="Say more.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but why it ended badly.")
def command(run: str | None, verbose: bool, quiet: bool) -> int:
    """Continue RUN, or the latest interrupted run of this project, with its counters, cost and feedback."""
    from ralph.app.runs import resume
    from ralph.cli.screen import make_screen
    from ralph.model.verdicts import exit_code

    return exit_code(resume(Path.cwd(), run, partial(make_screen, verbose=verbose, quiet=quiet)))
