"""`ralph state export`: the state directory of a spec, from the store."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("export")
@click.argument("spec")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def command(spec: str, as_json: bool) -> None:
    """Write chunks.json and all missing files of the iterations of SPEC. Existing files stay as they are.

    \b
    ralph state export shop
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.state.export import export_state
    from ralph.cli.json_text import json_text
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    with opened_store() as store:
        done = export_state(store, here(), spec)
    if as_json:
        click.echo(json_text(done))
        return
    click.echo(f"Wrote {count(done.files, 'file')} of {count(done.runs, 'run')} to .ralph/specs/{spec}.")
    if done.problem:
        say(f"ralph: {done.problem}", err=True)
