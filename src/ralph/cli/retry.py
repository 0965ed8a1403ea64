"""`ralph retry`: the same run again, from the beginning."""

from functools import partial

import click


@click.command("retry")
@click.argument("run")
@click.option("-V", "--verbose", is_flag=True, help="Say more.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but why it ended badly.")
def command(run: str, verbose: bool, quiet: bool) -> int:
    """Start RUN again from the beginning, as a new run with the same prompt and settings."""
    from ralph.app.runs import retry
    from ralph.cli.screen import make_screen
    from ralph.model.verdicts import exit_code

    return exit_code(retry(run, partial(make_screen, verbose=verbose, quiet=quiet)))
