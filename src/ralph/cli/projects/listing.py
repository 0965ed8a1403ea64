"""`ralph project list`."""

import click

from ralph.cli.saying import say


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(as_json: bool) -> None:
    """List the projects that ralph knows, with the directory of each on this machine.

    \b
    ralph project list
    ralph project list --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.projects import list_projects
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        found = list(list_projects(store))
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    if not found:
        click.echo(
            "There are no projects yet. A directory becomes a project with its first use, or with: ralph project add"
        )
    width = max((len(each.id) for each in found), default=0)
    for each in found:
        where = each.path or "not on this machine"
        gone = " (gone)" if each.path and not each.is_there else ""
        facts = f"{count(len(each.specs), 'spec')} · {count(each.runs, 'run')}"
        say(f"{each.id:<{width}}  {where}{gone} · {facts}")
