"""`ralph spec create`."""

from pathlib import Path

import click


@click.command("create")
@click.argument("spec_id", metavar="ID")
@click.option("--title", metavar="TEXT", help="Its title.  [default: the first heading of its text, or ID]")
@click.option("--file", "source", metavar="FILE", help="Its text in Markdown; - is standard input.")
def command(spec_id: str, title: str | None, source: str | None) -> None:
    """Begin the spec ID. Its text is kept in .ralph/specs/ID/spec.md, where it can be edited and committed."""
    from ralph.app.specs import create_spec

    spec = create_spec(Path.cwd(), spec_id, title, source)
    click.echo(f"Created {spec.id} ({spec.title}). Add to it: ralph task create ID {spec.id} TITLE")
