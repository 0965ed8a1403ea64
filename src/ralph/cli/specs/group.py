"""`ralph spec`: what to build, and its tasks."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "new": ("ralph.cli.specs.new", "Answer a planner's questions: it writes the spec and its chunks."),
    "create": ("ralph.cli.specs.create", "Create a spec from your own text."),
    "refine": ("ralph.cli.specs.refine", "Let a planner improve the text of a spec."),
    "plan": ("ralph.cli.specs.plan", "Let a planner divide a spec into chunks."),
    "edit": ("ralph.cli.specs.edit", "Edit the text of a spec."),
    "list": ("ralph.cli.specs.listing", "List the specs."),
    "show": ("ralph.cli.specs.show", "Show a spec and its tasks in the order in which they run."),
    "graph": ("ralph.cli.specs.graph", "Print the dependency graph of a spec."),
    "preview": ("ralph.cli.specs.preview", "Print the waves, the critical path and an estimate."),
    "run": ("ralph.cli.specs.run", "Run the tasks of a spec until all are proven done."),
    "import": (
        "ralph.cli.specs.importing",
        "Create a spec from an existing plan: spec-kit, issues, checklists ...",
    ),
    "sync": ("ralph.cli.specs.sync", "Mark the verified tasks in an imported plan."),
    "export": ("ralph.cli.specs.export", "Export a spec to a file that ralph spec import reads."),
    "pr": ("ralph.cli.specs.pr", "Push the branch of a spec, and open or update its pull request."),
    "config": ("ralph.cli.specs.config", "Show or change the settings of one spec."),
    "delete": ("ralph.cli.specs.delete", "Delete a spec."),
}


@click.group("spec", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Plan work as specs with tasks, and run them.

    \b
    ralph spec new "A search box for the list of orders"
    ralph spec run a-search-box-for-the-list-of-orders
    """  # noqa: D301 - click reads the backspace characters
