"""`ralph project edit`."""

from pathlib import Path

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("edit")
@click.argument("project", metavar="P")
@click.option("--path", "folder", metavar="DIR", help="Its new directory on this machine.")
@click.option("--name", metavar="TEXT", help="Its new name. The id stays.")
def command(project: str, folder: str | None, name: str | None) -> None:
    """Change the project P. A directory that has moved keeps its specs and runs.

    \b
    mv ~/shop ~/work/shop
    ralph project edit shop --path ~/work/shop
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.project_changes import edit_project
    from ralph.app.projects import named_project
    from ralph.cli.stores import opened_store

    if folder is None and name is None:
        raise click.UsageError("Name what to change: --path or --name.")
    with opened_store() as store:
        known = named_project(store, project, here())
        path = None if folder is None else Path.cwd() / folder
        edited = asyncio.run(edit_project(store, known, name=name, folder=path))
    say(f"Saved {edited.id} ({edited.name}) in {edited.path or 'no directory of this machine'}")
