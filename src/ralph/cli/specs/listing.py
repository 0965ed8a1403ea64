"""`ralph spec list`."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(as_json: bool) -> None:
    """List the specs of this project.

    \b
    ralph spec list
    ralph spec list --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.listing import list_specs
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        found = list_specs(store, here())
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    if not found:
        click.echo('There are no specs yet. Start: ralph spec new "what to build"')
    width = max((len(each.id) for each in found), default=0)
    for each in found:
        done = sum(task.status == "completed" for task in each.tasks)
        say(f"{each.id:<{width}}  {each.title} · {done} of {count(len(each.tasks), 'task')} completed")
