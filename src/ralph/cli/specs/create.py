"""`ralph spec create`."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("create")
@click.argument("spec_id", metavar="ID")
@click.option("--title", metavar="TEXT", help="Its title.  [default: the first heading of its text, or ID]")
@click.option("--file", "source", metavar="FILE", help="Its text in Markdown; - is standard input.")
@click.option("--edit", is_flag=True, help="Write its text in $VISUAL, $EDITOR or vi.")
def command(spec_id: str, title: str | None, source: str | None, edit: bool) -> None:
    """Create the spec ID. Its text is in .ralph/specs/ID/spec.md, where you can edit and commit it.

    \b
    ralph spec create shop --file shop.md
    ralph spec create shop --title "A shop" --edit
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.specs import create_spec
    from ralph.app.tasks.text import read_text
    from ralph.cli.stores import opened_store

    if edit and source == "-":
        raise click.UsageError("--edit needs the terminal, so the text cannot come from standard input.")
    text = None if source is None else read_text(source, "a Markdown file")
    if edit:
        text = _written(text or f"# {title or spec_id}\n")
    with opened_store() as store:
        spec = create_spec(store, here(), spec_id, title, text)
    by_hand = f"Add a task: ralph task create ID {spec.id} TITLE --outcome TEXT --acceptance TEXT"
    step = by_hand if text is None else f"Plan it: ralph spec plan {spec.id}"
    say(f"Created {spec.id} ({spec.title}). {step}")


def _written(text: str) -> str:
    from ralph.cli.specs.editor import edited_text
    from ralph.model.errors import ConfigError

    written = edited_text(text)
    if written is None:
        raise ConfigError("you left the editor without saving, so no spec was created.", "Run the command again.")
    return written
