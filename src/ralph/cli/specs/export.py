"""`ralph spec export`: a spec as one file, or its iterations as training data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.store.sql import Store


@click.command("export")
@click.argument("spec")
@click.option(
    "--format", "form", type=Choice(["yaml", "json"]), help="The format.  [default: yaml, or by the name of FILE]"
)
@click.option(
    "--training", is_flag=True, help="Print each attempt as a line of JSON: prompt, output, reviews; no secrets."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file.")
def command(spec: str, form: str | None, training: bool, output: Path | None) -> None:
    """Print SPEC in the form that ralph spec import reads: its text, its tasks and its settings.

    \b
    ralph spec export cart -o cart.yaml
    ralph spec export cart --training -o cart.jsonl
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.text import write_text
    from ralph.cli.stores import opened_store

    if training and form:
        raise click.UsageError("--training is always JSON lines: leave out --format.")
    as_json = form == "json" or (form is None and output is not None and output.suffix == ".json")
    with opened_store() as store:
        text = _training(store, spec) if training else _definitions(store, spec, as_json=as_json)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


def _definitions(store: "Store", spec: str, *, as_json: bool) -> str:
    from ralph.app.exchange.own_form import exported

    return exported(store, here(), spec, as_json=as_json)


def _training(store: "Store", spec: str) -> str:
    from ralph.app.exchange.training import training_lines

    return "".join(f"{line}\n" for line in training_lines(store, here(), spec))
