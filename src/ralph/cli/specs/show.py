"""`ralph spec show`."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.tasks.listing import SpecTasks
    from ralph.app.tasks.stats import SpecWithStats
    from ralph.store.sql import Store


@click.command("show")
@click.argument("spec_id", metavar="ID")
@click.option("--stats", is_flag=True, help="Also show statistics; ralph asks gh or glab about pull requests.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec_id: str, stats: bool, as_json: bool) -> None:
    """Show the spec ID, and its tasks in the order in which they run.

    \b
    ralph spec show shop
    ralph spec show shop --stats
    """  # noqa: D301 - click reads the backspace characters
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = _with_stats(store, spec_id) if stats else _plain(store, spec_id)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    from ralph.cli.tasks.listing import lines

    say(f"{found.id}  {found.title}")
    if found.file:
        say(f"text in {found.file}")
    click.echo()
    if not found.tasks:
        add = (
            f"Plan them: ralph spec plan {found.id}"
            if found.file
            else f"Add one: ralph task create ID {found.id} TITLE --outcome TEXT --acceptance TEXT"
        )
        click.echo(f"It has no tasks yet. {add}")
    for line in lines(found.tasks, with_spec=False):
        say(line)
    if stats:
        from ralph.app.tasks.stats import SpecWithStats
        from ralph.cli.specs.stats_text import stats_lines

        click.echo()
        for line in stats_lines(found.stats) if isinstance(found, SpecWithStats) else ():
            say(line)


def _plain(store: "Store", spec_id: str) -> "SpecTasks":
    from ralph.app.tasks.listing import open_spec

    return open_spec(store, here(), spec_id)


def _with_stats(store: "Store", spec_id: str) -> "SpecWithStats":
    import asyncio

    from ralph.app.tasks.stats import spec_with_stats

    return asyncio.run(spec_with_stats(store, here(), spec_id))
