"""`ralph task`: tasks with criteria for done."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "create": ("ralph.cli.tasks.create", "Create a task with its criteria."),
    "import": ("ralph.cli.tasks.importing", "Import tasks from a YAML or JSON file."),
    "generate": ("ralph.cli.tasks.generate", "Generate tasks with criteria for each role from a text."),
    "list": ("ralph.cli.tasks.listing", "List the tasks in the order in which they run."),
    "show": ("ralph.cli.tasks.show", "Show a task: its criteria with the evidence for each, its roles."),
    "run": ("ralph.cli.tasks.run", "Run a task through its stages until it is proven done."),
    "edit": ("ralph.cli.tasks.edit", "Edit a task in your editor."),
    "depend": ("ralph.cli.tasks.depend", "Change the dependencies of a task."),
    "followup": ("ralph.cli.tasks.followup", "Create a new task from the unverified criteria of another."),
    "export": ("ralph.cli.tasks.export", "Print tasks as YAML or JSON."),
    "delete": ("ralph.cli.tasks.delete", "Delete a task."),
}


@click.group("task", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Write tasks with completion criteria, and run them.

    \b
    ralph task list
    ralph task run TASK-001
    """  # noqa: D301 - click reads the backspace characters
