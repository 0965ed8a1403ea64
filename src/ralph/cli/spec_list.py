"""`ralph spec list`."""

from pathlib import Path

import click


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="A JSON list.")
def command(as_json: bool) -> None:
    """List the specs of this project."""
    from ralph.app.specs import specs
    from ralph.model.verdicts import count

    found = specs(Path.cwd())
    if as_json:
        import json

        from ralph.app.task_view import spec_json

        click.echo(json.dumps([spec_json(each, Path.cwd()) for each in found], indent=2))
        return
    if not found:
        click.echo("There are no specs yet. Begin: ralph spec create ID --title TITLE")
    width = max((len(each.spec.id) for each in found), default=0)
    for each in found:
        done = sum(task.status == "completed" for task in each.tasks)
        click.echo(f"{each.spec.id:<{width}}  {each.spec.title} · {done} of {count(len(each.tasks), 'task')} completed")
