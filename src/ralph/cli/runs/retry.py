"""`ralph retry`: the same run again, from the beginning."""

import click

from ralph.cli.here import here


@click.command("retry")
@click.argument("run", metavar="[RUN|TASK]", required=False)
@click.option("-V", "--verbose", is_flag=True, help="Print more details.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(run: str | None, verbose: bool, quiet: bool) -> int:
    """Start RUN, the run of TASK, or the latest run of this project again from the beginning.

    It is a new run with the same prompt and settings.

    \b
    ralph retry
    ralph retry 3f2a
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.starting import again
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.driving import start
    from ralph.cli.specs.pr import open_after_run
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        plan, project = again(store, here(), run)
        code = start(store, project, plan, make_screen(plan.settings, verbose=verbose, quiet=quiet))
        return code or open_after_run(store, project, plan, quiet=quiet)
