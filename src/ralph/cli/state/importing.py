"""`ralph state import`: what the state directory says about specs and their tasks."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("import")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--json", "as_json", is_flag=True, help="Print what was restored as JSON.")
def command(specs: tuple[str, ...], as_json: bool) -> None:
    """Restore SPEC, or every spec in .ralph/specs, from chunks.json and the files of its iterations.

    ralph takes the definitions from the file. The iterations are history only: a task counts as completed only if its
    commit is on the branch of the spec.

    \b
    ralph state import
    ralph state import shop
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.state.importing import import_state
    from ralph.cli.json_text import json_text
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        done = asyncio.run(import_state(store, here(), specs))
    if as_json:
        click.echo(json_text(done))
        return
    for each in done:
        facts = [count(len(each.tasks), "task"), f"{len(each.completed)} completed"]
        facts.append(count(each.attempts, "attempt"))
        facts += [count(each.rounds, "final review")] if each.rounds else []
        say(f"{each.spec}: {', '.join(facts)} restored.")
        for old, new in each.renamed.items():
            say(f"  Another spec has the task {old}, so here it is {new}.")
        for problem in each.problems:
            say(f"ralph: {problem}", err=True)
