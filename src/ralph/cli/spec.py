"""`ralph spec`: what is to be built, and its tasks."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "create": ("ralph.cli.spec_create", "Begin a spec."),
    "list": ("ralph.cli.spec_list", "List the specs."),
    "show": ("ralph.cli.spec_show", "Show a spec and its tasks in the order in which they run."),
    "run": ("ralph.cli.spec_run", "Run the tasks of a spec until all are proven done."),
    "delete": ("ralph.cli.spec_delete", "Delete a spec."),
}


@click.group("spec", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Write down what is to be built, and run it."""
