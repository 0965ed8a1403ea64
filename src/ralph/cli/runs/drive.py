"""`ralph drive`: take a stored run, and drive it here."""

import click


@click.command("drive")
@click.argument("run")
@click.option("-V", "--verbose", is_flag=True, help="Print more details.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(run: str, verbose: bool, quiet: bool) -> int:
    """Drive RUN, which is stored and queued. --detach starts this command.

    \b
    ralph drive 3f2a91bc
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.inside_run import require_own_child
    from ralph.app.runs.starting import plan_of
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.driving import drive
    from ralph.cli.stores import opened_store
    from ralph.store.runs import find_run

    with opened_store() as store:
        found = find_run(store, run)
        require_own_child(found.id)
        plan = plan_of(store, found)
        return drive(store, found.id, plan, make_screen(plan.settings, verbose=verbose, quiet=quiet))
