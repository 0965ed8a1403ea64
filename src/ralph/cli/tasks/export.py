"""`ralph task export`: tasks as a file that `ralph task import` reads."""

from pathlib import Path

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here


@click.command("export")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--spec", metavar="SPEC", help="Only tasks of this spec.")
@click.option(
    "--format", "form", type=Choice(["yaml", "json"]), help="The format.  [default: yaml, or by the name of FILE]"
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file.")
def command(ids: tuple[str, ...], spec: str | None, form: str | None, output: Path | None) -> None:
    """Print these tasks, or all, in the form that ralph task import reads.

    \b
    ralph task export TASK-001
    ralph task export --spec auth -o tasks.yaml
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.tasks import export_text
    from ralph.app.tasks.text import write_text
    from ralph.cli.stores import opened_store

    as_json = form == "json" or (form is None and output is not None and output.suffix == ".json")
    with opened_store() as store:
        text = export_text(store, here(), ids, spec, as_json=as_json)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
