"""`ralph project`: the directories that ralph has worked in."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "add": ("ralph.cli.projects.add", "Make a directory a project."),
    "list": ("ralph.cli.projects.listing", "List the projects."),
    "show": ("ralph.cli.projects.show", "Show a project: its directory, specs, tasks and runs."),
    "edit": ("ralph.cli.projects.edit", "Rename a project, or set its new directory."),
    "remove": ("ralph.cli.projects.remove", "Remove a project from the database. Its files stay."),
}


@click.group("project", cls=LazyGroup, table=TABLE)
def command() -> None:
    """List and change the projects that ralph knows. A directory becomes a project with its first use.

    \b
    ralph project list
    ralph project show
    """  # noqa: D301 - click reads the backspace characters
