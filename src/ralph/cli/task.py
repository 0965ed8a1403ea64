"""`ralph task`: tasks with criteria for done."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "create": ("ralph.cli.task_create", "Write a task with its criteria."),
    "import": ("ralph.cli.task_import", "Read tasks from a YAML or JSON file."),
    "list": ("ralph.cli.task_list", "List the tasks in the order in which they run."),
    "show": ("ralph.cli.task_show", "Show a task: its criteria with the evidence for each, its roles."),
    "run": ("ralph.cli.task_run", "Run a task through its stages until it is proven done."),
    "edit": ("ralph.cli.task_edit", "Change a task in your editor."),
    "followup": ("ralph.cli.task_followup", "Write a new task from what a stage left over."),
    "export": ("ralph.cli.task_export", "Print tasks as YAML or JSON."),
    "delete": ("ralph.cli.task_delete", "Delete a task."),
}


@click.group("task", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Write tasks with criteria for done, and run them."""
