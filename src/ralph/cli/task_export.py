"""`ralph task export`: tasks as a file that `ralph task import` reads."""

from pathlib import Path

import click


@click.command("export")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--spec", metavar="SPEC", help="Only tasks of this spec.")
@click.option("--format", "form", type=click.Choice(["yaml", "json"]), help="[default: yaml, or what FILE ends in]")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file.")
def command(ids: tuple[str, ...], spec: str | None, form: str | None, output: Path | None) -> None:
    """Print these tasks, or all, in the shape that ralph task import reads."""
    from ralph.app.task_text import write_text
    from ralph.app.tasks import export_text

    as_json = form == "json" or (form is None and output is not None and output.suffix == ".json")
    text = export_text(Path.cwd(), ids, spec, as_json=as_json)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
