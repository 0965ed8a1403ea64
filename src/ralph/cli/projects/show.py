"""`ralph project show`."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("show")
@click.argument("project", metavar="[P]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(project: str | None, as_json: bool) -> None:
    """Show the project P, by its id or its directory; without P the project of this directory.

    \b
    ralph project show
    ralph project show shop
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.projects import open_project
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        found = open_project(store, project, here())
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    say(f"{found.id}  {found.name}")
    say(f"in {found.path}" if found.path else "not on this machine")
    if found.path and not found.is_there:
        click.echo(f"That directory is gone. Set its new path: ralph project edit {found.id} --path DIR")
    if found.remote:
        say(f"from {found.remote}")
    say(f"specs: {', '.join(found.specs) or 'none'}")
    click.echo(f"{count(found.tasks, 'task')} · {count(found.runs, 'run')}")
