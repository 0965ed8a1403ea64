"""`ralph spec sync`: mark in the imported plan what ralph has verified."""

import click

from ralph.cli.here import here
from ralph.cli.saying import safe_text, say


@click.command("sync")
@click.argument("spec")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec: str, as_json: bool) -> int:
    """Mark the verified tasks of SPEC as done in the plan from which they were imported.

    ralph ticks a box only if it has completed the task, and changes nothing else in the file. It leaves out and names
    a task whose text changed since the import.

    \b
    ralph spec sync 001-cart
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.exchange.syncing import sync_spec
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        synced = asyncio.run(sync_spec(store, here(), spec))
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(synced)
        return 9 if synced.problems else 0
    for each in synced.problems:
        name = safe_text(each.original)[:60]
        say(f"ralph: {each.task} ({name} in {each.source}) is not marked: {each.problem.rstrip('.')}.", err=True)
    for source in dict.fromkeys(each.source for each in synced.tasks):
        standing = [each for each in synced.tasks if each.source == source and not each.problem and not each.note]
        new = [each.task for each in standing if each.is_new]
        if new:
            say(f"Marked as done in {source}: {', '.join(new)}")
        elif standing:
            say(f"{source} has all {count(len(standing), 'verified task')} marked as done already.")
    for each in synced.tasks:
        if each.note:
            say(f"{each.task} is verified, but {each.note}.")
    if synced.open:
        them = "it" if synced.open == 1 else "them"
        say(f"{count(synced.open, 'task')} not verified yet: nothing is written for {them}.")
    return 9 if synced.problems else 0
