"""`ralph project add`."""

from pathlib import Path

import click

from ralph.cli.saying import say


@click.command("add")
@click.argument("folder", metavar="[DIR]", default=".")
@click.option("--name", metavar="TEXT", help="Its name.  [default: the name of the directory]")
def command(folder: str, name: str | None) -> None:
    """Make DIR, or this directory, a project before its first use.

    \b
    ralph project add
    ralph project add ~/shop --name "The shop"
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.projects import add_project
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        project, is_new = add_project(store, Path.cwd() / folder, name)
    say(f"{'Added' if is_new else 'It is known already:'} {project.id} ({project.name}) in {project.path}")
