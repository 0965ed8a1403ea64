"""`ralph project remove`."""

import click

from ralph.cli.here import here


@click.command("remove")
@click.argument("project", metavar="P")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(project: str, yes: bool) -> None:
    """Remove the project P with its specs, tasks and runs from the database. Its files, branches and settings stay.

    \b
    ralph project remove shop
    ralph project remove shop --yes
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.project_changes import remove_project
    from ralph.app.projects import named_project, open_project
    from ralph.cli.stores import opened_store
    from ralph.cli.tasks.delete import confirm
    from ralph.model.words import count

    with opened_store() as store:
        known = named_project(store, project, here())
        found = open_project(store, known.id, here())
        what = f"{count(len(found.specs), 'spec')}, {count(found.tasks, 'task')} and {count(found.runs, 'run')}"
        confirm(f"Forget {found.id} with {what}?", yes=yes)
        remove_project(store, known)
    stays = f" All files stay in {found.path}." if found.path else ""
    click.echo(f"Forgot {found.id} with {what}.{stays}")
