"""`ralph spec show`."""

from pathlib import Path

import click


@click.command("show")
@click.argument("spec_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="JSON.")
def command(spec_id: str, as_json: bool) -> None:
    """Show the spec ID, and its tasks in the order in which they run."""
    from ralph.app.specs import open_spec
    from ralph.app.tasks import TaskState, state_of

    project = Path.cwd()
    found = open_spec(project, spec_id)
    if as_json:
        import json

        from ralph.app.task_view import spec_json

        click.echo(json.dumps(spec_json(found, project), indent=2))
        return
    from ralph.cli.task_list import lines

    click.echo(f"{found.spec.id}  {found.spec.title}")
    if found.file:
        click.echo(f"text in {found.file.relative_to(project)}")
    click.echo()
    if not found.tasks:
        click.echo(f"It has no tasks yet. Add one: ralph task create ID {found.spec.id} TITLE")
    for line in lines([TaskState(task, state_of(task, found.under_way)) for task in found.tasks], with_spec=False):
        click.echo(line)
