"""`ralph spec graph`: how the tasks of a spec depend on each other."""

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here


@click.command("graph")
@click.argument("spec")
@click.option(
    "--format",
    "form",
    type=Choice(["text", "mermaid", "dot"]),
    default="text",
    show_default=True,
    help="A tree for the terminal, a Mermaid diagram, or a graph for Graphviz.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec: str, form: str, as_json: bool) -> None:
    """Print the dependency graph of SPEC. In the text form a task is below each of its dependencies.

    \b
    ralph spec graph shop
    ralph spec graph shop --format dot | dot -Tsvg > shop.svg
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.graph import spec_graph
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = spec_graph(store, here(), spec)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    from ralph.cli.specs.graph_text import FORMATS

    for line in FORMATS[form](found):
        click.echo(line)
    if not found.tasks and form == "text":
        add = f"ralph task create ID {found.id} TITLE --outcome TEXT --acceptance TEXT"
        click.echo(f"It has no tasks yet. Add one: {add}")
