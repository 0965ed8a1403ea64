"""`ralph spec delete`."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.tasks.spec_removal import Removal


@click.command("delete")
@click.argument("spec_id", metavar="ID")
@click.option("--with-tasks", is_flag=True, help="Also delete its tasks.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(spec_id: str, with_tasks: bool, yes: bool) -> int:
    """Delete the spec ID with its runs, iterations and discarded attempts.

    Its text in .ralph/specs and its branch ralph/ID stay.

    \b
    ralph spec delete shop
    ralph spec delete shop --with-tasks --yes
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.tasks.listing import open_spec
    from ralph.app.tasks.spec_removal import plan_removal, remove
    from ralph.cli.stores import opened_store
    from ralph.cli.tasks.delete import confirm

    project = here()
    with opened_store() as store:
        found = open_spec(store, project, spec_id)
        removal = asyncio.run(plan_removal(store, project, spec_id, with_tasks=with_tasks))
        confirm(f"Delete {found.id} ({found.title}){_and_more(removal)}?", yes=yes)
        problems = asyncio.run(remove(store, project, removal, with_tasks=with_tasks))
    for problem in problems:
        say(f"ralph: {problem}", err=True)
    stays = f" Its text stays in {found.file}." if found.file else ""
    click.echo(f"Deleted {found.id}{_and_more(removal)}.{stays}")
    return 9 if problems else 0


def _and_more(removal: "Removal") -> str:
    from ralph.model.words import count

    parts = [
        count(number, word)
        for number, word in (
            (len(removal.tasks), "task"),
            (removal.runs, "run"),
            (len(removal.refs), "discarded attempt"),
        )
        if number
    ]
    return f" with {', '.join(parts)}" if parts else ""
