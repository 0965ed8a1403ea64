"""`ralph spec edit`: the text of a spec in the user's own editor."""

import click

from ralph.cli.here import here


@click.command("edit")
@click.argument("spec_id", metavar="ID")
def command(spec_id: str) -> None:
    """Edit the text of the spec ID in $VISUAL, $EDITOR or vi. Its tasks stay as they are.

    \b
    ralph spec edit shop
    EDITOR=nano ralph spec edit shop
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.spec_edit import save_text, text_to_edit
    from ralph.cli.specs.editor import edited_text
    from ralph.cli.stores import opened_store

    project = here()
    with opened_store() as store:
        before = text_to_edit(store, project, spec_id)
        after = edited_text(before)
        if after is None or after == before:
            click.echo("Nothing changed.")
            return
        file = save_text(store, project, spec_id, before, after)
    click.echo(f"Saved {file}. Divide it into chunks: ralph spec plan {spec_id}")
